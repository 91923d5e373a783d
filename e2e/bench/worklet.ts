import { setImmediate } from 'node:timers/promises';
import { Mixer } from '#player/mixer.worklet.ts';
import { openSink, type RingSink, type Transport } from '#player/ring.ts';
import { marked, QUANTUM, TRACE_RATE } from '#player/testing/traces.ts';
import { TrackOpener } from '#player/track-opener.ts';
import { printTable, times } from './table.ts';

const CONTEXTS = [1, 5, 20] as const;
const TRANSPORTS: readonly Transport[] = ['shared', 'message'];
/** Quanta that are timed in one go. */
const BATCH_QUANTA = 64;
const ROUNDS = 400;
const WARM_UP_ROUNDS = 100;
/** Twenty voices of this level are not cut off at full scale, as with voices that speak to be understood. */
const SPEECH_LEVEL = 1 / 16;
const NS_PER_QUANTUM = (QUANTUM / TRACE_RATE) * 1e9;

/** An audio thread with tracks that were opened as a worker does it, over real channels. */
class Mix {
  readonly contexts: number;
  readonly transport: Transport;
  readonly speaking: number[] = [];
  readonly silent: number[] = [];
  readonly #host = new Mixer();
  readonly #channel = new MessageChannel();
  readonly #opener = new TrackOpener(this.#channel.port2);
  readonly #sinks: RingSink[];
  readonly #left = new Float32Array(QUANTUM);
  readonly #right = new Float32Array(QUANTUM);
  #frame = 0;

  constructor(contexts: number, transport: Transport) {
    this.contexts = contexts;
    this.transport = transport;
    this.#host.handle({ type: 'host', port: this.#channel.port1 });
    this.#sinks = Array.from({ length: contexts }, (_, i) =>
      openSink(this.#opener.open(`context ${i}`), { transport }),
    );
  }

  /** Times one batch with all contexts speaking, and one with all of them silent. */
  async round(speech: readonly Int16Array[]): Promise<void> {
    this.#sinks.forEach((sink, i) => {
      sink.write(speech[i] ?? new Int16Array(0));
      sink.end();
    });
    await setImmediate();
    await setImmediate();
    this.speaking.push(this.#batch());
    // The tail: the glide to silence is neither.
    this.#render();
    this.silent.push(this.#batch());
    await setImmediate();
  }

  forget(): void {
    this.speaking.length = 0;
    this.silent.length = 0;
  }

  close(): void {
    for (const sink of this.#sinks) {
      const { position, underruns } = sink.status();
      if (position !== sink.writePosition || underruns > 0) {
        throw new Error(
          `A context played ${position} of ${sink.writePosition} samples, ${underruns} underruns.`,
        );
      }
      sink.close();
    }
    this.#channel.port1.close();
  }

  #batch(): number {
    const from = process.hrtime.bigint();
    for (let i = 0; i < BATCH_QUANTA; i += 1) this.#render();
    return Number(process.hrtime.bigint() - from) / BATCH_QUANTA;
  }

  #render(): void {
    this.#host.process(this.#left, this.#right, this.#frame);
    this.#frame += QUANTUM;
  }
}

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** The cost of a quantum on the audio thread with 1, 5 and 20 contexts, side by side in one run. */
export async function benchWorklet(): Promise<void> {
  const mixes = TRANSPORTS.flatMap((transport) => CONTEXTS.map((contexts) => new Mix(contexts, transport)));
  const speech = Array.from({ length: Math.max(...CONTEXTS) }, (_, i) =>
    marked(BATCH_QUANTA * QUANTUM, i).map((sample) => sample * SPEECH_LEVEL),
  );
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round += 1) {
    if (round === WARM_UP_ROUNDS) for (const mix of mixes) mix.forget();
    for (const mix of mixes) await mix.round(speech);
  }
  const rows = mixes.map((mix) => {
    const speakingNs = medianOf(mix.speaking);
    const one = mixes.find(({ contexts, transport }) => contexts === 1 && transport === mix.transport);
    const oneNs = one ? medianOf(one.speaking) : Number.NaN;
    return {
      samples: mix.transport === 'shared' ? 'shared memory' : 'messages',
      contexts: String(mix.contexts),
      'speaking ns': speakingNs.toFixed(0),
      'per context ns': (speakingNs / mix.contexts).toFixed(0),
      'of one': times(speakingNs / oneNs),
      'silent ns': medianOf(mix.silent).toFixed(0),
      'of a quantum': `${((speakingNs / NS_PER_QUANTUM) * 100).toFixed(3)} %`,
    };
  });
  for (const mix of mixes) mix.close();
  printTable(
    'The worklet with many contexts',
    `Median time for a quantum of ${QUANTUM} samples in two channels, in Node, which has the browser's engine.`,
    rows,
  );
}
