import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeBase64 } from '#lib/base64.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { kugelEndpoints } from '#protocol/kugel/endpoints.ts';
import { LOST_KIND } from '#trace/entry.ts';
import { anyEntries } from '#trace/files/testing/recordings.ts';
import { NO_NOTE } from '#trace/recorded-event.ts';
import { Trace } from '#trace/trace.ts';
import { DEFAULT_TOLERANCE_MS, type Difference, type Differences, differencesOf } from './differences.ts';
import { type ComparedEntry, factsOf, type KeepFacts } from './read-facts.ts';

const { 'kugel-multi': kugelMulti } = kugelEndpoints;

interface Step {
  direction: ComparedEntry['direction'];
  payload: string | null;
  /** Since the step before. */
  afterMs?: number;
  kind?: string;
  turn?: number;
}

const out = (frame: object): Step => ({ direction: 'out', payload: JSON.stringify(frame) });
const into = (frame: object): Step => ({ direction: 'in', payload: JSON.stringify(frame) });

/** A recording with the notes that a capture makes. */
function recordingOf(endpoint: Endpoint | null, steps: readonly Step[]): ComparedEntry[] {
  const address = 'ws://127.0.0.1:4173/kugel/ws/tts/multi';
  const trace = new Trace(endpoint, address);
  const base = { ...NO_NOTE, connection: 1, opcode: 'text', bytes: 0 } as const;
  const opening = { direction: 'connection', payload: JSON.stringify({ address }), kind: 'opening' } as const;
  let atUs = 0;
  return [opening, ...steps].map(({ afterMs = 10, ...step }: Step): ComparedEntry => {
    atUs += afterMs * 1000;
    const { payload } = step;
    const isRead = payload !== null && endpoint !== null;
    const { note } = isRead ? trace.append({ ...base, kind: '', ...step, payload }) : { note: { kind: '' } };
    return { ...base, atUs, ...note, ...step };
  });
}

async function* each(entries: readonly ComparedEntry[]) {
  yield* entries;
}

async function difference(
  a: readonly ComparedEntry[],
  b: readonly ComparedEntry[],
  { endpoint = 'kugel-multi', toleranceMs = DEFAULT_TOLERANCE_MS } = {},
): Promise<Differences> {
  return differencesOf(await factsOf(endpoint, each(a)), await factsOf(endpoint, each(b)), toleranceMs);
}

const pcm = encodeBase64(new Uint8Array(2 * 24_000));

const GOOD = { word: 'Good', start_ms: 0, end_ms: 400, char_start: 0, char_end: 4 };
const MORNING = { word: 'morning.', start_ms: 500, end_ms: 900, char_start: 5, char_end: 13 };
const USAGE = { audio_seconds: 2, characters: 13, cost_cents: 0.18, currency: 'eur', model_id: 'kugel-3' };

/** The messages of one turn of a context. Named, so that a case can change one of them. */
const turnOf = (context: string) => {
  const of = { context_id: context };
  const audio = (idx: number) =>
    into({ audio: pcm, enc: 'pcm_s16le', idx, sr: 24_000, samples: 24_000, chunk_id: 0, ...of });
  return {
    say: out({ text: 'Good morning.', voice_settings: { voice_id: 268 }, ...of }),
    flush: out({ flush: true, ...of }),
    opened: into({ context_created: true, ...of }),
    started: into({ generation_started: true, chunk_id: 0, text: 'Good morning.', ...of }),
    audio: audio(0),
    more: audio(1),
    words: into({ word_timestamps: [GOOD, MORNING], chunk_id: 0, ...of }),
    completed: into({ chunk_complete: true, chunk_id: 0, audio_seconds: 2, gen_ms: 500, ...of }),
    final: into({ final: true, ...of }),
    close: out({ close_context: true, ...of }),
    closed: into({
      context_closed: true,
      usage: USAGE,
      ...of,
    }),
    ended: { direction: 'connection', payload: '{"code":1000,"asked":true}', kind: 'closed' } as Step,
  };
};
type Turn = ReturnType<typeof turnOf>;

const recorded = (turn: Partial<Turn>, steps: readonly Step[] = Object.values(turn)) =>
  recordingOf(kugelMulti, steps);

const A = turnOf('a');
/** Frame of the turn with other fields. */
const changed = (name: keyof Turn, fields: object): Partial<Turn> => ({
  ...A,
  [name]: { ...A[name], payload: JSON.stringify({ ...JSON.parse(A[name].payload ?? ''), ...fields }) },
});
const without = (...names: (keyof Turn)[]): Partial<Turn> =>
  Object.fromEntries(Object.entries(A).filter(([name]) => !names.includes(name as keyof Turn)));

const IN_TURN = 'connection 1, context 1, turn 1';
const AFTER = 'connection 1, context 1';
type Row = [kind: Difference['kind'], place: string, what: string, a: Difference['a'], b: Difference['b']];

describe('what changed', () => {
  it.each<[string, readonly ComparedEntry[], Row[]]>([
    ['nothing', recorded(A), []],
    ['ids of contexts', recorded(turnOf('other')), []],
    [
      'how text is cut, and where a flush stands',
      recorded(A, [
        out({ text: 'Good ', voice_settings: { voice_id: 268 }, context_id: 'a' }),
        out({ context_id: 'a', flush: true, text: 'morning.' }),
        ...Object.values(without('say', 'flush')),
      ]),
      [],
    ],
    [
      'a new field',
      recorded(changed('audio', { gain: 1 })),
      [['shape', 'every audio', 'field gain', null, 'number']],
    ],
    [
      'a field in a list',
      recorded(changed('words', { word_timestamps: [{ ...GOOD, score: 1 }, MORNING] })),
      [['shape', 'every words', 'field word_timestamps[].score', null, 'number']],
    ],
    [
      'the type of a field',
      recorded(changed('closed', { usage: { ...USAGE, cost_cents: null } })),
      [
        ['words', AFTER, 'cost in cents', 0.18, 'null'],
        ['shape', 'every contextClosed', 'field usage.cost_cents', 'number', 'null'],
      ],
    ],
    [
      'words that are not sent',
      recorded(without('words')),
      [
        ['shape', IN_TURN, 'words received', 1, null],
        ['words', IN_TURN, 'words', '"Good morning."', null],
      ],
    ],
    [
      'words before audio',
      recorded(A, [
        A.say,
        A.flush,
        A.opened,
        A.started,
        A.words,
        A.audio,
        A.more,
        A.completed,
        A.final,
        A.close,
        A.closed,
        A.ended,
      ]),
      [
        [
          'shape',
          IN_TURN,
          'order received',
          'audio of chunk 1, words of chunk 1, chunkCompleted of chunk 1, turnEnded',
          'words of chunk 1, audio of chunk 1, chunkCompleted of chunk 1, turnEnded',
        ],
      ],
    ],
    [
      'audio in another order',
      recorded({ ...A, audio: A.more, more: A.audio }),
      [['shape', IN_TURN, 'audio frames out of order', null, 1]],
    ],
    ['a missing flush', recorded(without('flush')), [['shape', IN_TURN, 'flush sent', 1, null]]],
    [
      'another voice',
      recorded(changed('say', { voice_settings: { voice_id: 300 } })),
      [['shape', IN_TURN, 'settings, voice_id', 268, 300]],
    ],
    [
      'another text',
      recorded(changed('say', { text: 'Good evening.' })),
      [['words', IN_TURN, 'text sent', '"Good morning."', '"Good evening."']],
    ],
    [
      'the text of a chunk',
      recorded(changed('started', { text: 'Good evening.' })),
      [['words', IN_TURN, 'text of chunk 1', '"Good morning."', '"Good evening."']],
    ],
    [
      'a bill',
      recorded(
        changed('closed', {
          usage: { ...USAGE, cost_cents: 0.36 },
        }),
      ),
      [['words', AFTER, 'cost in cents', 0.18, 0.36]],
    ],
    [
      'a bill of nearly as much audio',
      recorded(
        changed('closed', {
          usage: { ...USAGE, audio_seconds: 2.1, cost_cents: 0.19 },
        }),
      ),
      [],
    ],
    [
      'a longer wait',
      recorded({ ...A, audio: { ...A.audio, afterMs: 700 } }),
      [['timing', IN_TURN, 'firstAudioFrameMs', 10, 700]],
    ],
    [
      'a longer gap',
      recorded({ ...A, more: { ...A.more, afterMs: 700 } }),
      [
        ['timing', IN_TURN, 'gapP95Ms', 10, 700],
        ['timing', IN_TURN, 'gapLongestMs', 10, 700],
      ],
    ],
    ['a gap within the tolerance', recorded({ ...A, more: { ...A.more, afterMs: 400 } }), []],
    [
      'a slower server',
      recorded(changed('completed', { gen_ms: 2000 })),
      [['timing', IN_TURN, 'rtf', 0.25, 1]],
    ],
    [
      'a message that carries no intent',
      recorded(A, [...Object.values(A), { direction: 'out', payload: 'odd' }]),
      [['shape', 'connection 1', 'message sent', null, 1]],
    ],
    [
      'the code of a close',
      recorded({ ...A, ended: { ...A.ended, payload: '{"code":4500}' } }),
      [['shape', 'connection 1', 'close code', 1000, 4500]],
    ],
    [
      'a further turn',
      recorded(A, [...Object.values(without('ended')), ...Object.values(turnOf('b'))]),
      [
        ['shape', 'connection 1, context 2, turn 1', 'messages', null, 10],
        ['shape', 'connection 1, context 2', 'messages', null, 2],
      ],
    ],
  ])('names %s', async (_, b, expected) => {
    const { rows } = await difference(recorded(A), b);
    expect(rows.map(({ kind, place, what, a, b }): Row => [kind, place, what, a, b])).toEqual(expected);
  });

  it('lists every difference of times without a tolerance', async () => {
    const b = recorded({ ...A, more: { ...A.more, afterMs: 11 } });
    const { rows } = await difference(recorded(A), b, { toleranceMs: 0 });
    expect(rows.map(({ what }) => what)).toEqual(['gapP95Ms', 'gapLongestMs']);
  });

  it('says where entries are missing, and compares the rest', async () => {
    const lost: Step = { direction: 'connection', payload: '{"entries":3}', kind: LOST_KIND };
    const other = turnOf('b');
    const second = recorded(A, [...Object.values(without('ended')), ...Object.values(other)]);
    const torn = recorded(A, [...Object.values(without('ended')), other.say, other.flush, lost, other.final]);
    const { rows, notes } = await difference(second, torn);
    expect(rows).toEqual([]);
    expect(notes).toEqual(['Entries are missing in B, so that nothing is listed that only B lacks.']);
  });
});

describe('REST calls', () => {
  const call = (turn: number, path: string, status: number, body: object, waitMs = 10): Step[] => [
    {
      direction: 'out',
      payload: JSON.stringify({ method: 'GET', path, headers: {} }),
      kind: 'request',
      turn,
    },
    {
      direction: 'in',
      payload: JSON.stringify({ status, reason: '', headers: {} }),
      kind: 'response',
      turn,
      afterMs: waitMs,
    },
    { direction: 'in', payload: JSON.stringify(body), kind: 'body', turn },
    {
      direction: 'connection',
      payload: JSON.stringify({ how: 'complete', sent: { bytes: 0 }, received: { bytes: 2 } }),
      kind: 'ended',
      turn,
    },
  ];
  const first = call(1, '/v1/voices', 200, { voices: [{ id: 1 }] });

  it.each<[string, Step[], Row[]]>([
    [
      'a status',
      call(1, '/v1/voices', 203, { voices: [{ id: 2 }] }),
      [['shape', 'GET /v1/voices, call 1', 'status', 200, 203]],
    ],
    [
      'a field',
      call(1, '/v1/voices', 200, { voices: [{ id: 'x' }] }),
      [['shape', 'every GET /v1/voices body', 'field voices[].id', 'number', 'string']],
    ],
    [
      'a call',
      [...call(1, '/v1/models', 200, {}), ...call(2, '/v1/voices', 200, { voices: [{ id: 1 }] })],
      [['shape', 'GET /v1/models, call 1', 'messages', null, 4]],
    ],
    [
      'a field of the body that was sent',
      [
        ...first.slice(0, 1),
        { direction: 'out', payload: '{"text":"Hi"}', kind: 'body', turn: 1 },
        ...first.slice(1),
      ],
      [['shape', 'GET /v1/voices, call 1', 'body, text', null, '"Hi"']],
    ],
    [
      'a query',
      call(1, '/v1/voices?own=true', 200, { voices: [{ id: 1 }] }),
      [['shape', 'GET /v1/voices, call 1', 'path', '"/v1/voices"', '"/v1/voices?own=true"']],
    ],
    [
      'a wait',
      call(1, '/v1/voices', 200, { voices: [{ id: 1 }] }, 900),
      [['timing', 'GET /v1/voices, call 1', 'wait for the answer', 10, 900]],
    ],
  ])('differ by %s', async (_, b, expected) => {
    const { rows } = await difference(recordingOf(null, first), recordingOf(null, b), {
      endpoint: 'kugel-rest',
    });
    expect(rows.map(({ kind, place, what, a, b }): Row => [kind, place, what, a, b])).toEqual(expected);
  });
});

describe('any recording', () => {
  const anyEndpoint = fc.constantFrom('kugel-stream', 'kugel-multi', 'murmr', 'kugel-rest', 'other');

  it('does not differ from itself', async () => {
    await fc.assert(
      fc.asyncProperty(anyEntries, anyEndpoint, async (entries, endpoint) => {
        const { rows } = await difference(entries, entries, { endpoint, toleranceMs: 0 });
        expect(rows).toEqual([]);
      }),
    );
  });

  it('has what another one lacks, and the reverse', async () => {
    const inOrder = (rows: readonly Difference[]) => rows.map((row) => JSON.stringify(row)).sort();
    await fc.assert(
      fc.asyncProperty(anyEntries, anyEntries, anyEndpoint, async (one, other, endpoint) => {
        const there = await difference(one, other, { endpoint });
        const back = await difference(other, one, { endpoint });
        const swapped = back.rows.map(({ a, b, ...row }) => ({ ...row, a: b, b: a }));
        const same = there.rows.map(({ a, b, ...row }) => ({ ...row, a, b }));
        expect(inOrder(swapped)).toEqual(inOrder(same));
      }),
    );
  });
});

it('finds the same with a place for the facts of earlier turns', async () => {
  const texts = Array.from({ length: 300 }, (_, at) => `Day ${at}.`);
  const talk = (said: readonly string[]): ComparedEntry[] =>
    recordingOf(
      kugelMulti,
      said.flatMap((text, at) => {
        const { say, flush, opened, started, audio, words, more: _, ...rest } = turnOf(`context-${at}`);
        const of = { context_id: `context-${at}` };
        const own = out({ text, voice_settings: { voice_id: 268 }, ...of });
        const short = { ...audio, payload: audio.payload?.replace(pcm, 'AAAA') ?? null };
        return [own, flush, opened, started, short, words, short, ...Object.values(rest)];
      }),
    );
  const [a, b] = [talk(texts), talk(texts.with(7, 'Another day.').slice(0, -1))];
  let cloned = 0;
  const keep: KeepFacts = (data) => {
    cloned += 1;
    const copy = structuredClone(data);
    return () => copy;
  };
  const found = differencesOf(
    await factsOf('kugel-multi', each(a), keep),
    await factsOf('kugel-multi', each(b), keep),
    0,
  );
  expect(cloned).toBeGreaterThan(30);
  expect(found).toEqual(await difference(a, b, { toleranceMs: 0 }));
  expect(found.rows.length).toBeGreaterThan(1);
});
