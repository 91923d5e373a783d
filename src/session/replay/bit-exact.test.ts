import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Endpoint, EndpointId } from '#protocol/core/endpoint.ts';
import { endpointOf } from '#protocol/registry.ts';
import type { SessionCommand } from '../messages.ts';
import { record } from '../testing/recorded.ts';
import { type ScriptedSocket, World } from '../testing/world.ts';
import { NO_IMPAIRMENTS } from './impairments.ts';
import { ReplayRun } from './replay-run.ts';

type Step = (world: World) => void;

const RATES: Readonly<Record<EndpointId, number>> = {
  'kugel-stream': 16_000,
  'kugel-multi': 16_000,
  murmr: 24_000,
};

const CONTEXTS = ['narrator', 'Ann', 'Bob'];

/** Audio of any length in bytes, also odd ones, and never quiet. */
const bytes = fc
  .tuple(fc.integer({ min: 0, max: 9000 }), fc.integer({ min: 17, max: 120 }))
  .map(([length, value]) => new Uint8Array(length).fill(value));

const base64 = (payload: Uint8Array): string => Buffer.from(payload).toString('base64');

/** A socket is opened once, and says nothing before. */
const opened = new WeakSet<ScriptedSocket>();

const open: Step = ({ sockets }) => {
  const socket = sockets.at(-1);
  if (!socket || opened.has(socket)) return;
  opened.add(socket);
  socket.open();
};

const says = (frame: unknown): Step => {
  return ({ sockets }) => {
    const socket = sockets.at(-1);
    if (!socket || !opened.has(socket)) return;
    // No server speaks on a context that it has not confirmed.
    const about =
      typeof frame === 'object' && frame !== null && 'context_id' in frame ? frame.context_id : null;
    if (about !== null) socket.say({ context_created: true, context_id: about });
    socket.say(frame);
  };
};

const does = (command: SessionCommand): Step => {
  return (world) => {
    // Words that are typed while the connection closes go out nowhere, so they are in no recording.
    if (command.type === 'say' && world.seen.connection?.state === 'closing') return;
    world.do(command);
  };
};

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
              sr: RATES['kugel-stream'],
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
        sample_rate: RATES.murmr,
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

/** A person begins to speak, which is noticed a little later. */
function hears(kind: 'pause' | 'confirm' | 'cancel'): Step {
  return (world) => {
    const decidedMs = world.nowMs - 1;
    world.do({ type: 'talkOver', speech: { kind, onsetMs: decidedMs - 90, decidedMs } });
  };
}

const common: fc.Arbitrary<Step> = fc.constantFrom<Step>(
  open,
  open,
  (world) => world.sockets.at(-1)?.close(1006),
  (world) => world.sockets.at(-1)?.close(1000),
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
    { type: 'settings', settings: { voice_id: 2 } },
    { type: 'settings', settings: {} },
    { type: 'sendFrame', frame: '{"text":"By hand.","flush":true,"cancel":true}' },
  )
  .map(does);

const context = fc.constantFrom(...CONTEXTS);
const speaker = (id: string, voice: number) => ({ id, settings: { voice_id: voice }, keepOpen: false });

const staged: fc.Arbitrary<Step> = fc
  .oneof<fc.Arbitrary<SessionCommand>[]>(
    {
      weight: 4,
      arbitrary: fc.array(fc.tuple(context, fc.boolean()), { minLength: 1, maxLength: 4 }).chain((lines) =>
        fc.boolean().map((closeAfter) => ({
          type: 'perform' as const,
          lines: lines.map(([id, interrupts], line) => ({
            speaker: id,
            text: 'Hi there.',
            line,
            interrupts,
          })),
          source: { kind: 'whole' as const },
          closeAfter,
        })),
      ),
    } as never,
    context.map((id) => ({ type: 'openContext' as const, context: id })),
    fc.tuple(context, fc.boolean()).map(([id, immediate]) => ({
      type: 'closeContext' as const,
      context: id,
      immediate,
    })),
    context.map((id) => ({ type: 'cancel' as const, context: id })),
    fc
      .constantFrom('together' as const, 'inTurn' as const)
      .map((listening) => ({ type: 'listen' as const, listening, pauseMs: 120 })),
    fc.integer({ min: 1, max: 2 }).map((voice) => ({
      type: 'speakers' as const,
      speakers: CONTEXTS.map((id) => speaker(id, voice)),
    })),
  )
  .map(does);

const frames: Readonly<Record<EndpointId, fc.Arbitrary<Step>>> = {
  'kugel-stream': kugelFrames(fc.constant({})),
  'kugel-multi': kugelFrames(context.map((id) => ({ context_id: id }))),
  murmr: murmrFrames,
};

const stepsOn = (endpoint: Endpoint) =>
  fc.array(
    fc.tuple(
      fc.oneof(
        { weight: 6, arbitrary: frames[endpoint.id] },
        { weight: 3, arbitrary: endpoint.contexts ? staged : typed },
        { weight: 2, arbitrary: common },
      ),
      // To the microsecond, so that nothing falls on one moment with anything else.
      fc.oneof(fc.integer({ min: 1, max: 60_000 }), fc.integer({ min: 1, max: 900_000 })),
    ),
    { maxLength: 40 },
  );

/** What a turn became; its times are those of its own world. */
const turnsOf = (world: World) =>
  [...world.turns.values()]
    .sort((a, b) => a.id - b.id)
    .map(
      ({
        id,
        context: where,
        state,
        samples,
        audioFrames,
        lateFrames,
        text,
        textFrames,
        origin,
        line,
        chunks,
        bargeIn,
      }) => ({
        id,
        where,
        state,
        samples,
        audioFrames,
        lateFrames,
        // What never went out is in no recording.
        text: textFrames > 0 ? text : '',
        origin,
        line,
        isBySpeech: bargeIn !== null && bargeIn.onsetMs !== null,
        chunks: chunks.map((chunk) => [chunk.id, chunk.text, chunk.samples]),
      }),
    );

/** Off by half a microsecond, so that no step falls on the beginning of a quantum, where their order is arbitrary. */
const START_MS = 3.2105;
/** Longer than a pause may last, so that nothing happens while the last batch of the recording is posted. */
const TAIL_MS = 5500;

describe.each(['kugel-stream', 'kugel-multi', 'murmr'] as const)('a replay on %s', (id) => {
  const endpoint = endpointOf(id);

  it('plays the same samples at the same times as any session', () => {
    fc.assert(
      fc.property(stepsOn(endpoint), (steps) => {
        const world = new World(undefined, endpoint);
        const recorded = record(world);
        world.attachPlayer(RATES[id]);
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
        const entries = recorded();

        const box: { run?: ReplayRun } = {};
        const again = new World(undefined, endpoint, (options) => {
          box.run = new ReplayRun({
            ...options,
            endpoint,
            address: `ws://server/prefix${endpoint.path}`,
            impairments: NO_IMPAIRMENTS,
            listener: { wantsMore() {}, moved() {} },
          });
          return box.run.session;
        });
        again.attachPlayer(RATES[id]);
        again.advance(startedMs - attachedMs);
        box.run?.add(entries, true);
        box.run?.play();
        again.advance(world.nowMs - again.nowMs);

        expect(turnsOf(again)).toEqual(turnsOf(world));
        expect(firstDifference(again.heard, world.heard)).toBeNull();
        expect(again.seen.connection?.framesReceived).toBe(world.seen.connection?.framesReceived);
        expect(again.sockets).toEqual([]);
      }),
      { numRuns: 40 },
    );
  }, 120_000);
});

/** Null where they are the same to the bit. */
function firstDifference(a: readonly number[], b: readonly number[]): string | null {
  if (a.length !== b.length) return `${a.length} samples instead of ${b.length}`;
  const at = a.findIndex((sample, i) => sample !== b[i]);
  return at < 0 ? null : `sample ${at} is ${a[at]} instead of ${b[at]}`;
}
