import fc from 'fast-check';
import { decoders } from '#player/decoders.ts';
import { AUDIO_ENCODINGS, type AudioEncoding } from '#protocol/core/audio-format.ts';
import type { Endpoint, PageEndpointId } from '#protocol/core/endpoint.ts';
import { EXAMPLE_AUDIO } from '#protocol/core/example-audio.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { exampleVoice } from '#protocol/testing/example-voice.ts';
import type { RecorderMessage } from '#recordings/recordings.ts';
import type { SessionCommand } from '#session/commands.ts';
import type { EndpointSession } from '#session/session.ts';
import { World } from '#session/testing/world.ts';
import { Sessions } from '#session/worker.ts';
import { protocolOf } from '../../support/protocols.ts';
import { Broken, type FuzzPart } from '../fuzz-part.ts';
import { shownMessage } from '../mutation/mutations.ts';
import { Agreement } from './agreement.ts';
import { framesOfServers, mutatedFrames, type ServerFrames } from './server-scripts.ts';

/** Anything that happens to a session besides a frame. */
type Event =
  | { kind: 'do'; command: SessionCommand }
  | { kind: 'open' | 'attachPlayer' }
  | { kind: 'close'; code: number }
  | { kind: 'pass'; ms: number };

type Step = Event | { kind: 'frame'; frame: Frame };

export interface WorkerCase {
  endpoint: Endpoint<PageEndpointId>;
  steps: Step[];
}

const MOST_EVENTS = 10;
const ENCODINGS = Object.keys(AUDIO_ENCODINGS) as AudioEncoding[];
const WHOLE = { kind: 'whole' } as const;

const commandsOf = (endpoint: Endpoint): fc.Arbitrary<SessionCommand> =>
  fc.constantFrom<SessionCommand>(
    ...speaking(endpoint, 'Hello there. How are you?'),
    { type: 'say', text: 'a b', origin: 'typed' },
    { type: 'flush' },
    { type: 'endTurn' },
    { type: 'cancel' },
    { type: 'connect' },
    { type: 'disconnect' },
    { type: 'settings', settings: { ...endpoint.initialSettings, ...exampleVoice(endpoint, 1) } },
    { type: 'settings', settings: {} },
    { type: 'repeat', turn: 1, fromSample: 7 },
    { type: 'repeat', turn: 99, fromSample: -7 },
    { type: 'stopRepeat' },
    { type: 'detachPlayer' },
    { type: 'sendFrame', frame: '{"text":"[key]"}' },
    { type: 'sendFrame', frame: '{"text":"A word. ","context_id":"ada"}' },
    { type: 'closeContext', context: 'ada', immediate: true },
    { type: 'openContext', context: 'narrator' },
    { type: 'cancel', context: 'ada' },
  );

/** The commands by which the page speaks. */
const speaking = ({ contexts }: Endpoint, text: string): SessionCommand[] =>
  contexts
    ? [
        {
          type: 'perform',
          lines: [{ speaker: 'narrator', text, line: 0 }],
          source: WHOLE,
          closeAfter: false,
        },
      ]
    : [{ type: 'speak', text }];

const eventsOf = (endpoint: Endpoint): fc.Arbitrary<{ at: number; event: Event }[]> =>
  fc.array(
    fc.record({
      at: fc.nat({ max: 1000 }),
      event: fc.oneof(
        { weight: 4, arbitrary: commandsOf(endpoint).map((command): Event => ({ kind: 'do', command })) },
        { weight: 2, arbitrary: fc.constant<Event>({ kind: 'open' }) },
        { weight: 1, arbitrary: fc.constant<Event>({ kind: 'attachPlayer' }) },
        {
          weight: 1,
          arbitrary: fc
            .constantFrom(1000, 1006, 1012, 4001, 4500)
            .map((code): Event => ({ kind: 'close', code })),
        },
        { weight: 3, arbitrary: fc.integer({ min: 1, max: 400 }).map((ms): Event => ({ kind: 'pass', ms })) },
      ),
    }),
    { maxLength: MOST_EVENTS, size: 'max' },
  );

const casesOf = (server: ServerFrames): fc.Arbitrary<WorkerCase> => {
  const { endpoint } = server;
  return fc
    .record({ messages: mutatedFrames(server), events: eventsOf(endpoint) })
    .map(({ messages, events }) => {
      const steps = messages.flatMap(({ payload, isText }): Step[] =>
        // A browser fails the connection at such a message, and no frame arrives.
        isText && typeof payload !== 'string'
          ? [{ kind: 'close', code: 1006 }, { kind: 'do', command: { type: 'connect' } }, { kind: 'open' }]
          : [{ kind: 'frame', frame: payload }],
      );
      for (const { at, event } of events) steps.splice(at % (steps.length + 1), 0, event);
      return { endpoint, steps };
    });
};

/** Frames, commands and closes to the code of the session worker, and its recording to that of the recordings worker. */
export function workerPart(): FuzzPart<WorkerCase> {
  return {
    name: 'worker',
    cases: fc.oneof(...framesOfServers().map(casesOf)),
    sizeOf: ({ steps }) => steps.filter(({ kind }) => kind === 'frame').length,
    check: run,
    describe: ({ endpoint, steps }) => [endpoint.id, ...steps.map(described)].join('\n'),
  };
}

const described = (step: Step): string =>
  step.kind === 'frame'
    ? `  ← ${shownMessage({ payload: step.frame, isText: typeof step.frame === 'string' })}`
    : `  ${JSON.stringify(step)}`;

async function run({ endpoint, steps }: WorkerCase): Promise<void> {
  // A frame waits for a decoder that is not at hand, so that a case would depend on those before it.
  for (const encoding of ENCODINGS) await decoders.ready(encoding);
  const agreement = new Agreement();
  const world = worldOf(endpoint, (message) => agreement.take(structuredClone(message)));
  world.attachPlayer();
  const settings = exampleVoice(endpoint);
  const speakers = ['narrator', 'ada'].map((id) => ({ id, settings, keepOpen: false }));
  world.do({ type: 'speakers', speakers });
  world.connect();
  for (const command of speaking(endpoint, 'Hello there.')) world.do(command);
  const [first, ...rest] = steps;
  if (first) checkTelling(world, endpoint, first);
  for (const step of rest) take(world, step);
  world.advance(100);
  for (const { title, detail } of world.seen.problems ?? []) {
    if (title.trim() === '' || detail.trim() === '')
      throw new Broken('expected a problem in words, got none');
  }
  speakAfterwards(world, endpoint);
  await agreement.check(world.turns);
}

/** Takes the first step. A frame that the page cannot use, or that reports an error, must become a problem. */
function checkTelling(world: World, endpoint: Endpoint, first: Step): void {
  take(world, first);
  if (first.kind !== 'frame') return;
  world.advance(20);
  const isProblem = protocolOf(endpoint)
    .open({ settings: {}, key: '' })
    .decode(first.frame)
    .some(({ type }) => type === 'unknown' || type === 'malformed' || type === 'error');
  if (isProblem && world.problems.length === 0) throw new Broken('expected a problem of the frame, got none');
}

/** The world around the session worker's own `Sessions`. */
const worldOf = (endpoint: Endpoint, feed: (message: RecorderMessage) => void): World => {
  const world = new World(undefined, endpoint, ({ report, ...options }) => {
    const sessions = new Sessions({
      ...options,
      report: (posted) => {
        if (posted.type === 'update') report(posted.update);
      },
    });
    // The world only hands its commands over.
    return {
      handle: (command: SessionCommand) => sessions.handle(command),
    } as EndpointSession;
  });
  world.sendsNonsense = true;
  const port = {
    postMessage: feed,
  };
  // A recorder posts, and nothing else.
  world.do({ type: 'attachRecordings', port: port as unknown as MessagePort });
  return world;
};

function take(world: World, step: Step): void {
  switch (step.kind) {
    case 'frame':
      world.sockets.at(-1)?.say(step.frame);
      break;
    case 'do':
      world.do(step.command);
      break;
    case 'open':
      world.sockets.at(-1)?.open();
      break;
    case 'close':
      world.sockets.at(-1)?.close(step.code);
      break;
    case 'attachPlayer':
      world.attachPlayer();
      break;
    case 'pass':
      world.advance(step.ms);
  }
}

const GOOD_SAMPLES = EXAMPLE_AUDIO.frames * EXAMPLE_AUDIO.samples;

/** A turn with another server, so that nothing of the old one can be in the way. */
function speakAfterwards(world: World, endpoint: Endpoint<PageEndpointId>): void {
  const before = Math.max(0, ...world.turns.keys());
  world.attachPlayer(EXAMPLE_AUDIO.sampleRate);
  world.do({
    type: 'target',
    target: { endpoint: endpoint.id, base: 'ws://fresh', key: '' },
    settings: endpoint.initialSettings,
  });
  world.do({ type: 'listen', listening: 'inTurn', pauseMs: 0 });
  for (const command of speaking(endpoint, 'Fine.')) world.do(command);
  // Another one may be opened for the next turn.
  const { socket } = world;
  socket.open();
  for (const frame of protocolOf(endpoint).exampleTurn('Fine.', 'narrator')) socket.say(frame);
  world.advance(1300);
  const last = world.turns.get(Math.max(0, ...world.turns.keys()));
  if (!last || last.id <= before) throw new Broken('expected a turn after all frames, got none');
  const { state, samples, heardToMs } = last;
  if (state !== 'ended' || samples !== GOOD_SAMPLES || heardToMs === null) {
    throw new Broken(
      `expected the turn after all frames to be heard, got ${JSON.stringify({ state, samples, heardToMs })}`,
    );
  }
}
