import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { createContext, runInContext } from 'node:vm';
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

/** Evaluates worklet source and gives back what it registered. */
function loadProcessor(source: string, sampleRate: number, toNode: (data: unknown) => void): () => Processor {
  let registered: (new () => Processor) | undefined;
  class AudioWorkletProcessor {
    port: Port = { onmessage: null, postMessage: toNode };
  }
  runInContext(
    source,
    createContext({
      AudioWorkletProcessor,
      registerProcessor: (_: string, processor: new () => Processor) => {
        registered = processor;
      },
      sampleRate,
      Float32Array,
      Int16Array,
      Uint8Array,
    }),
  );
  return () => {
    if (!registered) throw new Error('The worklet registered no processor.');
    return new registered();
  };
}

/** ElevenLabs' worklet, with the messages that its client sends. */
export function elevenLabs(sampleRate: number): TracePlayer {
  const source = readFileSync(resolve('@elevenlabs/client/worklets/audioConcatProcessor.js'), 'utf8');
  const processor = loadProcessor(source, sampleRate, () => {})();
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
      const make = loadProcessor(StreamProcessorWorklet, sampleRate, (data) => port.onmessage?.({ data }));
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
