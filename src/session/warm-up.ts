import type { Clock } from '#lib/clock.ts';
import { Mixer } from '#player/mixer.worklet.ts';
import { TrackOpener } from '#player/track-opener.ts';
import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import type { DialectTraits, Endpoint, PageEndpointId } from '#protocol/core/endpoint.ts';
import { EXAMPLE_AUDIO } from '#protocol/core/example-audio.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { ONLY_CONTEXT } from '#protocol/core/speech-event.ts';
import { protocolOf } from '#protocol/protocols.ts';
import type { SessionCommand } from './commands.ts';
import type { SocketHandlers } from './link.ts';
import { EndpointSession } from './session.ts';
import type { SessionUpdate } from './views.ts';

const TEXT = 'One, two.';
/** Pause between two steps, in which the worker handles a press. */
const STEP_MS = 10;
const QUANTUM = 128;

interface WarmUpOptions {
  clock: Clock;
  /** Ends the warm-up. */
  signal: AbortSignal;
  /** Limit for a slow or sleeping machine. The audio lasts 0.6 s. */
  longestMs?: number;
  report?: (update: SessionUpdate) => void;
}

/**
 * Speaks the example turn of an endpoint in a session of its own, without a server, recording or sound, so that the code of
 * a turn is compiled before the first press needs it.
 * @returns when it is over
 */
export async function warmUpSession(
  { id, contexts, initialSettings }: Endpoint<PageEndpointId>,
  { clock, signal, longestMs = 3000, report = () => {} }: WarmUpOptions,
): Promise<void> {
  const context = contexts ? 'example' : ONLY_CONTEXT;
  const { open, exampleTurn } = protocolOf({ id });
  const { turnEnd } = open({ settings: initialSettings, key: '' }).traits;
  const output = new MessageChannel();
  const recordings = new MessageChannel();
  let hasServer = false;
  const session = new EndpointSession({
    environment: {
      ...clock,
      initiate: (act) => act(),
      openSocket: (_, handlers) => {
        // Where a turn is a connection, the next one is opened, and nobody speaks on it.
        if (!hasServer) void answer(handlers, exampleTurn(TEXT, context), turnEnd, clock);
        hasServer = true;
        return { send() {}, close() {} };
      },
    },
    report,
    openTracks: (port) => new TrackOpener(port),
  });
  const targetAt = (base: string): SessionCommand => ({
    type: 'target',
    target: { endpoint: id, base, key: 'key of nobody' },
    settings: initialSettings,
  });
  const speak: SessionCommand = contexts
    ? {
        type: 'perform',
        lines: [{ speaker: context, text: TEXT, line: 0 }],
        source: { kind: 'whole' },
        closeAfter: false,
      }
    : { type: 'speak', text: TEXT };
  const commands: SessionCommand[] = [
    { type: 'attachRecordings', port: recordings.port1 },
    targetAt('ws://example'),
    { type: 'speakers', speakers: [{ id: context, settings: {}, keepOpen: false }] },
    { type: 'attachPlayer', port: output.port1, sampleRate: EXAMPLE_AUDIO.sampleRate },
    { type: 'anchor', anchor: { contextTimeS: 0, wallMs: clock.nowMs(), outputLatencyMs: 0 } },
    speak,
  ];
  const endMs = clock.nowMs() + longestMs;
  const isOver = (): boolean => signal.aborted || clock.nowMs() >= endMs;
  try {
    for (const command of commands) {
      await pause(clock);
      if (isOver()) return;
      session.handle(command);
    }
    await render(output.port2, clock, () => session.isBusy && !isOver());
  } finally {
    // Drops the turn under way, as a change of the server does.
    session.handle(targetAt('ws://nowhere'));
    session.handle({ type: 'detachPlayer' });
    for (const { port1, port2 } of [output, recordings]) {
      port1.close();
      port2.close();
    }
  }
}

async function answer(
  handlers: SocketHandlers,
  frames: readonly Frame[],
  turnEnd: DialectTraits['turnEnd'],
  clock: Clock,
): Promise<void> {
  await pause(clock);
  handlers.opened();
  for (const frame of frames) {
    await pause(clock);
    handlers.received(frame);
  }
  if (turnEnd === 'connection') handlers.closed(CLOSE_CODES.normal, '');
}

/** Plays tracks as the audio thread does, to nobody. */
async function render(port: MessagePort, clock: Clock, isPlaying: () => boolean): Promise<void> {
  const mixer = new Mixer();
  mixer.handle({ type: 'host', port });
  const [left, right] = [new Float32Array(QUANTUM), new Float32Array(QUANTUM)];
  const fromMs = clock.nowMs();
  for (let frame = 0; isPlaying(); await pause(clock)) {
    const endFrame = ((clock.nowMs() - fromMs) / 1000) * EXAMPLE_AUDIO.sampleRate;
    for (; frame < endFrame; frame += QUANTUM) mixer.process(left, right, frame);
  }
}

const pause = (clock: Clock): Promise<void> => new Promise((resolve) => void clock.after(STEP_MS, resolve));
