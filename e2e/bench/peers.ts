import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { AudioReader, AudioWriter, RingBuffer } from 'ringbuf.js';
import type { TracePlayer } from '#player/testing/traces.ts';

/**
 * Players of others, from their npm packages, driven by a virtual clock: the real worklet code runs in a stubbed
 * worklet scope, quantum by quantum. Nothing of a browser's scheduling is in it, so the results are about logic.
 */

interface Port {
  onmessage: ((event: { data: unknown }) => void) | null;
  postMessage(data: unknown): void;
}

interface Processor {
  port: Port;
  process(inputs: Float32Array[][], outputs: Float32Array[][], parameters: object): boolean;
}

const { resolve } = createRequire(import.meta.url);

/** The package ships no types for its parts. */
const importUntyped = (path: string): Promise<unknown> => import(pathToFileURL(resolve(path)).href);

/** Evaluates worklet source and gives back what it registered, with what it declares at the top. */
function loadWorklet(
  source: string,
  sampleRate: number,
  toNode: (data: unknown) => void,
): { make: () => Processor; scope: object } {
  let registered: (new () => Processor) | undefined;
  class AudioWorkletProcessor {
    port: Port = { onmessage: null, postMessage: toNode };
  }
  const scope = createContext({
    AudioWorkletProcessor,
    registerProcessor: (_: string, processor: new () => Processor) => {
      registered = processor;
    },
    sampleRate,
    Float32Array,
    Int16Array,
    Uint8Array,
    console: { log() {}, debug() {}, warn() {} },
  });
  runInContext(source, scope);
  const make = () => {
    if (!registered) throw new Error('The worklet registered no processor.');
    return new registered();
  };
  return { make, scope };
}

/** ElevenLabs' worklet, with the messages that its client sends. */
export function elevenLabs(sampleRate: number): TracePlayer {
  const source = readFileSync(resolve('@elevenlabs/client/worklets/audioConcatProcessor.js'), 'utf8');
  const processor = loadWorklet(source, sampleRate, () => {}).make();
  const post = (data: unknown) => processor.port.onmessage?.({ data });
  post({ type: 'setFormat', format: 'pcm', sampleRate });
  return {
    deliver: (samples) => {
      // What its controller does before new audio (`clearInterrupted`), then the audio.
      post({ type: 'clearInterrupted' });
      post({ type: 'buffer', buffer: samples.slice().buffer });
    },
    end: () => {},
    clear: () => post({ type: 'interrupt' }),
    render: (output) => {
      processor.process([], [[output]], {});
    },
  };
}

/** wavtools' own `WavStreamPlayer`, on a modelled context: a node dies when its processor returns false. */
export async function wavtools(sampleRate: number): Promise<TracePlayer> {
  const { StreamProcessorWorklet } = (await importUntyped('wavtools/lib/worklets/stream_processor.js')) as {
    StreamProcessorWorklet: string;
  };
  const { WavStreamPlayer } = (await importUntyped('wavtools/lib/wav_stream_player.js')) as {
    WavStreamPlayer: new (options: {
      sampleRate: number;
    }) => {
      context: unknown;
      analyser: unknown;
      add16BitPCM(samples: Int16Array, track: string): void;
      interrupt(): Promise<unknown>;
    };
  };
  const nodes = new Set<{ processor: Processor; alive: boolean }>();
  class AudioWorkletNode {
    port: Port;
    #node: { processor: Processor; alive: boolean };
    constructor() {
      const port: Port = {
        onmessage: null,
        postMessage: (data) => this.#node.processor.port.onmessage?.({ data }),
      };
      this.port = port;
      const { make } = loadWorklet(StreamProcessorWorklet, sampleRate, (data) => port.onmessage?.({ data }));
      this.#node = { processor: make(), alive: true };
      nodes.add(this.#node);
    }
    connect(): void {}
    disconnect(): void {
      nodes.delete(this.#node);
    }
  }
  Object.assign(globalThis, { AudioWorkletNode });
  const player = new WavStreamPlayer({ sampleRate });
  player.context = { destination: {} };
  player.analyser = { disconnect() {} };
  let track = 0;
  return {
    deliver: (samples) => player.add16BitPCM(samples.slice(), `turn ${track}`),
    end: () => {},
    clear: () => {
      // The rejection or answer of the old node is not waited for: the new turn comes in the same tick.
      void player.interrupt();
      track += 1;
    },
    render: (output) => {
      for (const node of nodes) {
        if (node.alive) node.alive = node.processor.process([], [[output]], {});
      }
    },
  };
}

/** Its jitter buffer where the round-trip time is unknown. */
const MOQ_LATENCY_MS = 100;
/** An Opus packet, the unit in which its decoder emits samples. */
const MOQ_PACKET_MS = 20;

/** How often its page looks at the playhead. */
const MOQ_POLL_MS = 50;

/** The part of its worklet that its page uses too. */
interface MoqScope {
  allocSharedRingBuffer(channels: number, capacity: number, rate: number, isBuffered: boolean): object;
  SharedRingBuffer: new (
    init: object,
  ) => {
    readonly stalled: boolean;
    /** Of the playhead, in µs. */
    readonly timestamp: number;
    setLatency(samples: number): void;
    insert(timestamp: number, data: Float32Array[]): void;
    reset(): void;
  };
}

/**
 * Worklet and shared ring of @moq/watch in its buffered mode, which the package has for speech that comes faster than it
 * plays. Its page keeps a packet until the playhead is a jitter buffer away. That rule is repeated here, because the
 * package awaits it, and a virtual clock cannot.
 */
export async function moqWatch(sampleRate: number): Promise<TracePlayer> {
  const { make, scope } = loadWorklet(await moqWorklet(), sampleRate, () => {});
  const processor = make();
  const { allocSharedRingBuffer, SharedRingBuffer } = scope as MoqScope;
  const latency = (sampleRate * MOQ_LATENCY_MS) / 1000;
  const init = allocSharedRingBuffer(1, Math.max(sampleRate, 2 * latency), sampleRate, true);
  const ring = new SharedRingBuffer(init);
  ring.setLatency(latency);
  processor.port.onmessage?.({ data: { type: 'init-shared', ...init } });
  let waiting: { timestamp: number; samples: Float32Array }[] = [];
  let sent = 0;
  let rendered = 0;
  const pass = () => {
    for (let next = waiting[0]; next; next = waiting[0]) {
      if (!ring.stalled && ring.timestamp < next.timestamp - MOQ_LATENCY_MS * 1000) return;
      waiting.shift();
      ring.insert(next.timestamp, [next.samples]);
    }
  };
  return {
    deliver: (samples) => {
      const isHeld = waiting.length > 0;
      const packet = (sampleRate * MOQ_PACKET_MS) / 1000;
      for (let from = 0; from < samples.length; from += packet) {
        const part = Float32Array.from(samples.subarray(from, from + packet), (sample) => sample / 32_768);
        waiting.push({ timestamp: (sent * 1e6) / sampleRate, samples: part });
        sent += part.length;
      }
      if (!isHeld) pass();
    },
    end: () => {},
    clear: () => {
      waiting = [];
      ring.reset();
    },
    render: (output) => {
      processor.process([], [[output]], {});
      const polls = (samples: number) => Math.floor(samples / ((sampleRate * MOQ_POLL_MS) / 1000));
      if (polls(rendered + output.length) > polls(rendered)) pass();
      rendered += output.length;
    },
  };
}

/** The source of its worklet, which the package makes into a blob when it is loaded. */
async function moqWorklet(): Promise<string> {
  moqSource ??= (async () => {
    const blobs: Blob[] = [];
    const native = URL.createObjectURL;
    URL.createObjectURL = (blob: Blob) => {
      blobs.push(blob);
      return native(blob);
    };
    // It asks for the browser as it is loaded, and Node 20 has none.
    globalThis.navigator ??= { userAgent: '' } as Navigator;
    await import('@moq/watch');
    URL.createObjectURL = native;
    const sources = await Promise.all(blobs.map((blob) => blob.text()));
    const worklet = sources.find((source) => source.includes('registerProcessor'));
    if (worklet === undefined) throw new Error('@moq/watch made no worklet when it was loaded.');
    return worklet;
  })();
  return moqSource;
}

let moqSource: Promise<string> | undefined;

/** The length of the ring in the package's own example. */
const EXAMPLE_RING_SECONDS = 1 / 20;

/**
 * `AudioWriter` and `AudioReader` of ringbuf.js around a ring as in its example, which plays without a prebuffer target.
 * Samples without room in the ring wait outside of it. A writer cannot clear the ring, so a barge-in drops only those.
 */
export function ringbufJs(sampleRate: number): TracePlayer {
  const storage = RingBuffer.getStorageForCapacity(sampleRate * EXAMPLE_RING_SECONDS, Float32Array);
  const writer = new AudioWriter(new RingBuffer(storage, Float32Array));
  const reader = new AudioReader(new RingBuffer(storage, Float32Array));
  let waiting: Float32Array[] = [];
  const fill = () => {
    for (let samples = waiting[0]; samples; samples = waiting[0]) {
      const rest = samples.subarray(writer.enqueue(samples));
      if (rest.length > 0) {
        waiting[0] = rest;
        return;
      }
      waiting.shift();
    }
  };
  return {
    deliver: (samples) => {
      waiting.push(Float32Array.from(samples, (sample) => sample / 32_768));
      fill();
    },
    end: () => {},
    clear: () => {
      waiting = [];
    },
    render: (output) => {
      reader.dequeue(output);
      fill();
    },
  };
}

/** Source nodes one behind the other at a running cursor, as most examples of vendors play. */
export function cursor(): TracePlayer {
  let frame = 0;
  let next = 0;
  let queued: { at: number; samples: Int16Array }[] = [];
  return {
    deliver: (samples) => {
      next = Math.max(next, frame);
      queued.push({ at: next, samples });
      next += samples.length;
    },
    end: () => {},
    clear: () => {
      queued = [];
      next = 0;
    },
    render: (output) => {
      for (const { at, samples } of queued) {
        for (
          let index = Math.max(0, frame - at);
          index < samples.length && at + index < frame + output.length;
          index += 1
        ) {
          const place = at + index - frame;
          output[place] = (output[place] ?? 0) + (samples[index] ?? 0) / 32_768;
        }
      }
      frame += output.length;
      queued = queued.filter(({ at, samples }) => at + samples.length > frame);
    },
  };
}
