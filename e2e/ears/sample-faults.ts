import { encodeG711, type G711Law } from '#lib/g711.ts';
import { bytesFromSamples, FULL_SCALE } from '#lib/pcm.ts';
import { createResampler } from '#lib/resample.ts';
import { wavHeader } from '#lib/wav.ts';
import { outputOf } from '#server/audio/output.ts';
import { OWN_PEER } from '#server/state/shares.ts';
import {
  type Chance,
  change,
  chunkSamples,
  clamp,
  type Faulted,
  type FaultKind,
  type Inject,
  WHOLE,
} from './fault-tools.ts';
import { cut, type DecodedTurn, decodeTurn, samplesOf, turnsOf, writeTurn } from './turn.ts';

const resampled =
  (factor: number): Inject =>
  (turn, { random }) => {
    const { sampleRate } = turn.format;
    // Times of words follow the sound, or the server's own rate.
    const follow = random() < 0.5;
    for (const chunk of turn.chunks) {
      const resampler = createResampler(sampleRate, sampleRate * factor);
      const input = Float32Array.from(chunkSamples(chunk));
      const output = [...resampler.push(input), ...resampler.end()].map(clamp);
      chunk.frames = cut(Int16Array.from(output), chunk.frames);
      if (follow)
        turn.retimes.set(chunk.id, (startMs, endMs) => ({
          startMs: startMs * factor,
          endMs: endMs * factor,
        }));
    }
    return WHOLE;
  };

/** Cuts bytes into frames as long as others. Frames behind the last byte are empty. */
function cutLike(bytes: Uint8Array, frames: readonly Uint8Array[]): Uint8Array[] {
  let at = 0;
  return frames.map(({ length }) => {
    at += length;
    return bytes.subarray(at - length, at);
  });
}

/** The samples of a turn as codes, under the name of 16-bit samples. */
function recoded(turn: DecodedTurn, law: G711Law): 'whole' {
  turn.rewrite = (frames) => cutLike(encodeG711(law, samplesOf(turn)), frames);
  return WHOLE;
}

/** By how much one turn differs from the others of its session. */
const JUMP_DB = { least: 8, most: 14 };

/** Makes one turn quieter, or all others, because a turn that is made louder would clip. */
function jumped({ session, id }: DecodedTurn, { between, random }: Chance): Faulted | null {
  const isQuieter = random() < 0.5;
  const gain = 10 ** (-between(JUMP_DB.least, JUMP_DB.most) / 20);
  const ids = turnsOf(session);
  if (ids.length < 3) return null;
  let changed = session;
  for (const each of ids) {
    const turn = decodeTurn(changed, each);
    if (!turn) return null;
    if ((each === id) !== isQuieter) continue;
    change(turn, 0, Number.POSITIVE_INFINITY, (sample) => sample * gain);
    changed = { ...changed, entries: writeTurn(turn, false) };
  }
  return { entries: changed.entries, turn: id, place: null };
}

/** Samples that are not those that were spoken: their level, rate and bytes. */
export const SAMPLE_FAULTS = {
  clipping: {
    found: ['clipping'],
    inject: (turn, { between }) => {
      const samples = samplesOf(turn);
      const levels = Float64Array.from(samples, Math.abs).sort();
      const level = levels[Math.floor(levels.length * (1 - between(0.01, 0.05)))] ?? 0;
      if (level === 0) return null;
      change(turn, 0, samples.length, (sample) => (sample * FULL_SCALE) / level);
      return WHOLE;
    },
  },
  'dc-offset': {
    found: ['dc-offset'],
    inject: (turn, { between, random }) => {
      const offset = between(0.03, 0.1) * FULL_SCALE * (random() < 0.5 ? 1 : -1);
      change(turn, 0, Number.POSITIVE_INFINITY, (sample) => sample + offset);
      return WHOLE;
    },
  },
  'wrong-speed-half': { found: ['wrong-speed'], isOfSession: true, inject: resampled(0.5) },
  'wrong-speed-double': { found: ['wrong-speed'], isOfSession: true, inject: resampled(2) },
  'not-samples-swapped': {
    found: ['not-samples'],
    isOfBytes: true,
    inject: (turn) => {
      turn.rewrite = (frames) => frames.map((bytes) => Buffer.from(bytes).swap16());
      return WHOLE;
    },
  },
  'not-samples-odd': {
    found: ['not-samples'],
    isOfBytes: true,
    inject: (turn, { random }) => {
      const count = turn.chunks.flatMap(({ frames }) => frames).length;
      const from = Math.floor((random() * count) / 2);
      // Frames keep their length, so that no receiver can see where the byte is missing.
      turn.rewrite = (frames) => {
        const shifted = Buffer.concat(frames.slice(from)).subarray(1);
        let at = 0;
        return frames.map((bytes, index) => {
          if (index < from) return bytes;
          const part = shifted.subarray(at, at + bytes.length);
          at += bytes.length;
          return part.subarray(0, part.length & ~1);
        });
      };
      return WHOLE;
    },
  },
  'not-samples-mp3': {
    found: ['not-samples'],
    isOfBytes: true,
    inject: async (turn, { oneOf }) => {
      const { sampleRate } = turn.format;
      // At a higher rate than that of its sound, the encoder fills frames with zeros.
      const kbits = sampleRate > 24_000 ? [64, 96, 128] : sampleRate > 12_000 ? [32, 48, 64] : [16, 24];
      const encoder = outputOf({ encoding: 'mp3', sampleRate }, oneOf(kbits)).open(OWN_PEER);
      const bytes = Buffer.concat([
        await encoder.encode(samplesOf(turn)),
        (await encoder.tail?.()) ?? new Uint8Array(),
      ]);
      const count = turn.chunks.flatMap(({ frames }) => frames).length;
      const size = 2 * Math.ceil(bytes.length / count / 2);
      turn.rewrite = (frames) =>
        frames.map((_, index) => {
          const part = bytes.subarray(index * size, (index + 1) * size);
          return part.subarray(0, part.length & ~1);
        });
      return WHOLE;
    },
  },
  'not-samples-mulaw': {
    found: ['not-samples'],
    isOfBytes: true,
    inject: (turn, { random }) => recoded(turn, random() < 0.5 ? 'mulaw' : 'alaw'),
  },
  'two-channels': {
    found: ['two-channels'],
    isOfBytes: true,
    inject: (turn, { random }) => {
      const isSame = random() < 0.5;
      // Two channels of one frame each are as long as the frame alone, so that half of the turn is left.
      turn.rewrite = (frames) => {
        const samples = Int16Array.from(samplesOf(turn));
        const { length } = samples;
        const both = bytesFromSamples(
          Int16Array.from({ length: 2 * length }, (_, at) => {
            const index = at >> 1;
            return (at % 2 === 0 || isSame ? samples[index] : samples[(index + (length >> 1)) % length]) ?? 0;
          }),
        );
        return cutLike(both, frames);
      };
      return WHOLE;
    },
  },
  'file-header': {
    found: ['file-header'],
    isOfBytes: true,
    inject: (turn) => {
      turn.rewrite = (frames) => {
        const [first = new Uint8Array(), ...others] = frames;
        return [Buffer.concat([wavHeader(first.length, turn.format.sampleRate), first]), ...others];
      };
      return WHOLE;
    },
  },
  'loudness-jump': {
    found: ['loudness-jump'],
    injectSession: jumped,
  },
} as const satisfies Record<string, FaultKind>;
