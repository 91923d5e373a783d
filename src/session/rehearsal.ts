import type { Clock } from '#lib/clock.ts';
import { TrackOpener } from '#player/sink.ts';
import { TrackHost } from '#player/track-host.ts';
import type { Endpoint, Frame } from '#protocol/core/endpoint.ts';
import { EXAMPLE_AUDIO } from '#protocol/core/example-audio.ts';
import { ONLY_CONTEXT } from '#protocol/core/speech-event.ts';
import type { SocketHandlers } from './environment.ts';
import type { SessionCommand } from './messages.ts';
import { EndpointSession } from './session.ts';
import type { SessionUpdate } from './views.ts';

const TEXT = 'One, two.';
/** Between two steps, so that a press is handled in between. */
const STEP_MS = 10;
/** Its audio lasts 0.6 s. On a machine that takes longer than this there is nothing to gain. */
const LONGEST_MS = 3000;
const QUANTUM = 128;

/**
 * Speaks the example turn of an endpoint in a session of its own, without a server, recording or sound, so that the code of
 * a turn is compiled before the first press needs it. Each step takes a few milliseconds at most.
 * @returns when it is over
 */
export async function rehearse(
  endpoint: Endpoint,
  clock: Clock,
  report: (update: SessionUpdate) => void = () => {},
): Promise<void> {
  const context = endpoint.contexts ? 'example' : ONLY_CONTEXT;
  const output = new MessageChannel();
  const recordings = new MessageChannel();
  const session = new EndpointSession({
    environment: {
      ...clock,
      openSocket: (_, handlers) => {
        void answer(handlers, endpoint.exampleTurn(TEXT, context), clock);
        return { send() {}, close() {} };
      },
    },
    report,
    openTracks: (port) => new TrackOpener(port),
  });
  const settings = endpoint.initialSettings;
  const speak: SessionCommand = endpoint.contexts
    ? {
        type: 'perform',
        lines: [{ speaker: context, text: TEXT, line: 0 }],
        source: { kind: 'whole' },
        closeAfter: false,
      }
    : { type: 'speak', text: TEXT };
  const commands: SessionCommand[] = [
    { type: 'attachRecordings', port: recordings.port1 },
    { type: 'target', target: { endpoint: endpoint.id, base: 'ws://example', key: 'example' }, settings },
    { type: 'speakers', speakers: [{ id: context, settings: {}, keepOpen: false }] },
    { type: 'attachPlayer', port: output.port1, sampleRate: EXAMPLE_AUDIO.sampleRate },
    { type: 'anchor', anchor: { contextTimeS: 0, wallMs: clock.nowMs(), outputLatencyMs: 0 } },
    speak,
  ];
  for (const command of commands) {
    await pause(clock);
    session.handle(command);
  }
  const { conversation, playback } = session;
  const endMs = clock.nowMs() + LONGEST_MS;
  await render(
    output.port2,
    clock,
    () => (conversation.inFlight.length > 0 || playback.isBusy) && clock.nowMs() < endMs,
  );
  session.connection.drop('nothing');
  session.handle({ type: 'detachPlayer' });
  for (const { port1, port2 } of [output, recordings]) {
    port1.close();
    port2.close();
  }
}

async function answer(handlers: SocketHandlers, frames: readonly Frame[], clock: Clock): Promise<void> {
  await pause(clock);
  handlers.opened();
  for (const frame of frames) {
    await pause(clock);
    handlers.received(frame);
  }
}

/** Plays tracks as the audio thread does, to nobody. */
async function render(port: MessagePort, clock: Clock, isPlaying: () => boolean): Promise<void> {
  const host = new TrackHost();
  host.handle({ type: 'host', port });
  const [left, right] = [new Float32Array(QUANTUM), new Float32Array(QUANTUM)];
  const fromMs = clock.nowMs();
  for (let frame = 0; isPlaying(); await pause(clock)) {
    const endFrame = ((clock.nowMs() - fromMs) / 1000) * EXAMPLE_AUDIO.sampleRate;
    for (; frame < endFrame; frame += QUANTUM) host.process(left, right, frame);
  }
}

const pause = (clock: Clock): Promise<void> => new Promise((resolve) => void clock.after(STEP_MS, resolve));
