import { MessageChannel } from 'node:worker_threads';
import { afterEach, describe, it, vi } from 'vitest';
import { Mixer } from './mixer.worklet.ts';
import { openSink, type RingSink, type Transport } from './ring.ts';
import { TrackOpener } from './track-opener.ts';
import type { NodeMessage, TrackPort } from './worklet-messages.ts';

const QUANTUM = 128;
const LEVEL = 8192;

/** The two classes are one at run time; the types of Node and the browser differ in their event. */
const asPort = (port: unknown) => port as MessagePort & TrackPort;

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A worker that opens tracks in a worklet over real channels, and the page's own port beside it. */
function setUp() {
  const host = new Mixer();
  const { port1, port2 } = new MessageChannel();
  host.handle({ type: 'host', port: asPort(port1) });
  const opener = new TrackOpener(asPort(port2));
  ends.push(() => opener.end());
  let frame = 0;
  return {
    opener,
    page: (message: NodeMessage) => host.handle(message),
    /** A track that plays the same value for ever. */
    speak(track: string, transport: Transport): RingSink {
      const sink = openSink(opener.open(track), { transport });
      sink.write(new Int16Array(2 ** 18).fill(LEVEL));
      ends.push(() => sink.close());
      return sink;
    },
    /** Renders, a quantum at a time, until both channels have come to stand at these values. */
    async comesTo(left: number, right: number): Promise<void> {
      const channels = [new Float32Array(QUANTUM), new Float32Array(QUANTUM)] as const;
      await vi.waitUntil(
        () => {
          host.process(channels[0], channels[1], frame);
          frame += QUANTUM;
          const stands = (channel: Float32Array, value: number) =>
            channel.every((sample) => sample * 32_768 === value);
          return stands(channels[0], left) && stands(channels[1], right);
        },
        { interval: 0, timeout: 10_000 },
      );
    },
  };
}

describe.each<Transport>(['shared', 'message'])('a worker that opens tracks over %s', (transport) => {
  it('is heard past the page, with every track beside the others until it is closed', async () => {
    const { opener, speak, comesTo } = setUp();
    speak('a', transport);
    await comesTo(LEVEL, LEVEL);
    speak('b', transport);
    await comesTo(2 * LEVEL, 2 * LEVEL);
    opener.close('a');
    await comesTo(LEVEL, LEVEL);
    speak('a', transport);
    await comesTo(2 * LEVEL, 2 * LEVEL);
    opener.close('a');
    opener.close('b');
    await comesTo(0, 0);
  });

  it('leaves the gains and the halt of its tracks to the page', async () => {
    const { speak, page, comesTo } = setUp();
    page({ type: 'gain', track: 'a', gains: [1, 0] });
    const sink = speak('a', transport);
    await comesTo(LEVEL, 0);
    page({ type: 'gain', track: 'a', gains: [0.5, 1] });
    await comesTo(LEVEL / 2, LEVEL);
    page({ type: 'halt', track: 'a', epoch: sink.epoch });
    await comesTo(0, 0);
  });
});
