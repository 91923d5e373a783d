import { connect } from 'node:net';
import fc from 'fast-check';
import { type Fields, isFields } from '#protocol/core/json-frame.ts';
import { Broken, type FuzzPart } from '../fuzz-part.ts';
import { editedJson, type JsonEdit } from '../mutation/json-tree.ts';
import { byteDamages, damagedBytes, jsonEdits, shownMessage } from '../mutation/mutations.ts';
import { fieldsIn, SECRET_KEY } from './client-scripts.ts';
import { type HttpCall, isUpgrade, requestBytes, VALID_CALLS } from './http-calls.ts';
import { FORGOTTEN } from './verdict.ts';

export interface HttpCase {
  bytes: Uint8Array<ArrayBuffer>;
  /** The bytes are not those of the call, so that they may be no HTTP. */
  isDamaged: boolean;
}

/** A change of one part of a call. Places wrap around. */
type CallEdit =
  | { kind: 'method'; method: string }
  | { kind: 'path' | 'query'; at: number; text: string }
  | { kind: 'header'; at: number; line: string | null }
  | { kind: 'body'; edits: readonly JsonEdit[] }
  | { kind: 'bodyText'; text: string };

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'get'];

const PATH_PARTS = [
  ...['', '.', '..', '%2e%2e', '%2F', '%00', '%', '%zz', '%ff', '*', ':id', '__proto__', 'constructor'],
  ...['latency=x', 'latency=-1', 'refuse=429', 'stall=1@1,', 'drop=1@1', '@', 'relay', 'faults'],
  ...['0', '-1', '1e9', '999999999999999999999', '1071', 'null', 'entries', 'a'.repeat(5000), '%F0%9F%98%80'],
];

const QUERIES = [
  ...['limit=0', 'limit=1e9', 'limit=-1', 'limit=NaN', 'offset=99999999999999999999', 'language=%ff', 'x=%'],
  ...['api_key=', 'api_key=wrong', 'api_key=local&api_key=wrong', `api_key=${SECRET_KEY}`, '__proto__=1'],
  ...['search=%25%5F', 'project_id=1.5', 'limit[]=5', `x=${'a'.repeat(9000)}`, '=&=&=', '?'],
];

const HEADERS = [
  ...[
    'X-API-Key: wrong',
    'X-API-Key:',
    `Authorization: Bearer ${SECRET_KEY}`,
    `Authorization: Token ${SECRET_KEY}`,
    'Authorization: Basic x',
    'Authorization: Bearer',
  ],
  ...[
    'Host: evil.example',
    'Host:',
    'Origin: null',
    'Origin: http://evil.example',
    'Origin: http://localhost:1',
  ],
  ...[
    'Content-Type: text/plain',
    'Content-Type: multipart/form-data',
    'Content-Type: multipart/form-data; boundary=x',
  ],
  ...['Content-Length: 5', 'Content-Length: -1', 'Transfer-Encoding: chunked', 'Expect: 100-continue'],
  ...[
    'Accept: text/event-stream',
    'Accept: text/html',
    'Range: bytes=0-1,5-',
    'Range: bytes=-0',
    'If-None-Match: *',
  ],
  ...['Upgrade: h2c', 'Upgrade: websocket', 'Sec-WebSocket-Version: 99', 'Sec-WebSocket-Key: x'],
  ...[
    'Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=1',
    'Sec-WebSocket-Protocol: a, a',
  ],
  ...['Cartesia-Version: 2024-06-10', 'Cartesia-Version: 0'],
  ...['X-Forwarded-Proto: https', `X-Long: ${'a'.repeat(20_000)}`, 'No colon', 'Cookie: a=b'],
];

/** Names of fields in bodies. */
const FIELDS = [
  ...new Set(VALID_CALLS.flatMap(({ body }) => Object.keys(fieldsIn(body)))),
  ...['input', 'voice_clone_prompt', 'audio', 'ref_text'],
];

const callEdit: fc.Arbitrary<CallEdit> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('method'), method: fc.constantFrom(...METHODS) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('path'),
      at: fc.nat({ max: 20 }),
      text: fc.constantFrom(...PATH_PARTS),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('query'),
      at: fc.constant(0),
      text: fc.constantFrom(...QUERIES),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('header'),
      at: fc.nat({ max: 10 }),
      line: fc.option(fc.constantFrom(...HEADERS)),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('body'), edits: jsonEdits(FIELDS) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('bodyText'),
      text: fc.oneof(fc.string(), fc.constantFrom('', '[]', 'null', '{', 'x'.repeat(2_000_000))),
    }),
  },
);

function editedCall(call: HttpCall, edit: CallEdit): HttpCall {
  const [path = '', query = ''] = call.target.split('?', 2);
  switch (edit.kind) {
    case 'method':
      return { ...call, method: edit.method };
    case 'path': {
      const parts = path.split('/');
      parts.splice(1 + (edit.at % parts.length), edit.at % 2, edit.text);
      return { ...call, target: parts.join('/') + (query === '' ? '' : `?${query}`) };
    }
    case 'query':
      return { ...call, target: `${path}?${query === '' ? '' : `${query}&`}${edit.text}` };
    case 'header': {
      const headers = [...call.headers];
      headers.splice(edit.at % (headers.length + 1), 1, ...(edit.line === null ? [] : [edit.line]));
      return { ...call, headers };
    }
    case 'body':
      return isEditable(call.body) ? { ...call, body: editedJson(JSON.parse(call.body), edit.edits) } : call;
    case 'bodyText':
      return { ...call, body: edit.text };
  }
}

/** A body that an earlier edit nested too deeply, or made no JSON, stays as it is. */
function isEditable(text: string): boolean {
  if (text.length > MOST_EDITABLE_CHARS) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const MOST_EDITABLE_CHARS = 5000;

/** Statuses of 5xx that are documented: not offered, no encoder. */
const ALLOWED_5XX: ReadonlySet<number> = new Set([501]);
const ANSWER_WITHIN_MS = 20_000;
/** A request without its end is answered only by Node's own time-out. */
const UNFINISHED_MS = 150;

/** Mutated requests over HTTP, with upgrades. @param http the server's address */
export function httpPart(http: string): FuzzPart<HttpCase> {
  const { host, hostname, port } = new URL(http);
  return {
    name: 'http',
    cases: fc
      .record({
        call: fc.constantFrom(...VALID_CALLS),
        edits: fc.array(callEdit, { minLength: 1, maxLength: 3, size: 'max' }),
        damage: fc.option(byteDamages, { freq: 5 }),
      })
      .map(({ call, edits, damage }) => {
        const edited = edits.reduce(editedCall, call);
        const bytes = requestBytes(edited, host);
        if (damage) return { bytes: damagedBytes(bytes, damage), isDamaged: true };
        // The body of an upgrade is junk past the WebSocket protocol.
        const isJunk = isUpgrade(edited) && edited.body !== '';
        return { bytes, isDamaged: isJunk || edits.some(({ kind }) => kind === 'header') };
      }),
    sizeOf: () => 1,
    check: async (one) => {
      const withinMs = one.isDamaged ? UNFINISHED_MS : ANSWER_WITHIN_MS;
      judgeAnswer(one, await answerTo(one.bytes, { host: hostname, port: Number(port) }, withinMs));
    },
    describe: ({ bytes }) =>
      `  → ${shownMessage({ payload: new TextDecoder('latin1').decode(bytes), isText: true })}`,
  };
}

/** The first bytes of the answer, all of them where the server closes; null for silence. */
export function answerTo(
  bytes: Uint8Array | string,
  address: { host: string; port: number },
  withinMs: number,
): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const socket = connect(address);
    let answer = '';
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      socket.destroy();
      settle();
    };
    const timer = setTimeout(() => finish(() => resolve(answer === '' ? null : answer)), withinMs);
    socket.setEncoding('latin1');
    socket.on('data', (part: string) => {
      answer += part;
      // An upgraded connection, or an endless answer, needs no end.
      if (answer.startsWith('HTTP/1.1 101') || answer.length > 1_000_000) finish(() => resolve(answer));
    });
    socket.on('end', () => finish(() => resolve(answer)));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      finish(() => (error.code === 'ECONNREFUSED' ? reject(error) : resolve(answer))),
    );
    socket.write(bytes);
  });
}

function judgeAnswer({ isDamaged }: HttpCase, answer: string | null): void {
  if (answer === null || answer === '') {
    if (isDamaged) return;
    throw new Broken(`expected an answer, got ${answer === null ? 'silence' : 'the end of the connection'}`);
  }
  const [head = '', ...rest] = answer.split('\r\n\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  if (Number.isNaN(status)) throw new Broken(`expected an answer of HTTP, got ${answer.slice(0, 200)}`);
  const shown = `${status} ${rest.join('').slice(0, 300)}`;
  if (status >= 500 && !ALLOWED_5XX.has(status))
    throw new Broken(`expected no fault of the server, got ${shown}`);
  if (answer.includes(SECRET_KEY)) throw new Broken(`expected an answer without the key, got ${shown}`);
  if (status < 400 || !/content-type: application\/json/i.test(head)) return;
  // The body may be chunked. An error is one object.
  const body = rest.join('');
  const error = saidIn(fieldsIn(body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1)));
  const isHead = body === '';
  if (
    !isHead &&
    (typeof error !== 'string' || error === '' || FORGOTTEN.test(error.replace(/"[^"]*"?|got .*$/gs, '')))
  ) {
    throw new Broken(`expected an error that names the fault, got ${shown}`);
  }
}

/** The words of an error, which one vendor wraps in details. */
function saidIn({ error, message, err_msg, detail }: Fields): unknown {
  const [first = detail] = Array.isArray(detail) ? detail : [];
  return isFields(first) ? (first.message ?? first.msg) : (error ?? message ?? err_msg ?? first);
}
