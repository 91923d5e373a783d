import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Endpoint, PageEndpointId } from '#protocol/core/endpoint.ts';
import { EXAMPLE_AUDIO } from '#protocol/core/example-audio.ts';
import { isFields } from '#protocol/core/json-frame.ts';
import { ONLY_CONTEXT } from '#protocol/core/speech-event.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { PAGE_ENDPOINTS } from '#protocol/registry.ts';
import { describedFrames } from '#protocol/testing/described-frames.ts';
import { ExampleServer } from '#protocol/testing/example-server.ts';
import type { SessionCommand } from '../commands.ts';
import { ReplayWorld, record } from '../testing/recorded.ts';
import { World } from '../testing/world.ts';
import type { TurnView } from '../views.ts';

type Step = (world: World) => void;

/** The step of a counterexample is printed as this. */
const named = (what: unknown, step: Step): Step =>
  Object.assign(step, { [fc.toStringMethod]: () => JSON.stringify(what) });

const CONTEXTS = ['narrator', 'Ann', 'Bob'];

/** Audio of any length in bytes, also odd ones, and never quiet. */
const bytes = fc
  .tuple(fc.integer({ min: 0, max: 9000 }), fc.integer({ min: 17, max: 120 }))
  .map(([length, value]) => new Uint8Array(length).fill(value));

/** A step with one of the last sockets. @param before the last one */
type SocketStep = (before: number) => Step;

const opens: SocketStep = (before) => (world) => world.sockets.at(-1 - before)?.open();
const open = opens(0);

const closes = (code: number): SocketStep => {
  return (before) => (world) => world.sockets.at(-1 - before)?.close(code);
};

const says = (frame: unknown, before = 0): Step =>
  named(frame, ({ sockets, endpoint }) => {
    const socket = sockets.at(-1 - before);
    if (!socket?.isOpen) return;
    const server = new ExampleServer(endpoint);
    const context = server.contextKey && isFields(frame) && frame[server.contextKey];
    // No server speaks on a context that it has not confirmed.
    if (typeof context === 'string') for (const each of server.accepts('context', context)) socket.say(each);
    socket.say(frame);
  });

const does = (command: SessionCommand): Step =>
  named(command, (world) => {
    // Words that are typed while the connection closes go out nowhere, so they are in no recording.
    // The view is up to a frame behind.
    if (command.type === 'say' && world.session.state === 'closing') return;
    world.do(command);
  });

/** Connections may be one for a voice, and one ahead of the next turn. */
const place = fc.constantFrom(0, 1, 1, 2);

/** Frames of the server in any order: audio of any length, what its schemas describe, and its errors. */
function framesOn(endpoint: Endpoint): fc.Arbitrary<Step> {
  const server = new ExampleServer(endpoint);
  const { failures, exampleTurn } = protocolOf(endpoint);
  const names = endpoint.contexts ? [...CONTEXTS, 'Ann.2', 'Bob.2'] : [ONLY_CONTEXT];
  const ofContext = fc.constantFrom(...names);
  const audio = fc
    .tuple(bytes, ofContext, fc.constantFrom(null, 'Hi. ', ' yo'), fc.nat({ max: 2 }))
    .map(([payload, context, begins, index]) => server.audio(payload, context, begins, index));
  const turn = ofContext.chain((context) => fc.constantFrom(...exampleTurn('Hi.', context)));
  const errors = fc
    .tuple(fc.constantFrom(...failures.errors), ofContext)
    .map(([name, context]) => failures.error(name, endpoint.contexts && context).frame);
  const { contextKey } = server;
  const described = fc
    .tuple(fc.oneof(...describedFrames(endpoint)), ofContext)
    .map(([frame, context]) =>
      contextKey !== null && contextKey in frame ? { ...frame, [contextKey]: context } : frame,
    );
  return fc
    .tuple(
      endpoint.path.includes('{') ? place : fc.constant(0),
      fc.oneof(
        { weight: 10, arbitrary: audio },
        { weight: 5, arbitrary: turn },
        { weight: 5, arbitrary: described },
        { weight: 1, arbitrary: errors },
      ),
    )
    .map(([before, frame]) => says(typeof frame === 'string' ? JSON.parse(frame) : frame, before));
}

/** A person begins to speak, which is noticed a little later. */
function hears(kind: 'pause' | 'confirm' | 'cancel'): Step {
  return (world) => {
    const decidedMs = world.nowMs - 1;
    world.do({ type: 'talkOver', speech: { kind, onsetMs: decidedMs - 90, decidedMs } });
  };
}

/** What happens to connections where there may be several. */
const connected = fc
  .tuple(fc.constantFrom(opens, opens, opens, closes(1000), closes(1008)), place)
  .map(([step, before]) => step(before));

const common: fc.Arbitrary<Step> = fc.constantFrom<Step>(
  open,
  open,
  closes(1006)(0),
  closes(1000)(0),
  does({ type: 'connect' }),
  does({ type: 'disconnect' }),
  does({ type: 'cancel' }),
  does({ type: 'cancel' }),
  hears('pause'),
  hears('pause'),
  hears('confirm'),
  hears('cancel'),
  does({ type: 'talkOver', speech: { kind: 'continue' } }),
);

const typed: fc.Arbitrary<Step> = fc
  .constantFrom<SessionCommand>(
    { type: 'speak', text: 'Hi there. And more of it.' },
    { type: 'speak', text: 'Hi.' },
    { type: 'say', text: 'a b', origin: 'typed' },
    { type: 'flush' },
    { type: 'endTurn' },
    { type: 'sendFrame', frame: '{"text":"By hand.","flush":true,"cancel":true}' },
  )
  .map(does);

const wanted: fc.Arbitrary<Step> = fc.boolean().map((isOther): Step => {
  return (world) => {
    const { voice_id, ...others } = world.settings;
    const isNeeded = world.endpoint.path.includes('{voice_id}');
    const voice = isOther ? { voice_id: 2 } : isNeeded ? { voice_id } : {};
    world.do({ type: 'settings', settings: { ...others, ...voice } });
  };
});

const context = fc.constantFrom(...CONTEXTS);
const speaker = (id: string, voice: number) => ({
  id,
  settings: { voice_id: voice, voice: `v${voice}` },
  keepOpen: false,
});

const line = fc.record({
  speaker: context,
  text: fc.constant('Hi there.'),
  line: fc.constant(0),
  interrupts: fc.boolean(),
});

const voices = fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 3, maxLength: 3 });

const staged: fc.Arbitrary<Step> = fc
  .oneof(
    ...[1, 2, 3, 4].map(() =>
      fc.record({
        type: fc.constant('perform' as const),
        lines: fc.array(line, { minLength: 1, maxLength: 4 }),
        source: fc.constant({ kind: 'whole' as const }),
        closeAfter: fc.boolean(),
      }),
    ),
    context.map((id) => ({ type: 'openContext' as const, context: id })),
    fc.record({ type: fc.constant('closeContext' as const), context, immediate: fc.boolean() }),
    context.map((id) => ({ type: 'cancel' as const, context: id })),
    fc
      .constantFrom('together' as const, 'inTurn' as const)
      .map((listening) => ({ type: 'listen' as const, listening, pauseMs: 120 })),
    voices.map((cast) => ({
      type: 'speakers' as const,
      speakers: CONTEXTS.map((id, at) => speaker(id, cast[at] ?? 1)),
    })),
  )
  .map(does);

const stepsOn = (endpoint: Endpoint<PageEndpointId>) =>
  fc.array(
    fc.tuple(
      fc.oneof(
        { weight: 6, arbitrary: framesOn(endpoint) },
        {
          weight: 3,
          arbitrary: endpoint.contexts ? staged : fc.oneof({ weight: 6, arbitrary: typed }, wanted),
        },
        { weight: 2, arbitrary: common },
        { weight: endpoint.path.includes('{') ? 2 : 0, arbitrary: connected },
      ),
      // To the microsecond, so that nothing falls on one moment with anything else.
      fc.oneof(fc.integer({ min: 1, max: 60_000 }), fc.integer({ min: 1, max: 500_000 })),
    ),
    { maxLength: 40 },
  );

/** The state of each turn. Its times are those of its own world. */
/** Text that was not sent is in no recording: at the end of an open turn, what its replay does not have. */
const textOf = ({ id, text, textFrames, flushedMs }: TurnView, replayed: World): string => {
  if (textFrames === 0) return '';
  const sent = replayed.turns.get(id)?.text ?? '';
  return flushedMs === null && sent !== '' && text.startsWith(sent) ? sent : text;
};

const turnsOf = (world: World, replayed: World) =>
  [...world.turns.values()]
    .sort((a, b) => a.id - b.id)
    .map((turn) => [
      ...[turn.id, turn.context, turn.state, turn.samples, turn.audioFrames, turn.lateFrames],
      ...[textOf(turn, replayed), turn.origin, turn.line],
      { isBySpeech: turn.bargeIn !== null && turn.bargeIn.onsetMs !== null },
      turn.chunks.map((chunk) => [chunk.id, chunk.text, chunk.samples]),
    ]);

const performs = (...speakers: string[]): Step =>
  does({
    type: 'perform',
    lines: speakers.map((speaker) => ({ speaker, text: 'Hi there.', line: 0 })),
    source: { kind: 'whole' },
    closeAfter: false,
  });

/** Sessions that once differed. */
const FOUND: Partial<Record<PageEndpointId, [[Step, number][]][]>> = {
  // The text of the turn waits for the answer to the cancel, and that of the frame does not.
  'kugel-stream': [
    [
      [
        [says({ generation_started: true, chunk_id: 0, text: 'Hi.' }), 1],
        [does({ type: 'cancel' }), 1],
        [does({ type: 'speak', text: 'Hi.' }), 1],
        [does({ type: 'sendFrame', frame: '{"text":"By hand.","flush":true,"cancel":true}' }), 1],
      ],
    ],
    // Audio of a turn that is cancelled by hand is late until the answer, also where the same frame has text.
    [
      [
        [says({ audio: '', enc: 'pcm_s16le', idx: 0, sr: 16_000, samples: 0, chunk_id: 0 }), 1],
        [does({ type: 'sendFrame', frame: '{"text":"By hand.","flush":true,"cancel":true}' }), 1],
        [says({ audio: '', enc: 'pcm_s16le', idx: 0, sr: 16_000, samples: 0, chunk_id: 0 }), 1],
      ],
    ],
  ],
  // The next connection opens ahead while a failed turn may still be spoken on the last one.
  'elevenlabs-stream': [
    [
      [
        [does({ type: 'say', text: 'a b', origin: 'typed' }), 1],
        [says({ audio: null, isFinal: true }), 1],
        [does({ type: 'speak', text: 'Hi.' }), 1],
        [says({ audio: 'EQ==', isFinal: null, alignment: null }, 1), 1],
      ],
    ],
    // Text by hand joins a turn whose typed text still waits.
    [
      [
        [does({ type: 'speak', text: 'Hi there. And more of it.' }), 1],
        [does({ type: 'speak', text: 'Hi there. And more of it.' }), 1],
        [does({ type: 'sendFrame', frame: '{"text":"By hand.","flush":true,"cancel":true}' }), 1],
        [does({ type: 'say', text: 'a b', origin: 'typed' }), 1],
        [open, 1],
      ],
    ],
  ],
  // A disconnect concerns one connection after the other, and their turns with them.
  'elevenlabs-multi': [
    [
      [
        [closes(1006)(0), 1],
        [performs('narrator'), 1],
        [does({ type: 'disconnect' }), 1],
      ],
    ],
    // A line waits for the voice that its speaker had when it began.
    [
      [
        [closes(1008)(0), 1],
        [performs('Bob', 'narrator'), 1],
        [
          does({
            type: 'speakers',
            speakers: CONTEXTS.map((name) => speaker(name, name === 'Bob' ? 2 : 1)),
          }),
          1,
        ],
        [closes(1008)(0), 1],
      ],
    ],
  ],
  // The dialect cancels again by itself, which cancels no later turn.
  'deepgram-flux': [
    [
      [
        [says(new Uint8Array(100).fill(40)), 1],
        [does({ type: 'cancel' }), 1],
        [does({ type: 'speak', text: 'Hi.' }), 1],
        [says({ type: 'Warning', code: 'NO_AUDIO_GENERATED', description: 'No.' }), 1],
        [says(new Uint8Array(100).fill(40)), 1],
      ],
    ],
    // A cancel before the first audio is refused, and the audio behind it is of the cancelled turn.
    [
      [
        [does({ type: 'speak', text: 'Hi.' }), 1],
        [does({ type: 'cancel' }), 1],
        [says({ type: 'Warning', code: 'NO_AUDIO_GENERATED', description: 'No.' }), 1],
        [says(new Uint8Array(100).fill(40)), 1],
      ],
    ],
  ],
  // The close at once of a context that opens sends nothing, so no answer ends the wait for it.
  'kugel-multi': [
    [
      [
        [performs('Bob'), 1],
        [does({ type: 'closeContext', context: 'Bob', immediate: true }), 1],
        [performs('Bob', 'narrator'), 1],
        [
          says({
            audio: '',
            enc: 'pcm_s16le',
            idx: 0,
            sr: 16_000,
            samples: 0,
            chunk_id: 0,
            context_id: 'Bob',
          }),
          1,
        ],
      ],
    ],
  ],
};

/** Off by half a microsecond, so that no step falls on the beginning of a quantum, where their order is arbitrary. */
const START_MS = 3.2105;
/** Longer than a pause may last, so that nothing happens while the last batch of the recording is posted. */
const TAIL_MS = 5500;

it.each(PAGE_ENDPOINTS)(
  'a replay on $id plays the same samples at the same times as any session',
  (endpoint) => {
    const rate = EXAMPLE_AUDIO.sampleRate;
    fc.assert(
      fc.property(stepsOn(endpoint), (steps) => {
        const world = new World(undefined, endpoint);
        // Among its steps are messages by hand, and voices that other vendors name.
        world.sendsNonsense = true;
        const { entries } = record(world);
        world.attachPlayer(rate);
        const attachedMs = world.nowMs;
        world.advance(START_MS);
        if (endpoint.contexts)
          world.do({ type: 'speakers', speakers: CONTEXTS.map((name) => speaker(name, 1)) });
        world.do({ type: 'connect' });
        open(world);
        const startedMs = world.nowMs;
        for (const [step, us] of steps) {
          step(world);
          world.advance(us / 1000);
        }
        world.advance(TAIL_MS);

        const again = new ReplayWorld(endpoint);
        again.attachPlayer(rate);
        again.advance(startedMs - attachedMs);
        again.play(entries());
        again.advance(world.nowMs - again.nowMs);
        expect(turnsOf(again, again)).toEqual(turnsOf(world, again));
        expect(firstDifference(again.heard, world.heard)).toBeNull();
        const { framesReceived, bytesReceived } = world.seen.connection ?? {};
        expect(again.seen.connection).toMatchObject({ framesReceived, bytesReceived });
        expect(again.run.isOver).toBe(true);
        expect(again.sockets).toEqual([]);
      }),
      { numRuns: 7, examples: FOUND[endpoint.id] ?? [] },
    );
  },
);

/** Null where they are the same to the bit. */
function firstDifference(a: readonly number[], b: readonly number[]): string | null {
  if (a.length !== b.length) return `${a.length} samples instead of ${b.length}`;
  const at = a.findIndex((sample, i) => sample !== b[i]);
  return at < 0 ? null : `sample ${at} is ${a[at]} instead of ${b[at]}`;
}
