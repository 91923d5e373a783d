import { seededRandom, shuffled } from '#lib/statistics/random.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { KEY_PLACEHOLDER } from '#protocol/core/frame.ts';
import { isFields } from '#protocol/core/json-frame.ts';
import { LOCAL_KEY } from '#protocol/core/servers.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { protocolOf } from '../../support/protocols.ts';
import { Broken } from '../fuzz-part.ts';
import { fieldsIn } from '../server/client-scripts.ts';
import { type HttpCall, isUpgrade, requestBytes, VALID_CALLS } from '../server/http-calls.ts';
import { answerTo } from '../server/http-part.ts';
import {
  ANSWERS_WITHIN_MS,
  type Attack,
  addressOf,
  all,
  converse,
  MIB,
  type Target,
} from './attack-tools.ts';
import { SHAPES, sized } from './shapes.ts';

/** Every field of every message, header and body, with a value of each shape. */

/** Messages and bodies at once. */
const LANES = 6;
/** Node reads heads of 16 KiB. */
const HEADER_CHARS = 15_000;
/** Refusals of a size, which name what is allowed. */
const OF_SIZE = /\b(?:too (?:long|large|many|deep|big)|at most|limit|exceed|maximum)/i;

interface Hostile {
  what: string;
  send(target: Target): Promise<void>;
}

/** Replaces one value after the other, also in objects and lists. */
function* withEachValue(
  value: unknown,
  nasty: string,
  path = '',
): Generator<{ path: string; value: unknown }> {
  if (path !== '') yield { path, value: nasty };
  if (Array.isArray(value)) {
    for (const inner of withEachValue(value[0], nasty, `${path}[0]`))
      yield { path: inner.path, value: [inner.value, ...value.slice(1)] };
  } else if (isFields(value)) {
    for (const [name, own] of Object.entries(value))
      for (const inner of withEachValue(own, nasty, `${path}.${name}`))
        yield { path: inner.path, value: { ...value, [name]: inner.value } };
    yield { path: `${path}.{name}`, value: { ...value, [nasty]: 1 } };
  }
}

function checkRefusal(what: string, answer: string): void {
  const words = answer.slice(0, 2000);
  if (OF_SIZE.test(words) && !/\d/.test(words.replace(/^HTTP\/1\.1 \d+[^\r]*/, '')))
    throw new Broken(`${what}: expected a refusal that names the limit, got ${words.slice(0, 300)}`);
  if (/^HTTP\/1\.1 5(?!01|03)/.test(words))
    throw new Broken(`${what}: expected no fault, got ${words.slice(0, 200)}`);
}

const ofMessages = (endpoint: Endpoint, nasty: string, shape: string): Hostile[] =>
  protocolOf(endpoint).templates.flatMap(({ title, frame }) => {
    const valid = JSON.parse(JSON.stringify(frame).replaceAll(KEY_PLACEHOLDER, LOCAL_KEY)) as unknown;
    return [...withEachValue(valid, nasty)].map(({ path, value }) => {
      const what = `${endpoint.id}, ${title}${path}, ${shape}`;
      return {
        what,
        send: async (target) => checkRefusal(what, await converse(target, endpoint, [JSON.stringify(value)])),
      };
    });
  });

const call = (what: string, make: () => HttpCall): Hostile => ({
  what,
  async send(target) {
    const address = addressOf(target);
    const bytes = requestBytes(make(), `${address.host}:${address.port}`);
    checkRefusal(what, (await answerTo(bytes, address, ANSWERS_WITHIN_MS)) ?? '');
  },
});

const ofBody = (valid: HttpCall, nasty: string, shape: string): Hostile[] =>
  [...withEachValue(fieldsIn(valid.body), nasty)].map(({ path, value }) =>
    call(`${valid.method} ${valid.target}${path}, ${shape}`, () => ({
      ...valid,
      body: JSON.stringify(value),
    })),
  );

/** Headers that the server or its libraries read, beside those of the valid calls. */
const READ_HEADERS = [
  ...[
    'Connection',
    'Origin',
    'Accept',
    'Accept-Encoding',
    'Content-Type',
    'Range',
    'If-None-Match',
    'Cookie',
  ],
  ...['Authorization', 'X-API-Key', 'Forwarded', 'Sec-WebSocket-Protocol', 'Sec-WebSocket-Extensions', 'TE'],
];

const ofHeaders = (valid: HttpCall, nasty: string, shape: string): Hostile[] => {
  const names = [...new Set([...READ_HEADERS, ...valid.headers.map((line) => line.split(':')[0] ?? '')])];
  // A line break would begin another header.
  const value = Buffer.from(nasty)
    .toString('latin1')
    .replace(/[^\t\x20-\x7e\xa0-\xff]+/g, ' ')
    .slice(0, HEADER_CHARS);
  return names.map((name) => {
    const others = valid.headers.filter((line) => !line.startsWith(`${name}:`));
    const made = () => ({ ...valid, headers: [...others, `${name}: ${value}`] });
    return call(`${valid.method} ${valid.target.split('?')[0]}, ${name}, ${shape}`, made);
  });
};

const SEED = 43;

/** Sends each value once, in a shuffled order, however long it takes. */
const sendsAll =
  (make: (nasty: (bytes: number) => string, shape: string) => Hostile[]): Attack =>
  (target) => {
    const hostile = Object.entries(SHAPES).flatMap(([name, shape], at) =>
      make((bytes) => sized(shape, bytes, SEED + at), name),
    );
    // Values of one shape do not come one after the other.
    const queue = shuffled(hostile, seededRandom(SEED)).values();
    return all(
      Array.from({ length: LANES }, async () => {
        for (const one of queue) await one.send(target);
      }),
    );
  };

/** Below the limit of a message of every endpoint. */
const TEXT_BYTES = 0.95 * MIB;
const withBody = VALID_CALLS.filter(({ body }) => body.startsWith('{'));
/** One of each method and path, because nothing else decides who reads a head. */
const withHead = [
  ...new Map(
    VALID_CALLS.filter(
      (valid) => isUpgrade(valid) || valid.body !== '' || valid.target.startsWith('/relay'),
    ).map((valid) => [`${valid.method} ${valid.target.split('?')[0]}`, valid]),
  ).values(),
];

/** By name: one for each endpoint, one for bodies of calls, one for headers. They end by themselves. */
export const GENERATED: Readonly<Record<string, Attack>> = {
  ...Object.fromEntries(
    ENDPOINTS.map((endpoint) => [
      `fields of ${endpoint.id}`,
      sendsAll((nasty, shape) => ofMessages(endpoint, nasty(TEXT_BYTES), shape)),
    ]),
  ),
  'fields of calls': sendsAll((nasty, shape) =>
    withBody.flatMap((valid) => ofBody(valid, nasty(TEXT_BYTES), shape)),
  ),
  headers: sendsAll((nasty, shape) =>
    withHead.flatMap((valid) => ofHeaders(valid, nasty(HEADER_CHARS), shape)),
  ),
};
