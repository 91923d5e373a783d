import { beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { keylessAddress, programHandshakeOf } from '#protocol/core/address.ts';
import type { Intent, PageEndpointId } from '#protocol/core/endpoint.ts';
import { LOCAL_KEY } from '#protocol/core/servers.ts';
import { ONLY_CONTEXT } from '#protocol/core/speech-event.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { PAGE_ENDPOINTS } from '#protocol/registry.ts';
import { exampleVoice } from '#protocol/testing/example-voice.ts';
import type { Frame } from '../socket-client.test-helper.ts';
import { type Act, act, type Recorded, recorded, served } from './served.test-helper.ts';

const STREAM = '/kugel/ws/tts/stream?api_key=local';
const MULTI = '/kugel/ws/tts/multi?api_key=local';
const REALTIME = '/murmr/v1/realtime';
const SPEECH = '/elevenlabs/v1/text-to-speech/EXAVITQu4vr4xnSDxMaL';
const INPUT = `${SPEECH}/stream-input?model_id=eleven_flash_v2_5&output_format=pcm_24000`;
const CONTEXTS = `${SPEECH}/multi-stream-input?model_id=eleven_flash_v2_5&output_format=pcm_24000`;
const AURA = '/deepgram/v1/speak?model=aura-2-thalia-en&encoding=linear16&sample_rate=24000';
const FLUX = '/deepgram/v2/speak?model=flux-alexis-en&encoding=linear16&sample_rate=24000';
const SONIC = '/cartesia/tts/websocket?cartesia_version=2026-08-14&api_key=local';

/** Where a server takes the key from a header. */
const KEY = { headers: { Authorization: 'Token local' } };

const send = (frame: Frame | string): Act => ({ send: frame });
const VOICE = { voice_id: 1071, language: 'en' };

/** Places: 0 settings, 1 and 2 text, 3 flush, 5 text and flush of the second turn. */
const TALK: Act[] = [
  send(VOICE),
  send({ text: 'Good morning ' }),
  send({ text: 'to you all.' }),
  send({ flush: true }),
  { until: 'session_closed' },
  send({ text: 'And good night.', flush: true }),
  { until: 'session_closed', nth: 2 },
  'close',
];

const opening = (id: string, voice: number) =>
  send({ text: ' ', context_id: id, voice_settings: { voice_id: voice } });
const SCENE: Act[] = [
  opening('a', 1071),
  opening('b', 1072),
  send({ text: 'I am Anna.', context_id: 'a' }),
  send({ text: 'And I am Bert.', context_id: 'b' }),
  send({ flush: true, context_id: 'a' }),
  { until: 'final' },
  send({ flush: true, context_id: 'b' }),
  { until: 'final', nth: 2 },
  send({ close_context: true, context_id: 'a' }),
  { until: 'context_closed' },
  'close',
];

const REAL: Act[] = [
  send({ type: 'config', api_key: 'local', voice_description: 'A calm voice', language: 'English' }),
  { until: 'config_ack' },
  send({ type: 'text', text: 'Hello from here.' }),
  send({ type: 'flush' }),
  { until: 'done' },
  'close',
];

/** Places: 0 settings and key, 1 and 2 text, 3 flush, 4 the end. */
const ONE_TURN: Act[] = [
  send({ text: ' ', voice_settings: { stability: 0.4 }, xi_api_key: 'local' }),
  send({ text: 'Good morning ' }),
  send({ text: 'to you all. ' }),
  send({ text: ' ', flush: true }),
  send({ text: '' }),
  { until: 'final' },
];

const context = (id: string, text: string): Act[] => [
  send({ text: ' ', context_id: id, voice_settings: { stability: 0.4 }, xi_api_key: 'local' }),
  send({ text, context_id: id }),
  send({ context_id: id, flush: true }),
  send({ context_id: id, close_context: true }),
];
/** Places: 0 settings and key, 1 text, 2 flush, 3 close; 5 to 8 the same. */
const TWO_TURNS: Act[] = [
  ...context('a', 'I am the first. '),
  { until: 'final' },
  ...context('b', 'I am the second. '),
  { until: 'final', nth: 2 },
  send({ close_socket: true }),
];

/** Places: 0 and 1 text, 2 flush, 4 and 5 the second turn, 7 the end. `ends`: the frame with which a turn is over. */
const spoken = (ends: string): Act[] => [
  send({ type: 'Speak', text: 'Good morning ' }),
  send({ type: 'Speak', text: 'to you all.' }),
  send({ type: 'Flush' }),
  { until: ends },
  send({ type: 'Speak', text: 'And good night.' }),
  send({ type: 'Flush' }),
  { until: ends, nth: 2 },
  send({ type: 'Close' }),
];
const ON_V1 = spoken('Flushed');
const ON_V2 = spoken('SpeechMetadata');

const generation = (id: string, transcript: string, continues: boolean, fields: Frame = {}): Act =>
  send({
    model_id: 'sonic-3.6',
    voice: { mode: 'id', id: 'e07c00bc-4134-4eae-9ea4-1a55fb45746b' },
    output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 24_000 },
    context_id: id,
    transcript,
    continue: continues,
    ...fields,
  });
const FASTER = { generation_config: { speed: 1.2 } };
const CANCEL = { context_id: 'a', cancel: true };
/** Places: 0 and 1 text, 2 the end; 4 the second turn. */
const GENERATIONS: Act[] = [
  generation('a', 'Good morning ', true),
  generation('a', 'to you all.', true),
  generation('a', '', false),
  { until: 'done' },
  generation('b', 'And good night.', false),
  { until: 'done', nth: 2 },
  'close',
];

const at = (acts: readonly Act[], place: number, ...others: Act[]): Act[] =>
  acts.flatMap((one, index) => (index === place ? others : [one]));
const before = (acts: readonly Act[], place: number, one: Act): Act[] =>
  at(acts, place, one, acts[place] as Act);
/** The client goes on without waiting, because the recording may hold nothing more. */
const impatient = (acts: readonly Act[]): Act[] => acts.filter((one) => one === 'close' || 'send' in one);

type Row = [title: string, acts: readonly Act[], ...differences: RegExp[]];

const ON_STREAM: Row[] = [
  ['nothing changed', TALK],
  ['another cut of the text', at(TALK, 1, send({ text: 'Good ' }), send({ text: 'morning ' }))],
  [
    'one frame in place of four',
    [send({ ...VOICE, text: 'Good morning to you all.', flush: true }), ...TALK.slice(4)],
  ],
  [
    'another order of fields, and spacing',
    at(TALK, 5, send('{ "flush": true,\n "text": "And good night." }')),
  ],
  ['repeated settings', at(TALK, 5, send({ ...VOICE, text: 'And good night.', flush: true }))],
  ['keep-alives', before(TALK, 5, send({ text: '' }))],
  [
    'another text',
    at(TALK, 2, send({ text: 'to nobody.' })),
    /^changed: recorded text "Good morning to you all\." \(entry 3.*got text "Good morning to nobody\." \(message 2/,
  ],
  ['less text', at(TALK, 2), /^changed: recorded text "Good morning to you all\.".*got text "Good morning "/],
  [
    'more text',
    before(TALK, 3, send({ text: ' Sleep well.' })),
    /^changed: .*got text "Good morning to you all\. Sleep well\."/,
  ],
  [
    'another voice',
    at(TALK, 0, send({ ...VOICE, voice_id: 268 })),
    /^changed: recorded settings \{"voice_id":1071.*got settings \{"voice_id":268/,
  ],
  [
    'a further setting',
    at(TALK, 0, send({ ...VOICE, speed: 1.1 })),
    /^changed: recorded settings.*"speed":1\.1/,
  ],
  [
    'a missing setting',
    at(TALK, 0, send({ voice_id: 1071 })),
    /^changed: recorded settings.*"language":"en".*got settings \{"voice_id":1071\}/,
  ],
  ['a missing flush', impatient(at(TALK, 3)), /^missing: recorded flush \(entry 7/],
  [
    'no second turn',
    impatient(at(TALK, 5)),
    /^missing: recorded text "And good night\."/,
    /^missing: recorded flush/,
  ],
  [
    'no first turn',
    impatient([TALK[0] as Act, ...TALK.slice(5)]),
    /^missing: recorded text "Good morning/,
    /^missing: recorded flush/,
  ],
  [
    'an extra flush',
    impatient(before(TALK, 5, send({ flush: true }))),
    /^extra: recorded nothing, got flush/,
  ],
  [
    'a third turn',
    impatient(before(TALK, 7, send({ text: 'One more.', flush: true }))),
    /^extra: .*text "One more\."/,
    /^extra: .*flush/,
  ],
  [
    'an update of settings',
    before(TALK, 3, send({ update_settings: { speed: 1.1 } })),
    /^extra: recorded nothing, got update of settings \{"speed":1\.1\}/,
  ],
  [
    'an unknown message',
    before(TALK, 3, send('no JSON at all')),
    /^extra: recorded nothing, got message "no JSON at all"/,
  ],
  [
    'flush and text in another order',
    impatient(at(at(TALK, 3), 1, send({ flush: true }), send({ text: 'Good morning ' }))),
    /^extra: recorded nothing, got flush/,
    /^missing: recorded flush \(entry 7, /,
  ],
  [
    'a cancel that was not recorded',
    before(TALK, 4, send({ cancel: true })).filter((one) => one !== TALK[4] && one !== TALK[6]),
    /^extra: recorded nothing, got cancel/,
  ],
  [
    'a request to close',
    before(TALK, 7, send({ close_socket: true })),
    /^extra: recorded nothing, got request to close/,
  ],
  [
    'a binary message',
    before(TALK, 3, send(Buffer.from([1, 2, 3]) as unknown as string)),
    /^extra: recorded nothing, got message \{"bytes":3\}/,
  ],
];

const renamed = (acts: readonly Act[]): Act[] =>
  acts.map((one) =>
    one !== 'close' && 'send' in one
      ? send(JSON.parse(JSON.stringify(one.send).replace(/"context_id":"(.)"/, '"context_id":"scene-$1"')))
      : one,
  );

const ON_MULTI: Row[] = [
  ['nothing changed', SCENE],
  ['other ids', renamed(SCENE)],
  [
    'other moments of the contexts',
    [...SCENE.slice(0, 2), SCENE[3] as Act, SCENE[2] as Act, ...SCENE.slice(4)],
  ],
  [
    'another voice of a context',
    at(SCENE, 1, opening('b', 268)),
    /^changed: recorded settings of context "b" \{"voice_id":1072\}.*got settings of context "b" \{"voice_id":268\}/,
  ],
  [
    'swapped texts',
    impatient([
      ...SCENE.slice(0, 2),
      send({ text: 'I am Anna.', context_id: 'b' }),
      send({ text: 'And I am Bert.', context_id: 'a' }),
      ...SCENE.slice(4),
    ]),
    /^changed: recorded text of context "a"/,
    /^changed: recorded text of context "b"/,
  ],
  [
    'no end of a context',
    at(SCENE, 8).filter((one) => one !== SCENE[9]),
    /^missing: recorded close of context "a"/,
  ],
  [
    'a third context',
    before(SCENE, 10, opening('c', 1073)),
    /^extra: recorded nothing, got settings of context "c"/,
  ],
];

const ON_REALTIME: Row[] = [
  ['nothing changed', REAL],
  [
    'another key',
    at(
      REAL,
      0,
      send({ type: 'config', api_key: 'sk-another', voice_description: 'A calm voice', language: 'English' }),
    ),
  ],
  ['pings', before(REAL, 3, send({ type: 'ping' }))],
  [
    'another description',
    at(REAL, 0, send({ type: 'config', voice_description: 'A loud voice', language: 'English' })),
    /^changed: recorded settings/,
  ],
];

const ON_INPUT: Row[] = [
  ['nothing changed', ONE_TURN],
  [
    'another key, and in another spelling',
    at(ONE_TURN, 0, send({ text: ' ', voice_settings: { stability: 0.4 }, 'xi-api-key': 'sk_another' })),
  ],
  [
    'another setting',
    at(ONE_TURN, 0, send({ text: ' ', voice_settings: { stability: 0.9 }, xi_api_key: 'local' })),
    /^changed: recorded settings \{"stability":0\.4\}.*got settings \{"stability":0\.9\}/,
  ],
  ['a missing flush', at(ONE_TURN, 3, send({ text: ' ' })), /^missing: recorded flush/],
];

const ON_CONTEXTS: Row[] = [
  ['nothing changed', TWO_TURNS],
  ['other ids', renamed(TWO_TURNS)],
  ['keep-alives', before(before(TWO_TURNS, 5, send({ text: '' })), 2, send({ text: '', context_id: 'a' }))],
  [
    'another setting of a context',
    at(TWO_TURNS, 5, send({ text: ' ', context_id: 'b', voice_settings: { stability: 0.9 } })),
    /^changed: recorded settings of context "b" \{"stability":0\.4\}/,
  ],
  [
    'another text',
    at(TWO_TURNS, 6, send({ text: 'I am another. ', context_id: 'b' })),
    /^changed: recorded text of context "b"/,
  ],
  [
    'a barge-in that was not recorded',
    impatient([...at(TWO_TURNS, 2).slice(0, -1), 'close']),
    /^extra: recorded nothing, got cancel of context "a"/,
    /^missing: recorded flush of context "a"/,
    /^missing: recorded end of the turn of context "a"/,
    /^missing: recorded request to close/,
  ],
  ['no request to close', at(TWO_TURNS, 10, 'close'), /^missing: recorded request to close/],
];
/** Of both sockets. */
const onDeepgram = (acts: readonly Act[], cut: string): Row[] => [
  ['nothing changed', acts],
  ['a missing flush', impatient(at(acts, 2)), /^missing: recorded flush/],
  [
    'a barge-in that was not recorded',
    impatient(before(acts, 3, send({ type: cut }))),
    /^extra: recorded nothing, got cancel/,
  ],
  [
    'an unknown message',
    before(acts, 2, send({ type: 'Pause' })),
    /^extra: .*got message \{"type":"Pause"\}/,
  ],
  ['no request to close', at(acts, 7, 'close'), /^missing: recorded request to close/],
];

const ON_SONIC: Row[] = [
  ['nothing changed', GENERATIONS],
  ['other ids', renamed(GENERATIONS)],
  [
    'the end of a turn in a message of its own',
    at(GENERATIONS, 4, generation('b', 'And good night.', true), generation('b', '', false)),
  ],
  [
    'a further setting',
    at(GENERATIONS, 4, generation('b', 'And good night.', false, FASTER)),
    /^changed: recorded settings of context "b".*"speed":1\.2/,
  ],
  [
    'a flush that was not recorded',
    at(GENERATIONS, 1, generation('a', 'to you all.', true, { flush: true })),
    /^extra: recorded nothing, got flush of context "a"/,
  ],
  [
    'a barge-in in place of the end',
    impatient(at(GENERATIONS, 2, send(CANCEL))),
    /^extra: recorded nothing, got cancel of context "a"/,
    /^missing: recorded end of the turn of context "a"/,
  ],
];

/** Clients with messages that no intent of ours has, or whose differences have names of their own. */
const CLIENTS: Readonly<
  Partial<Record<PageEndpointId, readonly [path: string, acts: readonly Act[], rows: readonly Row[]]>>
> = {
  'kugel-stream': [STREAM, TALK, ON_STREAM],
  'kugel-multi': [MULTI, SCENE, ON_MULTI],
  murmr: [REALTIME, REAL, ON_REALTIME],
  'elevenlabs-stream': [INPUT, ONE_TURN, ON_INPUT],
  'elevenlabs-multi': [CONTEXTS, TWO_TURNS, ON_CONTEXTS],
  deepgram: [AURA, ON_V1, onDeepgram(ON_V1, 'Clear')],
  'deepgram-flux': [FLUX, ON_V2, onDeepgram(ON_V2, 'Interrupt')],
  cartesia: [SONIC, GENERATIONS, ON_SONIC],
};

describe.each(Object.entries(CLIENTS))('on %s, a client with', (_, [path, original, rows]) => {
  let recording: Recorded[];
  beforeAll(async () => {
    recording = await recorded(({ ws }) => act(ws + path, original, KEY));
  });

  it.each(rows)('%s', async (_title, acts, ...expected) => {
    const { differences } = await served(recording, ({ ws }) => act(ws + path, acts, KEY));
    expect(differences).toEqual(expected.map((one) => expect.stringMatching(one)));
  });
});

describe.each(PAGE_ENDPOINTS)('on $id, our own client', (endpoint) => {
  const context = endpoint.contexts ? 'a' : ONLY_CONTEXT;
  const settings = { ...exampleVoice(endpoint), ...endpoint.initialSettings };
  const protocol = protocolOf(endpoint);

  /** Speaks texts as one turn, and leaves behind its end. @param ends false leaves the turn without its end */
  async function speak(base: string, texts: readonly string[], ends = true): Promise<void> {
    const address = keylessAddress(endpoint, `${base}${endpoint.localPrefix}`, settings);
    const { url, protocols, headers } = programHandshakeOf(endpoint, address, LOCAL_KEY);
    const dialect = protocol.open({ settings, key: LOCAL_KEY });
    const socket = new WebSocket(url, [...protocols], { headers });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const seen = new Set<string>();
    const read = new Set<() => void>();
    socket.on('message', (data, isBinary) => {
      const frame = isBinary ? new Uint8Array(data as Buffer) : String(data);
      for (const { type } of dialect.decode(frame)) seen.add(type);
      for (const reply of dialect.replies?.() ?? []) socket.send(reply);
      for (const look of read) look();
    });
    const until = (isSo: () => boolean) =>
      Promise.race([
        closed,
        new Promise<void>((resolve) => {
          const look = () => isSo() && resolve();
          read.add(look);
          look();
        }),
      ]);
    const send = (intent: Intent) => {
      for (const frame of dialect.encode(intent)) socket.send(frame);
    };
    await new Promise((resolve) => socket.once('open', resolve));
    send({ kind: 'open', settings });
    await until(() => dialect.isReady !== false);
    const { confirmsOpening } = dialect.traits;
    const speaker = exampleVoice(endpoint);
    if (endpoint.contexts && confirmsOpening) {
      send({ kind: 'openContext', context, settings: speaker });
      await until(() => seen.has('contextOpened'));
    }
    texts.forEach((text, at) => {
      const opens = at === 0 && endpoint.contexts && !confirmsOpening ? { opens: speaker } : {};
      send({ kind: 'say', context, text, ...opens });
    });
    if (ends) {
      send({ kind: endpoint.flushEndsTurn ? 'flush' : 'endTurn', context });
      await until(() => seen.has('turnEnded'));
    }
    socket.close(1000);
    await closed;
  }

  let recording: Recorded[];
  beforeAll(async () => {
    recording = await recorded(({ ws }) => speak(ws, ['Good morning ', 'to you all. ']));
  });

  it.each<[string, readonly string[], boolean, RegExp?]>([
    ['is the recorded one', ['Good morning ', 'to you all. '], true],
    ['cuts its text elsewhere', ['Good ', 'morning ', 'to you all. '], true],
    ['speaks another text', ['Good morning ', 'to nobody. '], true, /^changed: recorded text .*to you all/],
    ['does not end its turn', ['Good morning ', 'to you all. '], false, /^missing: recorded (?:flush|end)/],
  ])('%s', async (_title, texts, ends, expected) => {
    const { differences } = await served(recording, ({ ws }) => speak(ws, texts, ends));
    expect(differences.length > 0).toBe(expected !== undefined);
    for (const difference of differences) expect(difference).toMatch(expected ?? '');
  });
});
