import { afterAll, describe, expect, it } from 'vitest';
import type { EndpointId, Settings } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { ONLY_CONTEXT } from '#protocol/core/speech-event.ts';
import { formatFault, parseFaults } from '#protocol/faults/fault-spec.ts';
import { FAULTS } from '#protocol/faults/fault-table.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { ENDPOINTS, endpointOf } from '#protocol/registry.ts';
import type { Connection, Session, SocketEnd } from '../connection.ts';
import { createFakeClock, settle } from '../fake-clock.test-helper.ts';
import { TotalOutput } from '../sockets/unread-output.ts';
import { faulty } from './faulty.ts';

const GAP_MS = 10;
const RESTART = { code: 1012, reason: 'restarting' };
const CLIENT_LEFT: SocketEnd = { code: 1000, reason: 'enough', asked: true };

const samples = (fill: number): Buffer => Buffer.alloc(8, fill);
const base64 = (fill: number): string => samples(fill).toString('base64');

/** Frames of a turn of two chunks, by name. @param of further fields of each frame */
function kugelTurn(of = '') {
  const audio = (idx: number, chunk: number) =>
    `{"audio":"${base64(idx)}","enc":"pcm_s16le","idx":${idx},"sr":24000,"samples":4,"chunk_id":${chunk}${of}}`;
  const started = (chunk: number) => `{"generation_started":true,"chunk_id":${chunk},"text":"words"${of}}`;
  const words = (chunk: number) => `{"word_timestamps":[],"chunk_id":${chunk}${of}}`;
  const complete = (chunk: number) =>
    `{"chunk_complete":true,"chunk_id":${chunk},"audio_seconds":0.5,"gen_ms":3${of}}`;
  return {
    start0: started(0),
    audio1: audio(0, 0),
    words0: words(0),
    audio2: audio(1, 0),
    audio3: audio(2, 0),
    complete0: complete(0),
    start1: started(1),
    words1: words(1),
    audio4: audio(3, 1),
    complete1: complete(1),
    final: `{"final":true,"total_audio_seconds":1,"total_text_chunks":2,"total_audio_chunks":6${of}}`,
    closed: '{"session_closed":true,"total_audio_seconds":1,"usage":{"audio_seconds":1,"cost_cents":null}}',
  };
}

/** A request has no frames of its chunk. */
function requestTurn() {
  const { audio1, audio2, words0, audio3 } = kugelTurn();
  return {
    ...{ audio1, audio2, words0, audio3 },
    final:
      '{"final":true,"chunks":3,"total_samples":12,"dur_ms":1,"gen_ms":3,"rtf":3,"usage":{"audio_seconds":1}}',
  };
}

function murmrTurn(audio: (fill: number) => Frame) {
  const done = (ms: number) =>
    `{"type":"done","total_chunks":2,"duration_ms":${ms},"first_chunk_latency_ms":5}`;
  return {
    audio1: audio(1),
    audio2: audio(2),
    done0: done(100),
    audio3: audio(3),
    audio4: audio(4),
    done1: done(200),
  };
}
const murmrAudio = (fill: number): Frame =>
  `{"type":"audio","chunk":"${base64(fill)}","sample_rate":24000,"format":"pcm_s16le"}`;

/** Words are in the audio frame that begins a segment. */
function elevenLabsTurn(of = '') {
  const audio = (fill: number, alignment: string): string =>
    `{"audio":"${base64(fill)}","isFinal":null,"normalizedAlignment":${alignment},"alignment":${alignment}${of}}`;
  const words = '{"chars":["H","i"," "],"charStartTimesMs":[0,1,2],"charDurationsMs":[1,1,1]}';
  return {
    audio1: audio(1, words),
    audio2: audio(2, 'null'),
    audio3: audio(3, words),
    final: `{"audio":null,"isFinal":true,"normalizedAlignment":null,"alignment":null${of}}`,
  };
}

/** Nothing marks the beginning of a turn. */
function deepgramTurn(ends: readonly object[]) {
  const [end1 = {}, end2 = {}] = ends;
  return {
    audio1: new Uint8Array(samples(1)),
    audio2: new Uint8Array(samples(2)),
    end1: JSON.stringify(end1),
    audio3: new Uint8Array(samples(3)),
    end2: JSON.stringify(end2),
  };
}
const flushed = [0, 1].map((sequence_id) => ({ type: 'Flushed', sequence_id }));
const spoken = (speech_id: string) => ({
  type: 'SpeechMetadata',
  speech_id,
  audio_duration_ms: 40,
  input_character_count: 3,
  billable_character_count: 3,
  controls_applied: { pronunciations_applied: 0, breaks_applied: 0, pronunciation_warnings: 0 },
});

/** Words are in frames of their own, and a flush begins another chunk. */
function cartesiaTurn() {
  const common = (flush_id: number) => ({ context_id: 'a', status_code: 206, done: false, flush_id });
  const audio = (fill: number, flush: number): string =>
    JSON.stringify({ type: 'chunk', data: base64(fill), step_time: 3, ...common(flush) });
  const words = (flush: number): string =>
    JSON.stringify({
      type: 'timestamps',
      word_timestamps: { words: ['Hi'], start: [0], end: [0.1] },
      ...common(flush),
    });
  return {
    words0: words(1),
    audio1: audio(1, 1),
    audio2: audio(2, 1),
    words1: words(2),
    audio3: audio(3, 2),
    done: '{"type":"done","context_id":"a","status_code":200,"done":true}',
  };
}

/** Turns of two chunks, for what faults do to the frames of one endpoint. */
const TURNS = {
  'kugel-stream': { endpoint: 'kugel-stream', frames: kugelTurn() },
  'kugel-multi': { endpoint: 'kugel-multi', frames: kugelTurn(',"context_id":"a"') },
  'kugel-tts': { endpoint: 'kugel-tts', frames: requestTurn() },
  murmr: { endpoint: 'murmr', frames: murmrTurn(murmrAudio) },
  'elevenlabs-multi': { endpoint: 'elevenlabs-multi', frames: elevenLabsTurn(',"contextId":"a"') },
  deepgram: { endpoint: 'deepgram', frames: deepgramTurn(flushed) },
  'deepgram-flux': { endpoint: 'deepgram-flux', frames: deepgramTurn(['a', 'b'].map(spoken)) },
  cartesia: { endpoint: 'cartesia', frames: cartesiaTurn() },
  'murmr, bytes': { endpoint: 'murmr', frames: murmrTurn((fill) => new Uint8Array(samples(fill))) },
} as const satisfies Record<string, { endpoint: EndpointId; frames: Readonly<Record<string, Frame>> }>;
type Turn = keyof typeof TURNS;

const tested = new Set<string>();
afterAll(() => {
  const untested = Object.keys(FAULTS).filter((name) => !tested.has(name));
  // A single test may run alone. Refusals come before any session: `fault-paths.test.ts`.
  if (tested.size > untested.length) expect(untested).toEqual(['refuse']);
});

/** A session behind faults, its client, and everything that reaches either of them with its time. */
function createLine(spec: string, endpointId: EndpointId = 'kugel-stream', settings: Settings = {}) {
  const protocol = protocolOf(endpointOf(endpointId));
  const read = parseFaults(spec, protocol.failures.errors);
  if ('problem' in read) throw new Error(`${spec}: ${read.problem.expected}`);
  for (const { name } of read.faults) tested.add(name);
  const clock = createFakeClock();
  const toClient: [atMs: number, what: unknown][] = [];
  const toServer: [atMs: number, what: unknown][] = [];
  const injected: string[] = [];
  const client = { isRead: true, drained: Promise.resolve() };
  const isReadFrom = (isRead: boolean) => () => {
    client.isRead = isRead;
  };
  const connection: Connection = {
    clock,
    background: (work) => void work(),
    send: (message) => toClient.push([clock.nowMs(), message]),
    close: (code, reason) => toClient.push([clock.nowMs(), `close ${code} ${reason}`]),
    reset: () => toClient.push([clock.nowMs(), 'reset']),
    drained: () => client.drained,
    pause: isReadFrom(false),
    resume: isReadFrom(true),
    silence: isReadFrom(false),
  };
  const session: Session = {
    text: (message) => toServer.push([clock.nowMs(), message]),
    binary: (message) => toServer.push([clock.nowMs(), message]),
    gone: (end) => toServer.push([clock.nowMs(), end]),
    goingAway: () => toServer.push([clock.nowMs(), 'going away']),
  };
  let inner: Connection | undefined;
  const outer = faulty(
    (given) => {
      inner = given;
      return session;
    },
    {
      faults: read.faults,
      dialect: protocol.open({ settings, key: '' }),
      protocol,
      restart: RESTART,
      injected: (fault) => injected.push(`${clock.nowMs()} ${formatFault(fault)}`),
      total: new TotalOutput(),
    },
  )(connection);
  if (!inner || !outer) throw new Error('nothing was opened');
  return { clock, client, toClient, toServer, injected, inner, outer };
}

/** Plays a turn, a frame each 10 ms, and a close 10 ms behind it. Frames are named; those that were changed are as sent. */
async function play(spec: string, turn: Turn = 'kugel-stream') {
  const { endpoint, frames } = TURNS[turn];
  const line = createLine(spec, endpoint);
  for (const frame of Object.values(frames)) {
    line.inner.send(frame);
    await line.clock.advance(GAP_MS);
  }
  line.inner.close(1000, 'done');
  await line.clock.advance(1_000_000);
  const names = new Map<unknown, string>(Object.entries(frames).map(([name, frame]) => [frame, name]));
  return { ...line, arrived: line.toClient.map(([atMs, what]) => `${atMs} ${names.get(what) ?? what}`) };
}

const DONE = 'close 1000 done';
const namesOf = (turn: Turn): string[] => [...Object.keys(TURNS[turn].frames), DONE];
/** Arrivals of the turn without faults. */
const undisturbed = (turn: Turn): string[] => namesOf(turn).map((name, at) => `${at * GAP_MS} ${name}`);

/** Places of the first frame of a range and behind the last: `audio2`, `audio2..words1`, or `audio2..` to the end. */
function placesOf(range: string, turn: Turn): [from: number, to: number] {
  const [first = '', last = first] = range.split('..');
  return [namesOf(turn).indexOf(first), namesOf(turn).indexOf(last || DONE) + 1];
}
/** Arrivals of a range of frames at one time. */
const at = (atMs: number, range: string, turn: Turn = 'kugel-stream'): string[] =>
  namesOf(turn)
    .slice(...placesOf(range, turn))
    .map((name) => `${atMs} ${name}`);

const { start0, audio1, audio2, words0 } = TURNS['kugel-stream'].frames;
const cutInHalf = (text: string): string => text.slice(0, text.length / 2);

/** A spec, the range of frames that it changes, the arrivals in their place, and the faults that strike. */
type Row = [spec: string, range: string, arrives: string[], strikes: string[], turn?: Turn];

describe('a turn behind faults', () => {
  const itPlays = (name: string, rows: Row[]) =>
    it.each(rows)(`${name}: %s, from %s`, async (spec, range, arrives, strikes, turn = 'kugel-stream') => {
      const { arrived, injected } = await play(spec, turn);
      const [from, to] = placesOf(range, turn);
      expect(arrived).toEqual(undisturbed(turn).toSpliced(from, to - from, ...arrives));
      expect(injected).toEqual(strikes);
    });

  itPlays('passes unchanged and at once', [
    ['seed=3,mark=none', 'start0', ['0 start0'], []],
    ['seed=3,mark=none', 'audio1', ['0 audio1'], [], 'murmr, bytes'],
    ['late-words=15', 'audio1', ['0 audio1'], [], 'elevenlabs-multi'],
    ['lose-words', 'audio1', ['0 audio1'], [], 'deepgram'],
    ['lose-words', 'audio1', ['0 audio1'], [], 'deepgram-flux'],
    ['wrong-totals', 'words0', ['0 words0'], [], 'cartesia'],
  ]);

  itPlays('passes nothing for a time, and then all at once', [
    ['stall=3000@2', 'audio2..', at(3030, 'audio2..'), ['30 stall=3000@2']],
    ['stall=15@2', 'audio2..audio3', at(45, 'audio2..audio3'), ['30 stall=15@2']],
    [
      'slow-start=500',
      'start0..',
      [...at(500, 'start0..complete0'), ...at(1000, 'start1..')],
      ['0 slow-start=500', '500 slow-start=500'],
    ],
    ['slow-start=500', 'audio1..', at(500, 'audio1..', 'kugel-tts'), ['0 slow-start=500'], 'kugel-tts'],
    [
      'slow-start=500',
      'audio1..',
      [...at(500, 'audio1..done0', 'murmr'), ...at(1000, 'audio3..', 'murmr')],
      ['0 slow-start=500', '500 slow-start=500'],
      'murmr',
    ],
  ]);

  itPlays('starts the segments of one turn later', [
    [
      'slow-start=500',
      'audio1..',
      [...at(500, 'audio1..audio2', 'elevenlabs-multi'), ...at(1000, 'audio3..', 'elevenlabs-multi')],
      ['0 slow-start=500', '500 slow-start=500'],
      'elevenlabs-multi',
    ],
    [
      'slow-start=500',
      'words0..',
      [...at(500, 'words0..audio2', 'cartesia'), ...at(1000, 'words1..', 'cartesia')],
      ['0 slow-start=500', '500 slow-start=500'],
      'cartesia',
    ],
  ]);

  itPlays('ends behind the frames on their way', [
    ['close=4500@2', 'audio2..', ['30 close 4500 a fault on purpose'], ['30 close=4500@2']],
    ['close=1005@2', 'audio2..', ['30 close 1005 a fault on purpose'], ['30 close=1005@2']],
    ['going-away@2', 'audio2..', ['30 close 1012 restarting'], ['30 going-away@2']],
    ['reset@2', 'audio2..', ['30 reset'], ['30 reset@2']],
    ['reset@2,close=4500@2', 'audio2..', ['30 reset'], ['30 reset@2']],
    ['half-open@2', 'audio2..', [], ['30 half-open@2']],
    ['half-open@2,late-words=50', 'words0..', [], ['30 half-open@2']],
    ['latency=100,reset@1', 'start0..', ['100 start0', '110 reset'], ['0 latency=100', '110 reset@1']],
    [
      'half-open@2,late-words=50,latency=5',
      'start0..',
      ['5 start0', '15 audio1'],
      ['0 latency=5', '35 half-open@2'],
    ],
  ]);

  const errorOf = (name: string, code: number, context = '') =>
    `{"error":"${name}, a fault on purpose","error_code":"${name}","code":${code}${context}}`;
  const murmrError = (name: string, code: number) =>
    `{"type":"error","message":"${name}, a fault on purpose","code":${code}}`;

  itPlays('has an error in place of a chunk, and the close of the vendor behind it', [
    ['error=NOT_FOUND@1', 'start0..complete0', [`0 ${errorOf('NOT_FOUND', 404)}`], ['0 error=NOT_FOUND@1']],
    [
      'error=RATE_LIMITED@2',
      'start1..',
      [`60 ${errorOf('RATE_LIMITED', 429)}`, '60 close 4029 RATE_LIMITED'],
      ['60 error=RATE_LIMITED@2'],
    ],
    [
      'error=NOT_FOUND@1',
      'start0..complete0',
      [`0 ${errorOf('NOT_FOUND', 404, ',"context_id":"a"')}`],
      ['0 error=NOT_FOUND@1'],
      'kugel-multi',
    ],
    [
      'error=NOT_FOUND@1',
      'audio1..final',
      [`0 ${errorOf('NOT_FOUND', 404)}`],
      ['0 error=NOT_FOUND@1'],
      'kugel-tts',
    ],
    ...(['murmr', 'murmr, bytes'] as const).map(
      (turn): Row => [
        'error=ALL_SLOTS_OCCUPIED@1',
        'audio1..done0',
        [`0 ${murmrError('ALL_SLOTS_OCCUPIED', 4006)}`],
        ['0 error=ALL_SLOTS_OCCUPIED@1'],
        turn,
      ],
    ),
    [
      'error=internal_error@2',
      'audio3..',
      [
        '20 {"message":"internal_error, a fault on purpose","error":"internal_error","code":1011,"contextId":"a"}',
        '20 close 1011 internal_error, a fault on purpose',
      ],
      ['20 error=internal_error@2'],
      'elevenlabs-multi',
    ],
    [
      'error=NET-0000@2',
      'audio3..',
      [
        '30 {"type":"Error","code":"NET-0000","description":"NET-0000: An internal error occurred. A fault on purpose."}',
        '30 close 1011 NET-0000: An internal error occurred.',
      ],
      ['30 error=NET-0000@2'],
      'deepgram',
    ],
    [
      'error=SERVER_ERROR@2',
      'audio3..',
      [`30 ${murmrError('SERVER_ERROR', 4005)}`, '30 close 4005 SERVER_ERROR'],
      ['30 error=SERVER_ERROR@2'],
      'murmr',
    ],
  ]);

  const { audio1: aligned1, audio3: aligned3 } = TURNS['elevenlabs-multi'].frames;
  const withoutWords = (frame: string): string =>
    JSON.stringify({ ...JSON.parse(frame), normalizedAlignment: null, alignment: null });
  itPlays('has audio frames without the words in them', [
    [
      'lose-words',
      'audio1..audio3',
      [`0 ${withoutWords(aligned1)}`, '10 audio2', `20 ${withoutWords(aligned3)}`],
      ['0 lose-words', '20 lose-words'],
      'elevenlabs-multi',
    ],
  ]);

  itPlays('has words, totals and audio frames that are lost, late or wrong', [
    [
      'lose-words',
      'words0..words1',
      ['30 audio2', '40 audio3', '50 complete0', '60 start1'],
      ['20 lose-words', '70 lose-words'],
    ],
    [
      'late-words=15',
      'words0..audio4',
      ['30 audio2', '35 words0', '40 audio3', '50 complete0', '60 start1', '80 audio4', '85 words1'],
      ['35 late-words=15', '85 late-words=15'],
    ],
    [
      'lose-words',
      'words0..done',
      ['10 audio1', '20 audio2', '40 audio3', '50 done'],
      ['0 lose-words', '30 lose-words'],
      'cartesia',
    ],
    [
      'late-words=15',
      'words0..done',
      ['10 audio1', '15 words0', '20 audio2', '40 audio3', '45 words1', '50 done'],
      ['15 late-words=15', '45 late-words=15'],
      'cartesia',
    ],
    ['duplicate@2', 'audio2', ['30 audio2', '30 audio2'], ['30 duplicate@2']],
    ['reorder@2', 'audio2..audio3', ['40 audio3', '40 audio2'], ['40 reorder@2']],
    ['reorder@1', 'audio1..audio2', ['20 words0', '30 audio2', '30 audio1'], ['30 reorder@1']],
    ['reorder@3', 'audio3..complete0', ['50 audio3', '50 complete0'], []],
    ['odd-byte@2', 'audio2', [`30 ${audio2.replace('AQEBAQEBAQE=', 'AQEBAQEBAQ==')}`], ['30 odd-byte@2']],
    ['odd-byte@1', 'audio1', ['0 1,1,1,1,1,1,1'], ['0 odd-byte@1'], 'murmr, bytes'],
    ['invalid-json@2', 'audio2', [`30 ${cutInHalf(audio2)}`], ['30 invalid-json@2']],
    ['invalid-json@2', 'audio2', ['10 {'], ['10 invalid-json@2'], 'murmr, bytes'],
    [
      'stall=500@2,duplicate@2,invalid-json@2',
      'audio2..',
      [`530 ${cutInHalf(audio2)}`, `530 ${cutInHalf(audio2)}`, ...at(530, 'audio3..')],
      ['30 stall=500@2', '530 invalid-json@2', '530 duplicate@2'],
    ],
    [
      'wrong-totals',
      'complete0..closed',
      [
        '50 {"chunk_complete":true,"chunk_id":0,"audio_seconds":2,"gen_ms":3}',
        ...['60 start1', '70 words1', '80 audio4'],
        '90 {"chunk_complete":true,"chunk_id":1,"audio_seconds":2,"gen_ms":3}',
        '100 {"final":true,"total_audio_seconds":3,"total_text_chunks":5,"total_audio_chunks":13}',
        '110 {"session_closed":true,"total_audio_seconds":3,"usage":{"audio_seconds":3,"cost_cents":null}}',
      ],
      ['50 wrong-totals', '90 wrong-totals', '100 wrong-totals', '110 wrong-totals'],
    ],
    [
      'wrong-totals,lose-words',
      'words0..final',
      [
        '30 audio3',
        '40 {"final":true,"chunks":7,"total_samples":25,"dur_ms":3,"gen_ms":3,"rtf":3,"usage":{"audio_seconds":3}}',
      ],
      ['20 lose-words', '40 wrong-totals'],
      'kugel-tts',
    ],
    [
      'wrong-totals',
      'done0..done1',
      [
        '20 {"type":"done","total_chunks":5,"duration_ms":201,"first_chunk_latency_ms":5}',
        ...['30 audio3', '40 audio4'],
        '50 {"type":"done","total_chunks":5,"duration_ms":401,"first_chunk_latency_ms":5}',
      ],
      ['20 wrong-totals', '50 wrong-totals'],
      'murmr',
    ],
  ]);
});

describe.each(ENDPOINTS)('the example turn of $id behind faults', (endpoint) => {
  const { exampleTurn, failures, open } = protocolOf(endpoint);
  const context = endpoint.contexts ? 'a' : ONLY_CONTEXT;
  const frames = exampleTurn('Hi there.', context);
  const typesIn = (frame: unknown): string[] =>
    open({ settings: {}, key: '' })
      .decode(frame as Frame)
      .map(({ type }) => type);
  const isAudio = (frame: unknown) => typesIn(frame).includes('audio');
  const sentWith = (spec: string): unknown[] => {
    const { inner, toClient } = createLine(spec, endpoint.id);
    for (const frame of frames) inner.send(frame);
    return toClient.map(([, what]) => what);
  };

  it('passes unchanged where none strikes', () => {
    expect(sentWith('seed=3,mark=none')).toEqual(frames);
  });

  it('has its second frame of audio twice, behind the third, or unreadable', () => {
    const audio = frames.filter(isAudio);
    const [first, second, third, ...rest] = audio;
    expect(sentWith('duplicate@2').filter(isAudio)).toEqual([first, second, second, third, ...rest]);
    expect(sentWith('reorder@2').filter(isAudio)).toEqual([first, third, second, ...rest]);
    const places = [...frames.keys()].filter((at) => isAudio(frames[at]));
    const broken = sentWith('invalid-json@2')[places[1] ?? 0];
    expect(typesIn(broken)).toEqual(['malformed']);
  });

  it('has no times of words where they are lost', () => {
    expect(sentWith('lose-words').flatMap(typesIn)).not.toContain('words');
    expect(sentWith('lose-words').filter(isAudio)).toHaveLength(frames.filter(isAudio).length);
  });

  it('has an error of the vendor in place of its chunk', () => {
    const name = failures.overloaded;
    const sent = sentWith(`error=${name}@1`);
    expect(sent.filter(isAudio)).toEqual([]);
    expect(sent).toContain(JSON.stringify(failures.error(name, endpoint.contexts && context).frame));
  });
});

describe('a dropped word', () => {
  /** Audible samples of a frame of 10 ms. */
  const frameOf = (fill: number): Buffer => Buffer.alloc(480, fill);
  const sent = (fill: number): string => frameOf(fill).toString('base64');
  const start = (chunk: number) => `{"generation_started":true,"chunk_id":${chunk},"text":"$& words"}`;
  const audio = (idx: number, chunk: number) =>
    `{"audio":"${sent(idx + 1)}","enc":"pcm_s16le","idx":${idx},"sr":24000,"samples":240,"chunk_id":${chunk}}`;
  const words = (chunk: number, times: readonly (readonly [number, number])[]) =>
    JSON.stringify({
      word_timestamps: times.map(([start_ms, end_ms]) => ({
        ...{ word: 'w', start_ms, end_ms, char_start: 0, char_end: 1, score: 1 },
      })),
      chunk_id: chunk,
    });
  const complete = (chunk: number) =>
    `{"chunk_complete":true,"chunk_id":${chunk},"audio_seconds":0.02,"gen_ms":3}`;
  const KUGEL = [
    ...[
      start(0),
      audio(0, 0),
      audio(1, 0),
      words(0, [
        [1, 4],
        [6, 13],
      ]),
      complete(0),
    ],
    ...[start(1), audio(2, 1), words(1, [[2, 8]]), complete(1)],
  ];

  const segment = (fill: number, chars: string | null, times: readonly number[] = []) => {
    const charDurationsMs = times.map((at, index) => (times[index + 1] ?? 20) - at);
    const alignment = chars && { chars: [...chars], charStartTimesMs: times, charDurationsMs };
    return JSON.stringify({ audio: sent(fill), isFinal: null, normalizedAlignment: alignment, alignment });
  };
  const ELEVENLABS = [
    ...[segment(1, 'a b', [1, 4, 6]), segment(2, null), segment(3, ' c ', [0, 2, 8])],
    '{"audio":null,"isFinal":true,"normalizedAlignment":null,"alignment":null}',
  ];

  const ofContext = { context_id: 'a', status_code: 206, done: false };
  const chunk = (fill: number, flush_id: number) =>
    JSON.stringify({ type: 'chunk', data: sent(fill), step_time: 3, ...ofContext, flush_id });
  const times = (flush_id: number, start: number[], end: number[]) => {
    const list = { words: start.map(() => 'w'), start, end };
    return JSON.stringify({ type: 'timestamps', word_timestamps: list, ...ofContext, flush_id });
  };
  const CARTESIA = [
    ...[times(1, [0.001], [0.004]), chunk(1, 1), chunk(2, 1), times(1, [0.006], [0.013])],
    ...[times(2, [0.022], [0.028]), chunk(3, 2)],
    '{"type":"done","context_id":"a","status_code":200,"done":true}',
  ];

  const listen = (
    endpoint: EndpointId,
    frames: readonly string[],
    spec: string,
    settings: Settings = {},
    asked: string | null = null,
  ) => {
    const line = createLine(spec, endpoint, settings);
    if (asked !== null) line.outer.text(asked);
    const dialect = protocolOf(endpointOf(endpoint)).open({ settings, key: '' });
    const arrivals = frames.map((frame) => {
      const before = line.toClient.length;
      line.inner.send(frame);
      return line.toClient.length - before;
    });
    line.inner.close(1000, 'done');
    const got = line.toClient.map(([, what]) => what).filter((what) => String(what).startsWith('{'));
    const heard = got.flatMap((frame) => dialect.decode(frame as Frame));
    const bytes = heard.flatMap((event) =>
      event.type === 'audio' && 'base64' in event.payload
        ? [Buffer.from(event.payload.base64, 'base64')]
        : [],
    );
    return { got, bytes: Buffer.concat(bytes), injected: line.injected, arrivals };
  };

  /** The audio of three frames with silence at this time, in ms. */
  const silentAt = (fromMs: number, toMs: number): Buffer => {
    const all = Buffer.concat([1, 2, 3].map(frameOf));
    return all.fill(0, fromMs * 48, toMs * 48);
  };

  const OF_VENDORS: [EndpointId, readonly string[], Settings][] = [
    ['kugel-stream', KUGEL, {}],
    ['elevenlabs-stream', ELEVENLABS, { output_format: 'pcm_24000' }],
    ['cartesia', CARTESIA, {}],
  ];

  describe.each(OF_VENDORS)('of %s', (endpoint, frames, settings) => {
    it.each([
      ['drop-word@1', [1, 4], 1],
      ['drop-word@2', [6, endpoint === 'elevenlabs-stream' ? 20 : 13], 2],
      ['drop-word@3', [22, 28], 1],
      ['drop-word@4', [0, 0], 0],
    ] as const)('is silent at its time, and nothing else changes: %s', (spec, [fromMs, toMs], strikes) => {
      const { got, bytes, injected } = listen(endpoint, frames, spec, settings);
      expect(bytes).toEqual(silentAt(fromMs, toMs));
      expect(injected).toEqual(Array(strikes).fill(`0 ${spec}`));
      const withoutAudio = (frame: unknown) => String(frame).replace(/"(audio|data)":"[^"]*"/, '');
      expect(got.map(withoutAudio)).toEqual(frames.map(withoutAudio));
    });
  });

  it('holds audio until the times of its words are known, and nothing behind the last of them', () => {
    expect(listen('kugel-stream', KUGEL, 'drop-word@2').arrivals).toEqual([1, 0, 0, 3, 1, 1, 1, 1, 1]);
    expect(listen('cartesia', CARTESIA, 'drop-word@2').arrivals).toEqual([1, 0, 0, 3, 1, 1, 1]);
    const pcm = { output_format: 'pcm_24000' };
    expect(listen('elevenlabs-stream', ELEVENLABS, 'drop-word@1', pcm).arrivals).toEqual([1, 1, 1, 1]);
    expect(listen('elevenlabs-stream', ELEVENLABS, 'drop-word@2', pcm).arrivals).toEqual([0, 0, 3, 1]);
  });

  it('stays in compressed audio, which is not held', () => {
    const { got, injected, arrivals } = listen('elevenlabs-stream', ELEVENLABS, 'drop-word@1');
    expect([got, injected, arrivals]).toEqual([ELEVENLABS, [], [1, 1, 1, 1]]);
  });

  it('is silent by the code of its encoding', () => {
    const frames = KUGEL.map((frame) =>
      frame.replace('pcm_s16le', 'mulaw').replace('"sr":24000', '"sr":8000'),
    );
    // A byte is a sample, so that a frame lasts 60 ms.
    const { bytes } = listen('kugel-stream', frames, 'drop-word@1');
    expect([...bytes.subarray(6, 34)]).toEqual([1, 1, ...Array(24).fill(0xff), 1, 1]);
  });

  it('is placed by the format that the client asked for', () => {
    const output_format = { container: 'raw', encoding: 'pcm_mulaw', sample_rate: 8000 };
    const voice = { mode: 'id', id: 'marta' };
    const asked = { model_id: 'sonic-3', transcript: 'w w w', voice, output_format, context_id: 'a' };
    const { bytes } = listen('cartesia', CARTESIA, 'drop-word@1', {}, JSON.stringify(asked));
    expect([...bytes.subarray(6, 34)]).toEqual([1, 1, ...Array(24).fill(0xff), 1, 1]);
  });

  it('does not hold audio without bound', () => {
    const long = JSON.stringify({
      ...JSON.parse(audio(0, 0)),
      audio: 'AAAA'.repeat(2 ** 17),
      samples: 196_608,
    });
    expect(listen('kugel-stream', [start(0), long, long, long], 'drop-word@1').arrivals).toEqual([
      1, 0, 2, 0,
    ]);
  });

  it('comes together with other faults of its frames', () => {
    const { bytes, injected } = listen(
      'kugel-stream',
      KUGEL,
      'drop-word@1,odd-byte@1,duplicate@2,lose-words',
    );
    const [first, second, third] = [silentAt(1, 4).subarray(0, 479), frameOf(2), frameOf(3)];
    expect(bytes).toEqual(Buffer.concat([first, second, second, third]));
    expect(injected).toEqual(
      ['drop-word@1', 'odd-byte@1', 'duplicate@2', 'lose-words', 'lose-words'].map((each) => `0 ${each}`),
    );
  });
});

describe('frames of a server', () => {
  const sentBy = (spec: string, act: (server: Connection) => void): unknown[] => {
    const { inner, toClient } = createLine(spec);
    act(inner);
    return toClient.map(([, what]) => what);
  };

  it('are not dropped in a later turn with the numbers of a chunk that an error replaced', () => {
    const later = ['{"interrupted":true}', start0, audio1];
    const sent = sentBy('error=NOT_FOUND@1', ({ send }) => [start0, ...later].forEach(send));
    expect(sent.slice(1)).toEqual(later);
  });

  it('are not lost where the server ends before the frame that they wait for', () => {
    const sent = sentBy('reorder@1', (server) => {
      server.send(audio1);
      server.close(1000, '');
    });
    expect(sent).toEqual([audio1, 'close 1000 ']);
  });
});

describe('messages of a client', () => {
  /** Times at which two messages, 30 ms apart, and the end of the client arrive. */
  const talk = async (spec: string): Promise<number[]> => {
    const { outer, clock, toServer } = createLine(spec);
    outer.text('one');
    await clock.advance(30);
    outer.binary(new Uint8Array([2]));
    outer.gone(CLIENT_LEFT);
    await clock.advance(1000);
    expect(toServer.map(([, what]) => what)).toEqual(['one', new Uint8Array([2]), CLIENT_LEFT]);
    return toServer.map(([atMs]) => atMs);
  };

  it.each([
    ['mark=none', [0, 30, 30]],
    ['latency=200', [200, 230, 230]],
    ['latency-out=70', [70, 100, 100]],
    ['latency-in=70', [0, 30, 30]],
    ['latency=30,latency-out=70', [100, 130, 130]],
  ])('pass in order behind %s', async (spec, arriveMs) => {
    expect(await talk(spec)).toEqual(arriveMs);
  });

  it('are not held by a stall, nor is a shutdown', () => {
    const { inner, outer, toServer } = createLine('stall=3000@1');
    inner.send(audio2);
    outer.text('cancel');
    outer.goingAway();
    expect(toServer).toEqual([
      [0, 'cancel'],
      [0, 'going away'],
    ]);
  });

  it('see the end of the client late, but at once while the server ends', async () => {
    const end = { code: 1000, reason: '', asked: true };
    for (const [ends, atMs] of [
      [false, 200],
      [true, 0],
    ] as const) {
      const { clock, outer, toServer } = createLine('latency=200');
      if (ends) outer.goingAway();
      outer.gone(end);
      await clock.advance(1000);
      expect(toServer.at(-1)).toEqual([atMs, end]);
    }
  });

  it('are read no more behind half-open, also where the session asks for them', async () => {
    const { client, inner } = await play('half-open@2');
    inner.resume();
    expect(client.isRead).toBe(false);
  });
});

describe('a slow line', () => {
  it.each([
    ['latency=200', 200],
    ['latency-in=70', 70],
    ['latency=30,latency-in=70', 100],
    ['latency-out=70', 0],
  ])('delays what the server sends by %s, and strikes once', async (spec, ms) => {
    const { arrived, injected } = await play(spec);
    expect(arrived).toEqual(namesOf('kugel-stream').map((name, place) => `${place * GAP_MS + ms} ${name}`));
    expect(injected).toEqual(spec.split(',').map((fault) => `0 ${fault}`));
  });

  const delays = async (spec: string): Promise<number[]> => {
    const { arrived } = await play(spec);
    expect(arrived.map((each) => each.replace(/^\S+ /, ''))).toEqual(namesOf('kugel-stream'));
    return arrived.map((each, place) => Number.parseFloat(each) - place * GAP_MS);
  };

  it('has jitter of random times up to its own, which keep the order and repeat with the seed', async () => {
    const some = await delays('jitter=50,seed=7');
    expect(Math.min(...some)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...some)).toBeLessThanOrEqual(50);
    expect(new Set(some).size).toBeGreaterThan(5);
    expect(await delays('jitter=50,seed=7')).toEqual(some);
    expect(await delays('jitter=50,seed=8')).not.toEqual(some);
    expect(await delays('jitter=50')).toEqual(await delays('jitter=50,seed=1'));
  });

  it('has other jitter for the client', async () => {
    const { outer, clock, toServer } = createLine('jitter=1000,seed=7');
    outer.text('one');
    await clock.advance(1000);
    const [[first = 0] = []] = toServer;
    expect(first).toBeGreaterThan(0);
    expect(first).not.toBe((await delays('jitter=1000,seed=7'))[0]);
  });

  it('sends one message after the other at its rate, both ways, and counts bytes of texts', async () => {
    const line = createLine('bandwidth=80,latency=40');
    for (const message of ['x'.repeat(1000), 'é'.repeat(500), 'x'.repeat(1000)]) {
      line.inner.send(message);
      line.outer.text(message);
    }
    await line.clock.advance(1000);
    // 8000 bits at 80 bits a millisecond.
    expect(line.toClient.map(([atMs]) => atMs)).toEqual([140, 240, 340]);
    expect(line.toServer.map(([atMs]) => atMs)).toEqual([140, 240, 340]);
    expect(line.injected).toEqual(['0 bandwidth=80', '0 latency=40']);
  });
});

describe('bounds', () => {
  const MIB = 1024 * 1024;
  const frame = 'x'.repeat(64 * 1024);

  /** Sends as a session does, until it has to wait. */
  async function fill(line: ReturnType<typeof createLine>): Promise<{ bytes: number; wait: Promise<void> }> {
    for (let bytes = frame.length; ; bytes += frame.length) {
      line.inner.send(frame);
      const wait = line.inner.drained();
      const isFull = await Promise.race([wait.then(() => false), settle().then(() => true)]);
      if (isFull) return { bytes, wait };
    }
  }

  it('a session waits while much is on its way, and everything arrives', async () => {
    const line = createLine('latency=10000');
    const { bytes, wait } = await fill(line);
    expect(bytes).toBeGreaterThan(MIB / 2);
    expect(bytes).toBeLessThan(1.2 * MIB);
    await line.clock.advance(10_000);
    await wait;
    expect(line.toClient).toHaveLength(bytes / frame.length);
  });

  it('a slow line queues two seconds, so that a cancel is answered', async () => {
    const line = createLine('bandwidth=1000');
    const { bytes } = await fill(line);
    expect(bytes).toBeLessThan(250_000 + 2 * frame.length);
  });

  it('a session waits for a client that does not read, too', async () => {
    const line = createLine('latency=10');
    line.client.drained = new Promise(() => {});
    const isDrained = await Promise.race([line.inner.drained().then(() => true), settle().then(() => false)]);
    expect(isDrained).toBe(false);
  });

  it('a client is not read while many of its messages are on their way', async () => {
    const line = createLine('latency=5000');
    for (let sent = 0; sent <= MIB; sent += frame.length) line.outer.text(frame);
    expect(line.client.isRead).toBe(false);
    line.inner.pause();
    line.inner.resume();
    expect(line.client.isRead).toBe(false);
    await line.clock.advance(5000);
    expect(line.client.isRead).toBe(true);
    expect(line.toServer).toHaveLength(17);
  });

  it('a client whose answers fill the line is not read', async () => {
    const line = createLine('latency=5000');
    for (let sent = 0; sent <= 2 * MIB; sent += frame.length) line.inner.send(frame);
    expect(line.client.isRead).toBe(false);
    await line.clock.advance(5000);
    expect(line.client.isRead).toBe(true);
  });

  it('a session that never waits is cut off', () => {
    const line = createLine('latency=5000');
    for (let sent = 0; sent <= 5 * MIB; sent += frame.length) line.inner.send(frame);
    expect(line.toClient).toContainEqual([0, 'reset']);
  });

  it('a client that leaves is sent nothing more, and no frame waits for it', async () => {
    const line = createLine('latency=5000,late-words=8000');
    const { wait } = await fill(line);
    line.inner.send(words0);
    line.outer.gone(CLIENT_LEFT);
    await wait;
    // The late words may be an hour late, and would stay in memory.
    expect(line.clock.timers).toBe(1);
    await line.clock.advance(20_000);
    expect(line.toClient).toEqual([]);
    expect(line.toServer).toEqual([[5000, CLIENT_LEFT]]);
  });
});
