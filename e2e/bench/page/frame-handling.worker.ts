import { Feeder } from '#player/feeder.ts';
import { openSink } from '#player/ring.ts';
import type { Dialect } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { kugelStream } from '#protocol/kugel/endpoints.ts';
import { murmr } from '#protocol/murmr/endpoints.ts';
import { loadProtocols, protocolOf } from '#protocol/protocols.ts';

/** The cost of one audio frame of 20 ms: on the wire, and in the worker from the WebSocket message to queued samples. */
export interface FrameHandlingFigures {
  path: string;
  medianUs: number;
  p95Us: number;
  /** Payload of the messages for one second of audio. */
  bytesPerSecond: number;
}

const RATE = 24_000;
const FRAME_SAMPLES = RATE / 50;
/** Enough that one batch is far above the clock's resolution. */
const BATCH = 500;
const BATCHES = 60;

const binary = Array.from({ length: BATCH }, (_, idx) => {
  const samples = Int16Array.from(
    { length: FRAME_SAMPLES },
    (__, at) => 9000 * Math.sin((idx * FRAME_SAMPLES + at) / 9),
  );
  return new Uint8Array(samples.buffer);
});
const base64 = binary.map((bytes) => btoa(String.fromCharCode(...bytes)));
const messages = base64.map((audio, idx) =>
  JSON.stringify({ audio, enc: 'pcm_s16le', idx, sr: RATE, samples: FRAME_SAMPLES, chunk_id: 0 }),
);
const typedMessages = base64.map((chunk) =>
  JSON.stringify({ type: 'audio', chunk, sample_rate: RATE, format: 'pcm_s16le' }),
);

/** One round over all messages; what it needs is made before the clock starts. */
type Path = () => { run: () => void; close: () => void };

/** Our own path: decode the frame, append to the turn's store, choose the prebuffer target, move into the ring. */
const ours =
  (transport: 'shared' | 'message', frames: readonly Frame[], open: () => Dialect): Path =>
  () => {
    const dialect = open();
    const { port1, port2 } = new MessageChannel();
    const player = new Feeder();
    player.attach(openSink(port1, { transport }), RATE);
    return {
      run: () => {
        for (const frame of frames) {
          for (const event of dialect.decode(frame)) {
            if (event.type !== 'audio') continue;
            const added = player.receive(1, event.payload, event.encoding, RATE, 0);
            if ('problem' in added) throw new Error(added.problem);
          }
        }
        if (player.store(1)?.length !== BATCH * FRAME_SAMPLES) throw new Error('Samples were lost.');
      },
      close: () => {
        player.detach();
        port2.close();
      },
    };
  };

/** The usual path of samples and tutorials: JSON, `atob`, a loop over the characters, floats, a queue. */
const usual =
  (posting: boolean): Path =>
  () => {
    const { port1, port2 } = new MessageChannel();
    const queue: Float32Array[] = [];
    return {
      run: () => {
        for (const message of messages) {
          const frame = JSON.parse(message) as { audio: string };
          const text = atob(frame.audio);
          const bytes = new Uint8Array(text.length);
          for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
          const samples = new Int16Array(bytes.buffer);
          const floats = new Float32Array(samples.length);
          for (let at = 0; at < samples.length; at += 1) floats[at] = (samples[at] ?? 0) / 32_768;
          if (posting) port1.postMessage(floats, [floats.buffer]);
          else queue.push(floats);
        }
      },
      close: () => {
        port1.close();
        port2.close();
      },
    };
  };

await loadProtocols([kugelStream, murmr]);
const kugelDialect = (): Dialect => protocolOf(kugelStream).open({ settings: {}, key: '' });
const murmrDialect = (): Dialect => protocolOf(murmr).open({ settings: {}, key: '' });

const paths: [string, Path, readonly Frame[]][] = [
  ['JSON.parse, atob, loop, Float32', usual(false), messages],
  ['the same, posted to the worklet', usual(true), messages],
  ['ours, shared memory', ours('shared', messages, kugelDialect), messages],
  ['ours, messages (fallback)', ours('message', messages, kugelDialect), messages],
  ['ours, murmr JSON', ours('shared', typedMessages, murmrDialect), typedMessages],
  ['ours, murmr binary', ours('shared', binary, murmrDialect), binary],
];

/** All of these are ASCII, or bytes. */
const bytesPerSecond = new Map(
  paths.map(([name, , frames]) => [
    name,
    frames.reduce((sum, frame) => sum + frame.length, 0) / ((BATCH * FRAME_SAMPLES) / RATE),
  ]),
);

const perFrameUs = new Map(paths.map(([name]) => [name, [] as number[]]));
// Side by side: each round runs every path, so that a slow moment of the machine meets all of them.
for (let batch = 0; batch < BATCHES; batch += 1) {
  for (const [name, path] of paths) {
    const { run, close } = path();
    const startMs = performance.now();
    run();
    perFrameUs.get(name)?.push(((performance.now() - startMs) * 1000) / BATCH);
    close();
  }
}

const at = (sorted: readonly number[], share: number) =>
  sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
const figures: FrameHandlingFigures[] = [...perFrameUs].map(([path, values]) => {
  // The first rounds warm up.
  const sorted = values.slice(10).sort((a, b) => a - b);
  return {
    path,
    medianUs: at(sorted, 0.5),
    p95Us: at(sorted, 0.95),
    bytesPerSecond: bytesPerSecond.get(path) ?? Number.NaN,
  };
});
postMessage(figures);
