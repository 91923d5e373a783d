import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keylessAddress } from '../../core/address.ts';
import type { Dialect, Intent } from '../../core/endpoint.ts';
import type { Frame } from '../../core/frame.ts';
import type { Finding } from '../../core/rule.ts';
import { into, lint, out, type Step } from '../../lint/recordings.test-helper.ts';
import { cartesia } from '../endpoints.ts';
import { protocols } from '../protocols.ts';
import { errorFrame } from '../wire/errors.ts';
import { chunkFrame, doneFrame, flushDoneFrame, timestampsFrame } from '../wire/server-frames.ts';
import { VERSIONS } from '../wire/settings.ts';
import { openCartesiaLinter } from './socket.ts';

/** Sessions of real programs and of the page, with the findings that are due. */

const BASE = 'wss://api.cartesia.ai/tts/websocket';
const opened = (query = ''): Step => ({ open: true, address: `${BASE}${query}` });
const VOICE = 'f786b574-daa5-4673-aa0c-cbe3e8534c02';
const S16 = { container: 'raw', encoding: 'pcm_s16le', sample_rate: 24_000 };
const F32 = { container: 'raw', encoding: 'pcm_f32le', sample_rate: 44_100 };

const SDK = { model_id: 'sonic-3.6', output_format: S16, voice: { id: VOICE } };
const PYTHON = { model_id: 'sonic-latest', output_format: F32, voice: { id: VOICE } };
const LIVEKIT = {
  model_id: 'sonic-3',
  voice: { mode: 'id', id: VOICE },
  output_format: S16,
  language: 'en',
  max_buffer_delay_ms: 0,
  add_timestamps: true,
  generation_config: { speed: 1 },
};
const LIVEKIT_PYTHON = { ...LIVEKIT, language: null };
const PIPECAT = {
  model_id: 'sonic-3.5',
  voice: { mode: 'id', id: VOICE },
  output_format: S16,
  add_timestamps: true,
  use_normalized_timestamps: false,
  max_buffer_delay_ms: 0,
  language: 'en',
};

const say = (settings: object, transcript: string, context_id = 'c1', more: object = {}, ms = 50) =>
  out({ ...settings, transcript, context_id, continue: true, ...more }, ms);
const end = (settings: object, context_id = 'c1', transcript = '') =>
  say(settings, transcript, context_id, { continue: false });
const cancel = (context: string) => out({ context_id: context, cancel: true });
const audio = (context = 'c1', flush: number | null = null, bytes = 16_384) =>
  into(chunkFrame(context, btoa('\0'.repeat(bytes)), 41.7, flush), 90);
const words = (from: number, context = 'c1') =>
  into(
    timestampsFrame(context, {
      words: ['one', 'two'],
      start: [from, from + 0.1],
      end: [from + 0.1, from + 0.2],
    }),
  );
const flushed = (id: number, context = 'c1') => into(flushDoneFrame(context, id));
const done = (context = 'c1', ms = 20) => into(doneFrame(context), ms);
const CLOSE: Step = { close: 1000, ms: 300 };

const LIVEKIT_QUERY = '?cartesia_version=2025-04-16';
const pipecatTurn = (context = 'c1') => [
  say(PIPECAT, 'Hi there.', context),
  say(PIPECAT, 'The train is late.', context),
  audio(context),
  words(0, context),
  flushed(1, context),
  audio(context),
  words(0.5, context),
  flushed(2, context),
  end(PIPECAT, context),
  done(context),
];
const refused = (version: '2025-04-16' | '2026-08-14', context = 'c1') =>
  into(errorFrame({ name: 'invalid_transcript' }, context, version, '0f0e'));

const SEQUENCES: [string, Step[], string[]?][] = [
  [
    'a turn of the SDK, and another',
    [
      opened('?cartesia_version=2026-08-14&cartesia_client=cartesia-js/4.2.0'),
      ...['c1', 'c2'].flatMap((id) => [
        say(SDK, 'Hello ', id),
        say(SDK, 'world.', id),
        end(SDK, id),
        audio(id),
        done(id),
      ]),
      CLOSE,
    ],
  ],
  ...[0, 1].map((first): [string, Step[]] => [
    `a flush that counts from ${first}`,
    [
      opened(),
      say(SDK, 'The first text. '),
      say(SDK, '', 'c1', { flush: true }),
      audio('c1', first),
      flushed(first),
      say(SDK, 'The second one. '),
      audio('c1', first + 1),
      end(SDK),
      audio('c1', first + 1),
      done(),
      CLOSE,
    ],
  ]),
  [
    'text and flush in one, floats',
    [
      opened(),
      say(PYTHON, 'A train.', 'c1', { flush: true }),
      audio(),
      flushed(0),
      say(PYTHON, 'B.'),
      end(PYTHON),
      audio(),
      done(),
      CLOSE,
    ],
  ],
  [
    'LiveKit for Python',
    [
      opened(LIVEKIT_QUERY),
      say(LIVEKIT_PYTHON, 'First sentence. '),
      say(LIVEKIT_PYTHON, 'Second one. '),
      end(LIVEKIT_PYTHON, 'c1', ' '),
      audio(),
      words(0),
      flushed(1),
      audio(),
      words(0.6),
      flushed(2),
      done(),
      CLOSE,
    ],
  ],
  [
    'LiveKit without speech',
    [opened(), end(LIVEKIT, 'c1', ' '), refused('2025-04-16'), CLOSE],
    ['first-text-silent'],
  ],
  [
    'LiveKit without speech, with the error of a later version',
    [opened(LIVEKIT_QUERY), end(LIVEKIT, 'c1', ' '), refused('2026-08-14'), CLOSE],
    ['first-text-silent', 'error-shape'],
  ],
  ['Pipecat', [opened(), ...pipecatTurn(), CLOSE]],
  [
    'a barge-in of Pipecat',
    [
      opened(),
      ...pipecatTurn().slice(0, 3),
      cancel('c1'),
      say(PIPECAT, 'No.', 'c2'),
      audio(),
      done(),
      audio('c2'),
      end(PIPECAT, 'c2'),
      done('c2'),
      CLOSE,
    ],
  ],
  [
    'a barge-in of Pipecat, with all audio after the cancel',
    [
      opened(),
      ...pipecatTurn().slice(0, 3),
      cancel('c1'),
      say(PIPECAT, 'No.', 'c2'),
      ...Array.from({ length: 20 }, () => [audio(), audio('c2')]).flat(),
      done(),
      end(PIPECAT, 'c2'),
      done('c2'),
      CLOSE,
    ],
  ],
  [
    'a barge-in of LiveKit by the close',
    [
      opened(LIVEKIT_QUERY),
      say(LIVEKIT, 'First sentence. '),
      say(LIVEKIT, 'Second one. '),
      audio(),
      { close: 1005 },
      { ...opened(LIVEKIT_QUERY), on: 2 },
      ...[say(LIVEKIT, 'No. ', 'c2'), audio('c2'), end(LIVEKIT, 'c2', ' '), done('c2')].map((step) => ({
        ...step,
        on: 2,
      })),
    ],
  ],
  [
    'a barge-in of LiveKit, with the same socket',
    [
      opened(LIVEKIT_QUERY),
      say(LIVEKIT, 'First sentence. '),
      say(LIVEKIT, 'Second one. '),
      audio(),
      say(LIVEKIT, 'No. ', 'c2'),
      audio(),
      audio('c2'),
      end(LIVEKIT, 'c2', ' '),
      done('c2'),
      done('c1', 1000),
    ],
    ['barge-in-uncancelled'],
  ],
  [
    'one-shots of the SDK 2',
    [
      opened('?api_key=[key]&cartesia_version=2025-04-16'),
      ...['c1', 'c2'].flatMap((id) => [
        say({ ...SDK, voice: LIVEKIT.voice }, 'One text.', id, { continue: false }),
        audio(id),
        done(id),
      ]),
      CLOSE,
    ],
    ['key-in-query'],
  ],
  [
    'one-shots of the SDK 2, with the same id',
    [
      opened(),
      say(SDK, 'One text.', 'c1', { continue: undefined }),
      audio(),
      say(SDK, 'Another one.', 'c1', { continue: undefined }),
      done(),
      CLOSE,
    ],
    ['text-after-end'],
  ],
  [
    'idle and return',
    [
      opened(),
      ...pipecatTurn(),
      { close: 1000, ms: 300_000 },
      ...[opened(), ...pipecatTurn('c2')].map((step) => ({ ...step, on: 2 })),
    ],
    ['idle-near'],
  ],
  [
    'text after the expiry',
    [
      opened(),
      say(SDK, 'One text.'),
      audio(),
      done('c1', 1010),
      say(SDK, 'More.', 'c1', {}, 3000),
      refused('2026-08-14'),
      CLOSE,
    ],
    ['context-idle', 'text-after-done'],
  ],
  [
    'two contexts at once and a cancel',
    [
      opened(),
      say(SDK, 'The first one speaks. ', 'c1'),
      say(SDK, 'The second one as well. ', 'c2'),
      audio('c1'),
      audio('c2'),
      say(SDK, 'And goes on. ', 'c1'),
      cancel('c2'),
      audio('c1'),
      audio('c2'),
      done('c2'),
      end(SDK, 'c1'),
      done('c1'),
      CLOSE,
    ],
  ],
];

const foundIn = (steps: readonly Step[]) => lint(openCartesiaLinter(), steps);

it.each(SEQUENCES)('finds what is due in %s', (_, steps, due = []) => {
  const found = foundIn(steps).map(({ id, message }) => [id, message]);
  expect(found.map(([id]) => id).sort(), JSON.stringify(found)).toEqual([...due].sort());
});

/** A server of the protocol book: speaks each text 60 ms after it, and ends a context 1 s after its audio. Times in ms. */
class ModelServer {
  readonly #contexts = new Map<
    string,
    { texts: number; spokenS: number; flush: number; at: number; ended: boolean }
  >();
  readonly #gone = new Set<string>();

  read(frame: string, at: number): object[] {
    const { context_id: id, transcript, continue: continues, flush, cancel: cancels } = JSON.parse(frame);
    if (this.#gone.has(id))
      return cancels || transcript.trim() === ''
        ? []
        : [errorFrame({ name: 'invalid_request' }, id, '2026-08-14', '0f0e')];
    if (cancels) return this.#contexts.has(id) ? [this.#end(id)] : [];
    const context = this.#contexts.get(id) ?? { texts: 0, spokenS: 0, flush: 0, at, ended: false };
    this.#contexts.set(id, context);
    context.at = at;
    if (/\S/.test(transcript)) context.texts += 1;
    if (continues) return flush ? [...this.#speak(id), flushDoneFrame(id, context.flush++)] : [];
    return [...this.#speak(id), this.#end(id)];
  }

  /** The frames that time brings. */
  pass(at: number): object[] {
    return [...this.#contexts].flatMap(([id, context]) => {
      if (context.texts > 0 && at - context.at >= 60) {
        context.at = at;
        return this.#speak(id);
      }
      return context.spokenS > 0 && context.texts === 0 && at - context.at >= 1000 ? [this.#end(id)] : [];
    });
  }

  #speak(id: string): object[] {
    const context = this.#contexts.get(id);
    if (!context) return [];
    const frames: object[] = [];
    for (; context.texts > 0; context.texts -= 1) {
      const from = context.spokenS;
      context.spokenS += 0.2;
      frames.push(chunkFrame(id, btoa('\0'.repeat(9600)), 40, context.flush));
      frames.push(timestampsFrame(id, { words: ['one'], start: [from], end: [from + 0.2] }, context.flush));
    }
    return frames;
  }

  #end(id: string): object {
    this.#contexts.delete(id);
    this.#gone.add(id);
    return doneFrame(id);
  }
}

const SPEAKERS = { ann: VOICE, ben: 'a0e99841-438c-4a64-b679-ae501e7d6091' };
const intents = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('say' as const),
      text: fc.constantFrom(
        'Good',
        ' mor',
        'ning',
        ', ',
        'all ',
        '... ',
        '<spell>AB',
        'C</spell> ',
        '<break ti',
        'me="1s"/> ',
        '42 ',
        'Yes. ',
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('flush' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('endTurn' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const) }) },
);
/** So that all of them take less than a second with the shortest gaps. */
const MAX_ACTS = 32;
const acts = (gaps: readonly number[]) =>
  fc.array(
    fc.record({
      intent: intents,
      context: fc.constantFrom(...(Object.keys(SPEAKERS) as (keyof typeof SPEAKERS)[])),
      ms: fc.constantFrom(...gaps),
    }),
    { maxLength: MAX_ACTS },
  );

const LATENCY_MS = 40;

type Act = { intent: Omit<Intent, 'context'>; context: keyof typeof SPEAKERS; ms: number };

/** The recording of a session of the page with that server. */
function recorded(version: string, list: readonly Act[]): Step[] {
  const settings = { ...cartesia.initialSettings, cartesia_version: version };
  const dialect: Dialect = protocols.cartesia.open({ settings, key: 'sk_1' });
  const server = new ModelServer();
  const steps: Step[] = [
    { open: true, address: keylessAddress(cartesia, 'wss://api.cartesia.ai', settings) },
  ];
  let now = 0;
  /** Frames of the server on their way. */
  const flying: { frame: object; due: number }[] = [];
  const fly = (frames: readonly object[]) =>
    flying.push(...frames.map((frame) => ({ frame, due: now + LATENCY_MS })));
  const send = (frames: readonly Frame[]): void => {
    for (const frame of frames) {
      steps.push(out(frame, 0));
      fly(server.read(String(frame), now));
    }
  };
  const pass = (ms: number): void => {
    for (let left = ms; left > 0; left -= 10) {
      now += 10;
      steps.push({ pass: 10 });
      fly(server.pass(now));
      while (flying[0] && flying[0].due <= now) {
        const { frame } = flying.shift() ?? { frame: {} };
        steps.push(into(frame, 0));
        dialect.decode(JSON.stringify(frame));
        send(dialect.replies?.() ?? []);
      }
    }
  };
  const spoken = new Set<string>();
  for (const { intent, context, ms } of list) {
    const opens = { voice: SPEAKERS[context] };
    if (intent.kind === 'say') send(dialect.encode({ ...intent, context, opens } as Intent));
    else send(dialect.encode({ ...intent, context } as Intent));
    if (intent.kind === 'say') spoken.add(context);
    pass(ms);
  }
  for (const context of spoken) send(dialect.encode({ kind: 'endTurn', context }));
  pass(500);
  send(dialect.encode({ kind: 'disconnect' }));
  return [...steps, CLOSE];
}

/** Findings beside those of turns without a word, which the page sends so that the server refuses them. */
const foundInPage = (steps: readonly Step[]): string[] => {
  const frames = steps.filter((step) => !('pass' in step));
  const isEmptyTurn = ({ id, frame }: Finding): boolean => {
    const step = frames[frame];
    return (
      id === 'first-text-silent' &&
      step !== undefined &&
      'out' in step &&
      !JSON.parse(String(step.out)).continue
    );
  };
  return foundIn(steps).flatMap((one) => (isEmptyTurn(one) ? [] : [`${one.id} ${one.message}`]));
};

describe('the page', () => {
  it.each(VERSIONS)('has no findings without pauses, in version %s', (version) => {
    fc.assert(
      fc.property(acts([10, 20, 30]), (list) => {
        expect(foundInPage(recorded(version, list))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('has those of pauses alone, and goes on in another context', () => {
    fc.assert(
      fc.property(acts([10, 200, 1010, 1050, 1060, 1090, 1500, 4000]), (list) => {
        const found = foundInPage(recorded('2026-08-14', list));
        expect(found.filter((each) => !each.startsWith('context-idle '))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
