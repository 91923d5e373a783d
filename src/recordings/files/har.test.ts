import { Ajv } from 'ajv';
import draft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import harSchemas from 'har-schema';
import { describe, expect, it } from 'vitest';
import { ENDPOINTS } from '#protocol/registry.ts';
import { openingOf } from '#trace/connection.ts';
import type { RecordEntry, RecordingInfo } from '#trace/entry.ts';
import { ImportError } from '#trace/files/import-error.ts';
import { anyEntries, entriesOf, infoOf, joinedText } from '#trace/files/testing/recordings.ts';
import { type HarLimits, readHar } from './har-reader.ts';
import { writeHar } from './har-writer.ts';
import { devToolsHar, socketEntry } from './testing/devtools-har.ts';

const written = (entries: readonly RecordEntry[], more: Partial<RecordingInfo> = {}) =>
  joinedText(writeHar(infoOf(entries, more), () => entries));

function errorOf(text: string, limits: Partial<HarLimits> = {}): ImportError {
  try {
    readHar(text, limits);
  } catch (error) {
    if (error instanceof ImportError) return error;
    throw error;
  }
  throw new Error('It was read without an error.');
}

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addMetaSchema(draft06);
for (const schema of Object.values(harSchemas)) ajv.addSchema(schema);

/** What the published schema of HAR 1.2 says of a file. */
function schemaErrors(text: string): unknown {
  const validate = ajv.getSchema('har.json');
  if (!validate) throw new Error('The schema of a whole file is missing.');
  return validate(JSON.parse(text)) ? null : validate.errors;
}

type Loose = Parameters<typeof entriesOf>[0][number];

const notes = { connection: 1, kind: 'say', turn: null, context: null, chunk: null, audioMs: null };
const sent = (payload: Loose['payload'], more: Partial<Loose> = {}): Loose => ({
  ...notes,
  gapUs: 1000,
  direction: 'out',
  opcode: typeof payload === 'string' ? 'text' : 'binary',
  payload,
  ...more,
});
const event = (kind: string, payload: string, more: Partial<Loose> = {}): Loose =>
  sent(payload, { direction: 'connection', opcode: 'none', kind, ...more });

const SESSION = entriesOf([
  event('opening', '{"address":"x"}', { gapUs: 0 }),
  sent('{"text":"Grüße"}', { gapUs: 900 }),
  sent(new Uint8Array([0, 255, 7]), { gapUs: 1500, direction: 'in' }),
  event('opening', '', { gapUs: 100, connection: 2 }),
]);

describe('a HAR file of ours', () => {
  it('fits the published schema of HAR 1.2', async () => {
    await fc.assert(
      fc.asyncProperty(anyEntries, async (entries) => {
        expect(schemaErrors(await written(entries))).toBeNull();
      }),
    );
  });

  it.each(['wss://h/p?api_key=[key]', 'ws://[::1]:4173/kugel/ws', 'no address', '', 'wss://ü.example/ö?x=%'])(
    'fits it with the address %j, and keeps that as it is',
    async (address) => {
      const text = await written(SESSION, { address });
      expect(schemaErrors(text)).toBeNull();
      expect(readHar(text).recordings[0]?.info.address).toBe(address);
    },
  );

  it('the schema does find fault', async () => {
    expect(schemaErrors((await written(SESSION)).replace('"queryString"', '"other"'))).not.toBeNull();
  });

  it('carries messages as DevTools writes them, a connection an entry', async () => {
    const { log } = JSON.parse(await written(SESSION)) as {
      log: {
        entries: { _resourceType: string; _webSocketMessages: object[]; response: { status: number } }[];
      };
    };
    expect(log.entries.map((entry) => entry.response.status)).toEqual([101, 0]);
    expect(log.entries[0]?._resourceType).toBe('websocket');
    expect(log.entries[0]?._webSocketMessages).toMatchObject([
      { type: 'send', time: 1_790_000_000.12415, opcode: 1, data: '{"text":"Grüße"}' },
      { type: 'receive', time: 1_790_000_000.12565, opcode: 2, data: 'AP8H' },
    ]);
  });

  it('opens again with nothing lost', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyEntries.filter(({ length }) => length > 0),
        async (entries) => {
          expect(readHar(await written(entries))).toEqual({
            recordings: [{ info: infoOf(entries), entries }],
            addresses: 1,
            notes: [],
          });
        },
      ),
    );
  });

  it('reads the entries of each connection once more, not all of them', async () => {
    const many = Array.from(
      { length: 1000 },
      (_, index) => ({ ...SESSION[1], index, connection: 1 + (index % 100) }) as RecordEntry,
    );
    let visited = 0;
    const pieces = writeHar(infoOf(many), function* (indexes) {
      for (const entry of indexes?.map((at) => many[at] as RecordEntry) ?? many) {
        visited += 1;
        yield entry;
      }
    });
    expect(readHar(await joinedText(pieces)).recordings[0]?.entries).toEqual(many);
    expect(visited).toBe(2000);
  });

  it('is written in pieces, from entries that are gone through and not kept', async () => {
    const many = Array.from({ length: 20_000 }, (_, index) => ({ ...SESSION[1], index }) as RecordEntry);
    const sizes: number[] = [];
    for await (const piece of writeHar(infoOf(many), () => many)) sizes.push(piece.length);
    expect(Math.max(...sizes)).toBeLessThan(70_000);
  });
});

describe('a HAR file of REST calls', () => {
  const api = { endpoint: 'kugel-rest', address: 'http://h/kugel' };
  const json = (value: object) => JSON.stringify(value);
  const bytes = { bytes: 0 };
  const request = (method: string, path: string, headers: object) => json({ method, path, headers });
  const answered = { turn: 1, direction: 'in' } as const;
  const CALLS = entriesOf([
    event('opening', '{"address":"http://h/kugel"}'),
    sent(request('POST', '/v1/tts/generate?x=[key]', { 'content-type': 'application/json' }), {
      kind: 'request',
      turn: 1,
    }),
    sent(request('GET', '/v1/models', {}), { kind: 'request', turn: 2 }),
    sent('{"text":"Grüße"}', { kind: 'body', turn: 1 }),
    sent(json({ status: 200, reason: 'OK', headers: { 'content-type': 'audio/pcm', location: '/x' } }), {
      ...answered,
      kind: 'response',
    }),
    sent(new Uint8Array([0, 255]), { ...answered, kind: 'body' }),
    sent(new Uint8Array([7]), { ...answered, kind: 'body' }),
    event('ended', json({ how: 'complete', sent: { bytes: 18 }, received: { bytes: 3 } }), { turn: 1 }),
    event('ended', json({ how: 'the client left', sent: bytes, received: bytes }), { turn: 2 }),
  ]);

  it('has an entry for each, as browsers write them', async () => {
    const text = await written(CALLS, api);
    expect(schemaErrors(text)).toBeNull();
    const { entries } = JSON.parse(text).log;
    expect(entries).toMatchObject([
      {
        time: 6,
        request: {
          method: 'POST',
          url: 'http://h/kugel/v1/tts/generate?x=%5Bkey%5D',
          headers: [{ name: 'content-type', value: 'application/json' }],
          queryString: [{ name: 'x', value: '[key]' }],
          postData: { mimeType: 'application/json', text: '{"text":"Grüße"}' },
          bodySize: 18,
        },
        response: {
          status: 200,
          statusText: 'OK',
          content: { size: 3, mimeType: 'audio/pcm', text: 'AP8H', encoding: 'base64' },
          redirectURL: '/x',
          comment: 'complete',
        },
        timings: { wait: 3, receive: 3 },
      },
      {
        request: { method: 'GET', url: 'http://h/kugel/v1/models' },
        response: { status: 0, comment: 'the client left' },
      },
    ]);
    expect(entries[1].request).not.toHaveProperty('postData');
  });

  it('opens again with nothing lost', async () => {
    const read = readHar(await written(CALLS, api));
    expect(read).toEqual({
      recordings: [{ info: infoOf(CALLS, api), entries: CALLS }],
      addresses: 1,
      notes: [],
    });
  });

  it('fits the schema and opens again, for any file of another program', async () => {
    const ofCalls = anyEntries
      .map((entries) => entries.map((entry): RecordEntry => ({ ...entry, connection: 1 })))
      .filter((entries) => entries.some(({ turn }) => turn !== null));
    await fc.assert(
      fc.asyncProperty(ofCalls, async (entries) => {
        const text = await written(entries, api);
        expect(schemaErrors(text)).toBeNull();
        expect(readHar(text).recordings[0]?.entries).toEqual(entries);
      }),
    );
  });

  it('is none where the recording has no call', async () => {
    await expect(written(CALLS.slice(0, 1), api)).rejects.toThrow('no call');
  });
});

const KEY = 'ka_canary/42+x';
const AUDIO = '{"audio":"AAAAAAAAAAA=","enc":"pcm_s16le","idx":0,"sr":8000,"samples":4,"chunk_id":3}';

/** A message as DevTools writes it, at a time in seconds. */
const message = (time: number, data: string, more: { type?: string; opcode?: number } = {}) => ({
  type: 'receive',
  time: 1_790_000_000 + time,
  opcode: 1,
  data,
  ...more,
});
const send = { type: 'send' };
const readSockets = (...sockets: object[]) => readHar(devToolsHar(sockets));
/** The stored payload of a frame that was sent. */
const importedPayload = (data: string) =>
  readSockets(socketEntry('wss://h/p', [message(1, data, send)])).recordings[0]?.entries[1]?.payload;

const encodedKey = encodeURIComponent(KEY);
const authorization = { headers: [{ name: 'Authorization', value: `Bearer ${KEY}` }] };

const kugelSocket = socketEntry(
  `wss://user:${'pass'}word@api.kugelaudio.com/ws/tts/stream?api_key=${encodedKey}`,
  [
    message(1.5, `{"api_key": "${KEY}", "voice_id": 1071}`, send),
    message(1.75, `{"error":"No such key: ${KEY}"}`),
    message(2, AUDIO),
    message(2, '', { opcode: 9 }),
    message(2, 'AP8H', { opcode: 2 }),
  ],
  { ...authorization, startedDateTime: '2026-09-21T14:13:21.000Z' },
);
const hmrSocket = socketEntry('wss://app.example/hmr', [message(0, '{"type":"connected"}')]);
const silentSocket = socketEntry('wss://app.example/silent', []);

describe('a HAR file from DevTools', () => {
  const { recordings, notes: left } = readSockets(kugelSocket, silentSocket, hmrSocket);

  it('gives a recording for each endpoint that has messages, a known one first', () => {
    expect(recordings.map(({ info }) => [info.address, info.endpoint])).toEqual([
      ['wss://api.kugelaudio.com/ws/tts/stream', 'kugel-stream'],
      ['wss://app.example/hmr', ''],
    ]);
    expect(left).toEqual([
      '1 message left out: neither text nor binary.',
      '1 WebSocket left out: no messages.',
    ]);
  });

  it('returns kind, time and audio length of each frame', () => {
    const entries = recordings[0]?.entries ?? [];
    expect(entries.map(({ index, atUs, direction, kind }) => [index, atUs, direction, kind])).toEqual([
      [0, 0, 'connection', 'opening'],
      [1, 500_000, 'out', 'open'],
      [2, 750_000, 'in', 'error'],
      [3, 1_000_000, 'in', 'audio'],
      [4, 1_000_000, 'in', 'malformed'],
    ]);
    expect(entries[3]).toMatchObject({ chunk: 3, audioMs: 0.5, opcode: 'text', bytes: AUDIO.length });
    expect(entries[4]?.payload).toEqual(new Uint8Array([0, 255, 7]));
  });

  it('has no key in it, whether it was in address, header, frame or an error that repeats it', () => {
    const all = JSON.stringify(recordings);
    for (const form of [KEY, encodedKey, btoa(KEY), 'password']) expect(all).not.toContain(form);
    expect(recordings[0]?.entries[1]?.payload).toBe('{"api_key": "[key]", "voice_id": 1071}');
    expect(recordings[0]?.entries[2]?.payload).toBe('{"error":"No such key: [key]"}');
  });

  describe('with a key that only its last socket names', () => {
    const repeated = [
      message(1, `{"error":"No such key: ${KEY}","context_id":"${KEY}"}`),
      message(2, btoa(`=${KEY}=`), { opcode: 2 }),
    ];
    const host = 'wss://api.kugelaudio.com';
    const kugel = (messages: object[], query = '') => socketEntry(`${host}/ws/tts/multi/${query}`, messages);
    const escaped = KEY.replace('/', '\\/').replace('k', '\\u006b');
    const call = (...args: Parameters<typeof socketEntry>): object => ({
      ...socketEntry(...args),
      _webSocketMessages: undefined,
    });
    const header = { headers: [{ name: 'X-API-Key', value: KEY }] };
    const naming: [string, object][] = [
      ['address', kugel([], `?api_key=${encodedKey}`)],
      ['address elsewhere', socketEntry(`wss://app.example/?token=${encodedKey}`, [])],
      ['first frame', kugel([message(3, JSON.stringify({ api_key: KEY }))])],
      ['first frame, escaped', kugel([message(3, `{"api_key":"${escaped}"}`)])],
      ['header of a call of the same host', call(`${host}/v1/voices`, [], header)],
      ['address of a call of the same host', call(`${host}/v1/voices?master_key=${encodedKey}`, [])],
      ['header of the handshake', socketEntry(`${host}/ws/tts/multi/`, [], authorization)],
      [
        'subprotocol',
        socketEntry(`${host}/ws/tts/multi/`, [], {
          headers: [{ name: 'Sec-WebSocket-Protocol', value: `token, ${KEY}` }],
        }),
      ],
      ['first frame elsewhere', socketEntry('wss://app.example/', [message(3, `{"api_key":"${KEY}"}`)])],
    ];

    it.each(naming)('has it nowhere: %s', (_, last) => {
      const imported = readSockets(kugel(repeated), last).recordings;
      const [frame, binary] = imported[0]?.entries.filter(({ direction }) => direction === 'in') ?? [];
      expect(frame).toMatchObject({ payload: '{"error":"No such key: [key]","context_id":"[key]"}' });
      expect(new TextDecoder().decode(binary?.payload as Uint8Array)).toBe(`=${'*'.repeat(KEY.length)}=`);
      expect(JSON.stringify(imported)).not.toContain(KEY);
    });
  });

  it('replaces a longer key whole where it begins with a shorter one', () => {
    const [first, second] = ['ka_12345678', 'ka_12345678_more'];
    const data = { note: `${second} ${first}`, deep: { api_key: first, access_token: second } };
    const clean = { note: '[key] [key]', deep: { api_key: '[key]', access_token: '[key]' } };
    expect(importedPayload(JSON.stringify(data))).toBe(JSON.stringify(clean));
  });

  it('says where it names more keys than can be looked for, and knows those of the same socket', () => {
    const naming = Array.from({ length: 17 }, (_, i) =>
      socketEntry(`wss://other.example/${i}?token=some-token-${i}`, []),
    );
    const own = socketEntry(`wss://h/p?token=${encodedKey}`, [message(1, `some-token-3 ${KEY}`, send)]);
    const { recordings: read, notes } = readSockets(...naming, own);
    expect(read[0]?.entries[1]?.payload).toBe('[key] [key]');
    expect(notes).toContainEqual(expect.stringMatching(/^It names more than 16 secrets\./));
    expect(readSockets(naming[0] ?? {}, own).notes).toHaveLength(1);
  });

  it('is not kept busy by a secret of a megabyte', () => {
    expect(importedPayload(JSON.stringify({ api_key: 'x'.repeat(2 ** 20) }))).toBe('{"api_key":"[key]"}');
  });

  it.each(['k', '/', 'ü', '😀'])('replaces a key of 4,096 times %s', (character) => {
    const key = character.repeat(4096 / character.length);
    const clean = importedPayload(JSON.stringify({ note: key, api_key: key }));
    expect(clean).toBe('{"note":"[key]","api_key":"[key]"}');
  });

  describe('of several connections', () => {
    const begun = { startedDateTime: '2030-01-01T00:00:00.000Z' };
    const kugelAt = (host: string, ...times: number[]) =>
      socketEntry(
        `wss://${host}/ws/tts/stream`,
        times.map((time) => message(time, AUDIO)),
        begun,
      );
    const spoken = message(2.5, '{"type":"audio","chunk":"AAAAAAAAAAA=","context_id":"x"}');
    const murmr = socketEntry('wss://api.murmr.dev/v1/realtime', [spoken], begun);
    const shape = ({ entries }: { entries: readonly RecordEntry[] }) =>
      entries.map(({ connection, kind, turn, atUs }) => `${connection} ${kind} ${turn} ${atUs / 1e6}`);

    it('of one endpoint has them in one recording: each with its address, turns in the order of time', () => {
      const sockets = [kugelAt('late.example', 2, 4), kugelAt('early.example', 1, 3)];
      const { recordings: read, addresses } = readSockets(...sockets);
      expect(read.map(shape)).toEqual([
        ['1 opening null 0', '1 audio 1 0', '2 opening null 1', '2 audio 2 1', '1 audio 1 2', '2 audio 2 3'],
      ]);
      const [recording] = read;
      expect(recording?.info.address).toBe('wss://early.example/ws/tts/stream');
      expect(recording?.entries.flatMap((entry) => openingOf(entry)?.address ?? [])).toEqual([
        'wss://early.example/ws/tts/stream',
        'wss://late.example/ws/tts/stream',
      ]);
      expect(addresses).toBe(2);
    });

    it('of several endpoints is decoded as each would be alone', () => {
      const sockets = [kugelAt('a.example', 1, 3), murmr, kugelAt('b.example', 2, 4), hmrSocket];
      const { recordings: mixed } = readSockets(...sockets);
      const alone = [[sockets[0], sockets[2]], [murmr], [hmrSocket]].map(
        (some) => readHar(devToolsHar(some as object[])).recordings[0],
      );
      expect(mixed).toEqual(alone);
      expect(mixed.map(({ info }) => info.endpoint)).toEqual(['kugel-stream', 'murmr', '']);
      const counted = mixed.reduce((sum, { entries }) => sum + entries.length, 0);
      expect(counted).toBe(sockets.length + 6);
    });

    it('is split by address where that is asked for', () => {
      const sockets = [kugelAt('a.example', 1), kugelAt('b.example', 2), kugelAt('a.example', 3)];
      const split = readHar(devToolsHar(sockets), {}, 'address').recordings;
      expect(split.map(({ info, entries }) => [info.address, entries.length])).toEqual([
        ['wss://a.example/ws/tts/stream', 4],
        ['wss://b.example/ws/tts/stream', 2],
      ]);
    });

    it('keeps the address of each in a HAR file of ours', async () => {
      const sockets = [kugelAt('a.example', 1), kugelAt('b.example', 2)];
      const [recording] = readSockets(...sockets).recordings;
      if (!recording) throw new Error('Nothing was read.');
      const { log } = JSON.parse(await joinedText(writeHar(recording.info, () => recording.entries))) as {
        log: { entries: { request: { url: string } }[] };
      };
      expect(log.entries.map(({ request }) => request.url)).toEqual([
        'wss://a.example/ws/tts/stream',
        'wss://b.example/ws/tts/stream',
      ]);
    });
  });

  it('opens a connection before its earliest message, also where messages are not in the order of time', () => {
    const times = [9, 2, 5].map((time) => message(time, 'x'));
    const socket = socketEntry('wss://a/', times, { startedDateTime: '2030-01-01T00:00:00Z' });
    const [read] = readSockets(socket).recordings;
    expect(read?.entries.map(({ kind, atUs }) => [kind === 'opening', atUs / 1e6])).toEqual([
      [true, 0],
      [false, 0],
      [false, 3],
      [false, 7],
    ]);
  });

  it('counts connections to one address, and numbers them', () => {
    const startedDateTime = '2026-09-21T14:13:28.000Z';
    const again = socketEntry('wss://app.example/hmr?token=abc', [message(9, 'x', send)], {
      startedDateTime,
    });
    const [both] = readSockets(hmrSocket, again).recordings;
    expect(both?.entries.map(({ connection, atUs }) => [connection, atUs])).toEqual([
      [1, 0],
      [1, 0],
      [2, 8_000_000],
      [2, 9_000_000],
    ]);
  });

  it('can be turned into our own and back', async () => {
    for (const { info, entries } of recordings) {
      expect(readHar(await joinedText(writeHar(info, () => entries))).recordings).toEqual([
        { info, entries },
      ]);
    }
  });
});

describe('hostile HAR files', () => {
  const withMessage = (message: unknown) => devToolsHar([socketEntry('wss://h/p', [message as object])]);
  const good = { type: 'send', time: 1, opcode: 1, data: 'x' };

  it.each<[string, unknown, string, string]>([
    ['a time in words', { ...good, time: 'noon' }, '.time', 'a number'],
    ['a time before 1970', { ...good, time: -5 }, '.time', 'at least 0'],
    ['a time that no clock tells', { ...good, time: 1e308 }, '.time', 'at most 9000000000'],
    ['an opcode that is none', { ...good, opcode: null }, '.opcode', 'a number'],
    ['no data', { ...good, data: undefined }, '.data', 'a string'],
    ['bytes that are no base64', { ...good, opcode: 2, data: '<b>' }, '.data', 'base64, as the opcode is 2'],
    ['a message that is none', 7, '', 'an object'],
  ])('refuses %s and says in which line', (_, message, path, expected) => {
    const text = withMessage(message);
    const error = errorOf(text);
    expect(error.place.path).toBe(`log.entries[1]._webSocketMessages[0]${path}`);
    expect(error.expected).toBe(expected);
    const line = text.split('\n')[error.place.line - 1] ?? '';
    if (path !== '' && path !== '.data') expect(line).toContain(`"${path.slice(1)}"`);
  });

  it.each<[string, string, Partial<HarLimits>, string]>([
    ['nothing', '', {}, 'a value'],
    ['HTML', '<html>', {}, 'a value'],
    ['JSON of another kind', '{"a":1}', {}, 'an object'],
    ['entries that are no list', '{"log":{"entries":{}}}', {}, 'an array'],
    ['no socket', devToolsHar([]), {}, 'a WebSocket with messages'],
    ['a file cut off', withMessage(good).slice(0, -20), {}, 'a comma or a closing brace'],
    ['great depth', `{"log":${'['.repeat(1e6)}`, {}, 'at most 200 lists and objects inside one another'],
    ['many values', `{"log":[${'1,'.repeat(1000)}1]}`, { values: 100 }, 'at most 100 values'],
    ['great size', withMessage(good), { chars: 100 }, 'at most 100 characters'],
    ['many messages', withMessage(good), { entries: 1 }, 'at most 1 entry'],
    ['many names', withMessage(good), { names: 0 }, 'at most 0 different kinds and contexts'],
  ])('refuses %s', (_, text, limits, expected) => {
    expect(errorOf(text, limits).expected).toBe(expected);
  });

  it.each<[string, Partial<HarLimits>, string, string]>([
    ['sockets', { sockets: 4 }, 'at most 4 WebSockets with messages', '5'],
    ['entries', { entries: 9 }, 'at most 9 entries', '10'],
    ['addresses', { recordings: 4 }, 'at most 4 addresses', '5'],
  ])('names the limit of %s and the number found', (_, limits, expected, found) => {
    const sockets = Array.from({ length: 5 }, (_, i) => socketEntry(`wss://h/${i}`, [good]));
    const text = devToolsHar([...sockets, socketEntry('wss://h/silent', [])]);
    expect(() => readHar(text, limits, 'address')).toThrow(
      expect.objectContaining({ expected, found, place: expect.objectContaining({ path: 'log.entries' }) }),
    );
  });

  it('a socket that says it was opened before any clock is taken to have been opened with its first message', () => {
    const socket = socketEntry('wss://h/p', [good], { startedDateTime: '-271821-04-20T00:00:00.000Z' });
    const [recording] = readHar(devToolsHar([socket])).recordings;
    expect(recording?.info.startedAtMs).toBe(1000);
    expect(recording?.entries.map(({ atUs }) => atUs)).toEqual([0, 0]);
  });

  it.each(['__proto__', 'constructor', 'toString'])('a key named %s does nothing', (key) => {
    const text = withMessage(good).replace('"type": "send"', `"type": "send", "${key}": {"polluted": 1}`);
    expect(readHar(text).recordings[0]?.entries).toHaveLength(2);
    expect('polluted' in {}).toBe(false);
  });

  it.each<[string, (text: string) => string, string]>([
    ['an index that is missing', (text) => text.replace('"index":1', '"index":7'), 'an entry of index 1'],
    ['an index that comes twice', (text) => text.replace('"index":1', '"index":2'), 'an index of its own'],
    [
      'an index out of reach',
      (text) => text.replace('"index":1', '"index":4000000000'),
      'at most 2,000,000 entries',
    ],
    [
      'times that run backwards',
      (text) => text.replace('"atUs":900', '"atUs":9000'),
      'times in the order of their indexes',
    ],
    ['a version to come', (text) => text.replace('"version":1,"info"', '"version":2,"info"'), '1'],
  ])('refuses one of ours with %s', async (_, change, expected) => {
    const text = await written(SESSION);
    expect(change(text)).not.toBe(text);
    expect(errorOf(change(text)).expected).toBe(expected);
  });
});

describe('a HAR file with damaged parts', () => {
  const host = 'wss://api.kugelaudio.com/ws/tts/stream';
  const said = message(1, '{"text":"Hi.","flush":true}', send);
  const heard = message(2, AUDIO);
  const whole = () => socketEntry(host, [said, heard]) as Record<string, unknown>;
  const kinds = (har: string) =>
    readHar(har).recordings.flatMap(({ entries }) => entries.map(({ kind }) => kind));
  const GOOD = ['opening', 'say', 'audio'];

  it.each<[string, unknown]>([
    ['null', null],
    ['missing', undefined],
    ['an empty list', []],
  ])('skips an entry whose messages are %s, as of no socket', (_, messages) => {
    const other = { ...whole(), _webSocketMessages: messages };
    const read = readHar(devToolsHar([other, whole()]));
    expect(read.recordings[0]?.entries).toHaveLength(3);
    expect(read.missing).toBeUndefined();
  });

  it.each<[string, unknown, string, string]>([
    ['null', null, '', 'an object, found null'],
    ['a number', 7, '', 'an object, found 7'],
    ['a list', [], '', 'an object'],
    ['messages as text', { ...whole(), _webSocketMessages: 'x' }, '._webSocketMessages', 'an array'],
    ['messages as an object', { ...whole(), _webSocketMessages: {} }, '._webSocketMessages', 'an array'],
  ])('names an entry that is damaged: %s', (_, entry, path, words) => {
    const har = devToolsHar([entry as object, whole()]);
    expect(kinds(har)).toEqual(GOOD);
    expect(readHar(har).missing).toEqual([
      expect.stringMatching(
        new RegExp(`^Line \\d+, column \\d+, log\\.entries\\[1\\]${path}: expected ${words}.*`),
      ),
    ]);
  });

  it.each<[string, object, string]>([
    ['no request', { request: undefined }, 'request'],
    ['a request of null', { request: null }, 'request'],
    ['no address', { request: {} }, 'request.url'],
    ['a number as address', { request: { url: 7 } }, 'request.url'],
    ['a number as date', { startedDateTime: 7 }, 'startedDateTime'],
  ])('opens a socket with %s, and names it', (_, change, path) => {
    const read = readHar(devToolsHar([{ ...whole(), ...change }]));
    expect(read.recordings[0]?.entries).toHaveLength(3);
    expect(read.missing).toEqual([expect.stringContaining(`log.entries[1].${path}: expected `)]);
  });

  it('has a mark in place of damaged messages, so that nothing is judged behind them', () => {
    const [recording] = readSockets(
      socketEntry(host, [{ ...said, time: null }, null as unknown as object, heard, { ...heard, data: 7 }]),
    ).recordings;
    expect(recording?.entries.map(({ kind, payload }) => [kind, kind === 'lost' && payload])).toEqual([
      ['opening', false],
      ['lost', '{"entries":2}'],
      ['audio', false],
      ['lost', '{"entries":1}'],
    ]);
  });

  it.each<[string, object]>([
    ['without data', { type: 'receive', time: 1.5, opcode: 9 }],
    ['with data of null', { type: 'send', time: 1.5, opcode: 10, data: null }],
    ['without a time', { type: 'send', opcode: 9 }],
    ['without anything else', { opcode: 9 }],
    ['with wrong types', { type: 5, time: 'x', opcode: 9, data: {} }],
  ])('skips a ping or pong %s', (_, ping) => {
    const read = readHar(devToolsHar([socketEntry(host, [said, ping, heard])]));
    expect(read.recordings[0]?.entries.map(({ kind }) => kind)).toEqual(GOOD);
    expect(read.missing).toBeUndefined();
    expect(read.notes).toEqual(['1 message left out: neither text nor binary.']);
  });

  const bytesOf = (code: number, reason = '') =>
    btoa(String.fromCharCode(code >> 8, code & 255, ...new TextEncoder().encode(reason)));
  it.each<[string, object, number, string]>([
    ['as base64', { data: bytesOf(4003, 'no credits') }, 4003, 'no credits'],
    ['as base64 without a reason', { data: bytesOf(1000) }, 1000, ''],
    ['as one character a byte', { data: '\u0003\u00e9bye' }, 1001, 'bye'],
    ['in words', { data: '4029' }, 4029, ''],
    ['in words with a reason', { data: '1011: server error' }, 1011, 'server error'],
    ['in a field', { data: '', code: 4500, reason: 'busy' }, 4500, 'busy'],
    ['nowhere', { data: '' }, 1005, ''],
    ['nowhere, without data', {}, 1005, ''],
    ['of no meaning', { data: 'bye', code: 'x' }, 1005, ''],
    ['without a time', { time: undefined, data: bytesOf(4001) }, 4001, ''],
  ])('keeps the code of a close: %s', (_, close, code, reason) => {
    const socket = socketEntry(host, [
      said,
      heard,
      { type: 'receive', time: 1_790_000_003, opcode: 8, ...close },
    ]);
    const last = readSockets(socket).recordings[0]?.entries.at(-1);
    expect(last).toMatchObject({ kind: 'closed', direction: 'connection', opcode: 'none' });
    expect(JSON.parse(String(last?.payload))).toEqual({ code, reason, asked: false, left: false });
  });

  it('keeps the first of two closes, and who closed', () => {
    const closes = [
      message(3, bytesOf(1000), { ...send, opcode: 8 }),
      message(3.1, bytesOf(1000), { opcode: 8 }),
    ];
    const entries = readSockets(socketEntry(host, [said, heard, ...closes])).recordings[0]?.entries ?? [];
    expect(entries.map(({ kind }) => kind)).toEqual([...GOOD, 'closed']);
    expect(JSON.parse(String(entries[3]?.payload))).toMatchObject({ code: 1000, asked: true });
  });

  it('has the close of a socket that the server refused at once', () => {
    const close = message(1, bytesOf(4001, 'bad key'), { opcode: 8 });
    expect(kinds(devToolsHar([socketEntry(host, [close])]))).toEqual(['opening', 'closed']);
  });

  const [noTime, noDate] = [{ time: undefined }, { startedDateTime: null as unknown as string }];
  const refused = message(1, bytesOf(4001, 'bad key'), { opcode: 8 });
  it.each<[string, object, string[]]>([
    ['alone', { ...socketEntry(host, [{ ...refused, ...noTime }]), ...noDate }, []],
    ['at a time', { ...socketEntry(host, [refused]), ...noDate }, ['opening', 'closed']],
    [
      'before messages',
      { ...socketEntry(host, [{ ...refused, ...noTime }, said]), ...noDate },
      ['opening', 'closed', 'sent'],
    ],
    [
      'behind damage',
      { ...socketEntry(host, [null as unknown as object, refused]), ...noDate },
      ['opening', 'lost', 'closed'],
    ],
  ])('never begins a recording in 1970: a close %s without a date', (_, socket, expected) => {
    const { recordings } = readHar(
      devToolsHar([whole(), { ...socket, request: { url: 'wss://else.example/x' } }]),
      {},
      'address',
    );
    expect(
      recordings.map(({ info }) => info.startedAtMs).filter((ms) => ms < Date.parse('2026-01-01')),
    ).toEqual([]);
    expect(recordings[1]?.entries.map(({ kind }) => kind) ?? []).toEqual(expected);
  });

  it('names three places, and counts further ones', () => {
    const broken = Array.from({ length: 9 }, () => ({ ...heard, opcode: '1' }));
    const { missing = [] } = readHar(devToolsHar([socketEntry(host, [said, ...broken])]));
    expect(missing).toHaveLength(4);
    expect(missing[0]).toContain('._webSocketMessages[1].opcode: expected a number, found "1"');
    expect(missing.at(-1)).toBe('6 further parts of the file are damaged.');
  });

  it('is read, or refused with a place, whatever its fields are', () => {
    const odd = fc.constantFrom<unknown[]>([undefined], [null], [7], ['x'], [true], [[]], [{}], [-1e9]);
    const fields = fc.constantFrom(
      ...['_webSocketMessages', 'request', 'startedDateTime', 'response', '_resourceType'].map((name) => [
        name,
      ]),
      ...['type', 'time', 'opcode', 'data'].map((name) => ['message', name]),
      ['request', 'url'],
      ['request', 'headers'],
      ['entry'],
      ['message'],
    );
    const change = fc.record({ entry: fc.nat(2), message: fc.nat(2), field: fields, odd });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 6 }), (changes) => {
        const sockets = Array.from({ length: 3 }, () =>
          JSON.parse(JSON.stringify(socketEntry(host, [said, heard, message(3, '{"x":1}')]))),
        );
        for (const { entry, message: at, field, odd } of changes) {
          const [value] = structuredClone(odd);
          const [first = '', second] = field;
          const socket = sockets[entry];
          if (first === 'entry') sockets[entry] = value;
          else if (typeof socket !== 'object' || socket === null) continue;
          else if (first === 'message' && Array.isArray(socket._webSocketMessages)) {
            const one = socket._webSocketMessages[at];
            if (second === undefined) socket._webSocketMessages[at] = value;
            else if (typeof one === 'object' && one !== null) one[second] = value;
          } else if (second === undefined) socket[first] = value;
          else if (typeof socket[first] === 'object' && socket[first] !== null) socket[first][second] = value;
        }
        const har = devToolsHar(sockets as object[]);
        const isMessage = (one: unknown) =>
          typeof one === 'object' &&
          one !== null &&
          'data' in one &&
          [said, heard, message(3, '{"x":1}')].some((good) => JSON.stringify(good) === JSON.stringify(one));
        const messages = sockets.flatMap((socket) =>
          Array.isArray(socket?._webSocketMessages) ? socket._webSocketMessages.filter(isMessage) : [],
        );
        let read: ReturnType<typeof readHar> | null = null;
        try {
          read = readHar(har);
        } catch (error) {
          expect(error).toBeInstanceOf(ImportError);
          expect(messages).toEqual([]);
          return;
        }
        const payloads = read.recordings
          .flatMap(({ entries }) => entries)
          .filter(({ direction }) => direction !== 'connection')
          .map(({ payload }) => payload);
        for (const { data } of messages) expect(payloads).toContain(data);
        if (read.recordings.some(({ entries }) => entries.some(({ kind }) => kind === 'lost')))
          expect(read.missing).not.toBeUndefined();
      }),
      { numRuns: 100 },
    );
  });
});

describe('the endpoint of a HAR file', () => {
  const openAi = socketEntry('wss://api.openai.com/v1/realtime?model=gpt-realtime', [
    message(1, '{"type":"session.update","session":{}}', send),
    message(2, '{"type":"session.created"}'),
  ]);
  const murmrAsked = ENDPOINTS.find(({ id }) => id === 'murmr') ?? null;
  const endpointsOf = (sockets: object[], asked: typeof murmrAsked = null) =>
    readHar(devToolsHar(sockets), {}, 'endpoint', () => {}, asked).recordings.map(
      ({ info }) => info.endpoint,
    );

  it('is none for OpenAI Realtime', () => {
    expect(endpointsOf([openAi])).toEqual(['']);
  });

  it('is the one that is asked for at its own path, or at any other where no socket has that', () => {
    expect(endpointsOf([openAi, hmrSocket], murmrAsked)).toEqual(['murmr', '']);
    expect(endpointsOf([hmrSocket], murmrAsked)).toEqual(['murmr']);
    expect(endpointsOf([kugelSocket], murmrAsked)).toEqual(['kugel-stream']);
  });
});
