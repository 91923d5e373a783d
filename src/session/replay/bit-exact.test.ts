import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Endpoint, PageEndpointId } from '#protocol/core/endpoint.ts';
import { endpointOf, PAGE_ENDPOINTS } from '#protocol/registry.ts';
import type { SessionCommand } from '../commands.ts';
import { ReplayWorld, record } from '../testing/recorded.ts';
import { sampleRateOf } from '../testing/served.ts';
import { type ScriptedSocket, World } from '../testing/world.ts';

type Step = (world: World) => void;

/** The step of a counterexample is printed as this. */
const named = (what: unknown, step: Step): Step =>
  Object.assign(step, { [fc.toStringMethod]: () => JSON.stringify(what) });

const CONTEXTS = ['narrator', 'Ann', 'Bob'];

/** Audio of any length in bytes, also odd ones, and never quiet. */
const bytes = fc
  .tuple(fc.integer({ min: 0, max: 9000 }), fc.integer({ min: 17, max: 120 }))
  .map(([length, value]) => new Uint8Array(length).fill(value));

const base64 = (payload: Uint8Array): string => Buffer.from(payload).toString('base64');

/** A socket is opened once, and says nothing before. */
const opened = new WeakSet<ScriptedSocket>();

/** A step with one of the last sockets. @param before the last one */
type SocketStep = (before: number) => Step;

const opens: SocketStep = (before) => {
  return ({ sockets }) => {
    const socket = sockets.at(-1 - before);
    if (!socket || opened.has(socket)) return;
    opened.add(socket);
    socket.open();
  };
};
const open = opens(0);

const closes = (code: number): SocketStep => {
  return (before) => (world) => world.sockets.at(-1 - before)?.close(code);
};

const says = (frame: unknown, before = 0): Step =>
  named(frame, ({ sockets }) => {
    const socket = sockets.at(-1 - before);
    if (!socket || !opened.has(socket)) return;
    // No server speaks on a context that it has not confirmed.
    const about =
      typeof frame === 'object' && frame !== null && 'context_id' in frame ? frame.context_id : null;
    if (about !== null) socket.say({ context_created: true, context_id: about });
    socket.say(frame);
  });

const does = (command: SessionCommand): Step =>
  named(command, (world) => {
    // Words that are typed while the connection closes go out nowhere, so they are in no recording.
    // The view is up to a frame behind.
    if (command.type === 'say' && world.session.state === 'closing') return;
    world.do(command);
  });

const kugelFrames = (context: fc.Arbitrary<object>): fc.Arbitrary<Step> =>
  fc
    .tuple(
      context,
      fc.oneof(
        {
          weight: 5,
          arbitrary: fc
            .tuple(bytes, fc.nat({ max: 2 }), fc.constantFrom('pcm_s16le', 'pcm_s16le', 'mulaw'))
            .map(([payload, chunk, enc]): object => ({
              audio: base64(payload),
              enc,
              idx: 0,
              sr: sampleRateOf(endpointOf('kugel-stream')),
              samples: payload.length >> 1,
              chunk_id: chunk,
            })),
        },
        {
          weight: 4,
          arbitrary: fc.constantFrom<object>(
            { generation_started: true, chunk_id: 0, text: 'Hi.' },
            { chunk_complete: true, chunk_id: 0, audio_seconds: 1, gen_ms: 1 },
            { final: true },
            { session_closed: true },
            { interrupted: true },
            { context_created: true },
            { context_closed: true },
            { warning: 'The turn is idle.' },
            { error: 'No.', code: 400 },
            { error: 'Broken.', code: 500 },
          ),
        },
      ),
    )
    .map(([where, frame]) => says({ ...frame, ...where }));

const murmrFrames: fc.Arbitrary<Step> = fc
  .oneof(
    { weight: 2, arbitrary: bytes },
    {
      weight: 3,
      arbitrary: bytes.map((payload): object => ({
        type: 'audio',
        chunk: base64(payload),
        sample_rate: sampleRateOf(endpointOf('murmr')),
        format: 'pcm_s16le',
      })),
    },
    {
      weight: 4,
      arbitrary: fc.constantFrom<object>(
        { type: 'config_ack', session_id: 's' },
        { type: 'done' },
        { type: 'done', total_chunks: 1, duration_ms: 10 },
        { type: 'pong' },
        { type: 'error', message: 'No.', code: 4003 },
      ),
    },
  )
  .map(says);

/** Its connections are one for a voice, and one ahead of the next turn. */
const place = fc.constantFrom(0, 1, 1, 2);

const elevenLabsFrames = (context: fc.Arbitrary<object>): fc.Arbitrary<Step> =>
  fc
    .tuple(
      context,
      place,
      fc.oneof(
        {
          weight: 5,
          arbitrary: fc
            .tuple(bytes, fc.constantFrom(null, ['H', 'i', '.', ' '], [' ', 'y', 'o']))
            .map(([payload, chars]): object => ({
              audio: base64(payload),
              isFinal: null,
              alignment: chars && {
                chars,
                charStartTimesMs: chars.map((_, at) => 50 * at),
                charDurationsMs: chars.map(() => 50),
              },
            })),
        },
        {
          weight: 4,
          arbitrary: fc.constantFrom<object>(
            { audio: null, isFinal: true },
            { audio: null, isFinal: true },
            { message: 'No.', error: 'invalid_api_key', code: 1008 },
            { message: 'Idle.', error: 'input_timeout_exceeded', code: 1008 },
          ),
        },
      ),
    )
    .map(([where, before, frame]) => says({ ...frame, ...where }, before));

const deepgramFrames = (control: fc.Arbitrary<object>): fc.Arbitrary<Step> =>
  fc.oneof({ weight: 5, arbitrary: bytes }, { weight: 4, arbitrary: control }).map((frame) => says(frame));

const speechFigures = {
  speech_id: 'dg_sp_000000000001',
  audio_duration_ms: 100,
  input_character_count: 3,
  billable_character_count: 3,
  controls_applied: { pronunciations_applied: 0, breaks_applied: 0, pronunciation_warnings: 0 },
};

const cartesiaFrames = (context: fc.Arbitrary<string>): fc.Arbitrary<Step> =>
  fc
    .tuple(
      context,
      fc.oneof(
        {
          weight: 5,
          arbitrary: fc
            .tuple(bytes, fc.constantFrom({}, {}, { flush_id: 1 }, { flush_id: 2 }))
            .map(([payload, flush]): object => ({
              ...{ type: 'chunk', status_code: 206, done: false, step_time: 5, data: base64(payload) },
              ...flush,
            })),
        },
        {
          weight: 4,
          arbitrary: fc.constantFrom<object>(
            { type: 'done', status_code: 206, done: true },
            { type: 'done', status_code: 206, done: true },
            { type: 'flush_done', status_code: 206, done: false, flush_done: true, flush_id: 1, data: '' },
            { type: 'error', status_code: 400, done: true, error: 'No: no.' },
            { type: 'error', status_code: 500, done: true, title: 'No', message: 'No.' },
          ),
        },
      ),
    )
    .map(([context_id, frame]) => says({ ...frame, context_id }));

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

const frames: Readonly<Record<PageEndpointId, fc.Arbitrary<Step>>> = {
  'kugel-stream': kugelFrames(fc.constant({})),
  'kugel-multi': kugelFrames(context.map((id) => ({ context_id: id }))),
  murmr: murmrFrames,
  'elevenlabs-stream': elevenLabsFrames(fc.constant({})),
  'elevenlabs-multi': elevenLabsFrames(
    fc.constantFrom(...CONTEXTS, 'Ann.2', 'Bob.2').map((contextId) => ({ contextId })),
  ),
  deepgram: deepgramFrames(
    fc.constantFrom<object>(
      { type: 'Flushed', sequence_id: 0 },
      { type: 'Flushed', sequence_id: 1 },
      { type: 'Cleared', sequence_id: 0 },
      { type: 'Warning', warn_code: 'EXCESSIVE_FLUSH', warn_msg: 'No.' },
      { type: 'Error', code: 'NET-0000' },
    ),
  ),
  'deepgram-flux': deepgramFrames(
    fc.constantFrom<object>(
      { type: 'SpeechStarted', speech_id: 'dg_sp_000000000001' },
      { type: 'SpeechMetadata', ...speechFigures },
      { type: 'SpeechInterrupted', audio_played_ms: 40, metadata: speechFigures },
      { type: 'Warning', code: 'NO_ACTIVE_SPEECH', description: 'No.' },
      { type: 'Warning', code: 'NO_AUDIO_GENERATED', description: 'No.' },
      { type: 'Error', code: 'NET-0000', description: 'No.' },
    ),
  ),
  cartesia: cartesiaFrames(fc.constantFrom(...CONTEXTS, 'Ann.2', 'Bob.2')),
};

const stepsOn = (endpoint: Endpoint<PageEndpointId>) =>
  fc.array(
    fc.tuple(
      fc.oneof(
        { weight: 6, arbitrary: frames[endpoint.id] },
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
const turnsOf = (world: World) =>
  [...world.turns.values()]
    .sort((a, b) => a.id - b.id)
    .map(({ text, textFrames, chunks, bargeIn, ...turn }) => [
      ...[turn.id, turn.context, turn.state, turn.samples, turn.audioFrames, turn.lateFrames],
      // Text that was not sent is in no recording.
      ...[textFrames > 0 ? text : '', turn.origin, turn.line],
      { isBySpeech: bargeIn !== null && bargeIn.onsetMs !== null },
      chunks.map((chunk) => [chunk.id, chunk.text, chunk.samples]),
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
    const rate = sampleRateOf(endpoint);
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
        expect(turnsOf(again)).toEqual(turnsOf(world));
        expect(firstDifference(again.heard, world.heard)).toBeNull();
        const { framesReceived, bytesReceived } = world.seen.connection ?? {};
        expect(again.seen.connection).toMatchObject({ framesReceived, bytesReceived });
        expect(again.run.isOver).toBe(true);
        expect(again.sockets).toEqual([]);
      }),
      { numRuns: 15, examples: FOUND[endpoint.id] ?? [] },
    );
  },
);

/** Null where they are the same to the bit. */
function firstDifference(a: readonly number[], b: readonly number[]): string | null {
  if (a.length !== b.length) return `${a.length} samples instead of ${b.length}`;
  const at = a.findIndex((sample, i) => sample !== b[i]);
  return at < 0 ? null : `sample ${at} is ${a[at]} instead of ${b[at]}`;
}
