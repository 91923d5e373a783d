import { bytesFromSamples } from '#lib/pcm.ts';
import { Feeder } from '../feeder.ts';
import { Mixer } from '../mixer.worklet.ts';
import { openSink, type Transport } from '../ring.ts';
import { portPair } from './port-pair.ts';
import { QUANTUM, type TracePlayer } from './traces.ts';

/** How often the worker looks after the ring. */
const POLL_QUANTA = 4;

/**
 * This project's player in one thread: everything that runs in worker and worklet, over a channel that delivers at once.
 * @param capacity of the ring, in samples, a power of two
 */
export function ourPlayer(
  sampleRate: number,
  transport: Transport,
  capacity = 2 ** 16,
): TracePlayer & { player: Feeder } {
  const host = new Mixer();
  const [worklet, worker] = portPair();
  host.open('only', worklet);
  const player = new Feeder();
  player.attach(openSink(worker, { transport, capacity }), sampleRate);
  let turn = 0;
  let frame = 0;
  return {
    player,
    deliver(samples) {
      const arrivalMs = (frame / sampleRate) * 1000;
      player.receive(turn, { bytes: bytesFromSamples(samples) }, 'pcm_s16le', sampleRate, arrivalMs);
    },
    end() {
      player.complete(turn);
      turn += 1;
    },
    clear() {
      player.clear();
      turn += 1;
    },
    render(output) {
      host.process(output, new Float32Array(output.length), frame);
      frame += output.length;
      if ((frame / QUANTUM) % POLL_QUANTA === 0) player.poll();
    },
  };
}
