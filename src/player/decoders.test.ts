import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createMp3Encoder } from 'wasm-media-encoders';
import { AUDIO_ENCODINGS, type AudioEncoding, isCompressed } from '#protocol/core/audio-format.ts';
import type { AudioPayload } from '#protocol/core/speech-event.ts';
import { decoders } from './decoders.ts';
import { type AppendResult, PcmStore } from './pcm-store.ts';
import { mp3Of, toneSyllables } from './testing/mp3.ts';

const RATE = 24_000;
/** Of encoder and decoder, in samples: 576 and 529. */
const DELAY = 1105;
/** The encoder adds as many samples, and the rest of the last frame. */
const LEAST_PADDING = 288;
/** Samples of an MP3 frame below 32 kHz. Above, it is twice as long. */
const frameOf = (sampleRate: number) => (sampleRate < 32_000 ? 576 : 1152);

const SPEECH = toneSyllables(2 * RATE, RATE);
let speech: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  speech = await mp3Of(SPEECH, RATE);
});

async function append(
  store: PcmStore,
  payload: AudioPayload,
  encoding: AudioEncoding,
): Promise<AppendResult> {
  while (!decoders.isReady(encoding)) await decoders.ready(encoding);
  return store.appendPayload(payload, encoding);
}

async function decoded(parts: readonly Uint8Array[], sampleRate = RATE): Promise<Int16Array> {
  const store = new PcmStore(sampleRate);
  for (const bytes of parts) {
    const before = store.length;
    expect(await append(store, { bytes }, 'mp3')).toEqual({ samples: store.length - before });
  }
  return store.slice();
}

/** Cuts at any byte. */
function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let from = 0; from < bytes.length; from += parts.at(-1)?.length ?? 0) {
    parts.push(bytes.subarray(from, from + (sizes[parts.length % sizes.length] ?? 1)));
  }
  return parts;
}

/** The encoder makes room for overshoot. */
const ENCODER_GAIN = 0.95;

/** The level of the difference from the encoded samples, in dB of their own level. */
function errorDb(sent: Int16Array, heard: Int16Array): number {
  let [error, level] = [0, 0];
  sent.forEach((sample, at) => {
    error += (ENCODER_GAIN * sample - (heard[at + DELAY] ?? 0)) ** 2;
    level += sample ** 2;
  });
  return 10 * Math.log10(error / level);
}

/** Leaves no instance at hand, as after two new turns. */
function takeSpares(): void {
  while (decoders.isReady('mp3')) new PcmStore(RATE).appendPayload({ bytes: speech.subarray(0, 9) }, 'mp3');
}

describe('MP3', () => {
  it.each([16_000, 22_050, 24_000, 44_100])('at %i Hz is what was encoded, less its loss', async (rate) => {
    for (const count of [1, 575, 20_000, 2 * rate + 77]) {
      const sent = toneSyllables(count, rate);
      const heard = await decoded([await mp3Of(sent, rate)], rate);
      expect(heard.length - count - DELAY).toBeGreaterThanOrEqual(0);
      expect(heard.length - count - DELAY).toBeLessThan(frameOf(rate) + LEAST_PADDING);
      if (count > 1000) expect(errorDb(sent, heard)).toBeLessThan(-45);
    }
  });

  it('gives equal samples however frames are cut, as bytes and as base64', async () => {
    const some = speech.subarray(0, 7000);
    const whole = await decoded([some]);
    const sizes = fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.boolean(), async (lengths, isBinary) => {
        const store = new PcmStore(RATE);
        let added = 0;
        for (const bytes of cut(some, lengths)) {
          const payload = isBinary ? { bytes } : { base64: Buffer.from(bytes).toString('base64') };
          const result = await append(store, payload, 'mp3');
          added += 'samples' in result ? result.samples : Number.NaN;
        }
        expect(added).toBe(whole.length);
        expect(store.slice()).toEqual(whole);
        store.close();
      }),
      { numRuns: 8 },
    );
  });

  it('of a frame is there with its last byte', async () => {
    // 128 kbit/s and 576 samples at 24 kHz.
    const added = [...Array(10).keys()].map((at) => speech.subarray(at * 384, (at + 1) * 384));
    const store = new PcmStore(RATE);
    for (const bytes of added) {
      expect(await append(store, { bytes: bytes.subarray(0, -1) }, 'mp3')).toEqual({ samples: 0 });
      expect(await append(store, { bytes: bytes.subarray(-1) }, 'mp3')).toEqual({ samples: 576 });
    }
  });

  it('of several turns is decoded apart, while their frames interleave', async () => {
    const turns = await Promise.all(
      [220, 440, 660].map(async (hertz) => {
        const bytes = await mp3Of(toneSyllables(RATE / 2, RATE, hertz), RATE);
        return { store: new PcmStore(RATE), parts: cut(bytes, [700]), alone: await decoded([bytes]) };
      }),
    );
    const frames = Math.max(...turns.map(({ parts }) => parts.length));
    for (let at = 0; at < frames; at += 1) {
      for (const { store, parts } of turns) {
        const bytes = parts[at];
        if (bytes) await append(store, { bytes }, 'mp3');
      }
    }
    for (const { store, alone } of turns) expect(store.slice()).toEqual(alone);
  });

  it('in two channels is their mean', async () => {
    const lame = await createMp3Encoder();
    lame.configure({ sampleRate: RATE, channels: 2, bitrate: 160 });
    const left = Float32Array.from(SPEECH, (sample) => sample / 32_768);
    const right = left.map((sample) => -sample / 2);
    const parts = [lame.encode([left, right]).slice(), lame.finalize().slice()];
    const mean = SPEECH.map((sample) => sample / 4);
    expect(errorDb(mean, await decoded(parts))).toBeLessThan(-45);
  });

  it('drops half a sample of another encoding', async () => {
    const store = new PcmStore(RATE);
    await append(store, { bytes: Uint8Array.of(1, 0, 2) }, 'pcm_s16le');
    store.appendPayload({ bytes: Uint8Array.of(1, 2, 3) }, 'pcm_f32le');
    await append(store, { bytes: speech }, 'mp3');
    expect(store.slice()).toEqual(Int16Array.of(1, ...(await decoded([speech]))));
  });
});

describe('faulty bytes', () => {
  it.each<[string, Uint8Array, RegExp]>([
    [
      'text',
      Buffer.from('{"error":"no voice"}'.repeat(200)),
      /^Expected MP3, got 4000 bytes without a sample\.$/,
    ],
    ['silence of PCM', new Uint8Array(96_000), /^Expected MP3, got 96000 bytes without a sample\.$/],
    [
      'no stream at all',
      new Uint8Array(200_000).fill(65),
      /^The bytes are no valid MP3: the decoder reports /,
    ],
  ])('that are %s are a problem and add nothing', async (_, bytes, problem) => {
    const printed = vi.spyOn(console, 'error').mockReturnValue();
    const store = new PcmStore(RATE);
    expect(await append(store, { bytes }, 'mp3')).toEqual({
      problem: expect.stringMatching(problem),
    });
    expect(store.length).toBe(0);
    expect(printed).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  it('are skipped before and in a good stream', async () => {
    const store = new PcmStore(RATE);
    await append(store, { bytes: new Uint8Array(3000) }, 'mp3');
    await append(store, { bytes: speech.subarray(0, 16_000) }, 'mp3');
    await append(store, { bytes: new Uint8Array(3000) }, 'mp3');
    await append(store, { bytes: speech.subarray(16_000) }, 'mp3');
    expect(store.length).toBeGreaterThan(SPEECH.length - 4 * frameOf(RATE));
  });

  it('of another rate than the format are a problem and add nothing', async () => {
    const store = new PcmStore(22_050);
    expect(await append(store, { bytes: speech }, 'mp3')).toEqual({
      problem: 'The format of the connection names 22050 Hz, the MP3 bytes are at 24000 Hz.',
    });
    expect(store.length).toBe(0);
  });
});

describe('decoders', () => {
  it.each((Object.keys(AUDIO_ENCODINGS) as AudioEncoding[]).filter((encoding) => !isCompressed(encoding)))(
    'are never waited for by %s',
    async (encoding) => {
      expect(decoders.isReady(encoding)).toBe(true);
      await decoders.ready(encoding);
    },
  );

  it('are taken by the first frame of a turn, and refilled', async () => {
    await decoders.ready('mp3');
    const open = new PcmStore(RATE);
    open.appendPayload({ bytes: speech.subarray(0, 384) }, 'mp3');
    takeSpares();
    const [payload, late] = [{ bytes: speech }, new PcmStore(RATE)];
    expect(late.appendPayload(payload, 'mp3')).toEqual({
      problem: 'The decoder of MP3 is missing: it is still loading.',
    });
    expect(open.appendPayload({ bytes: speech.subarray(384, 768) }, 'mp3')).toEqual({ samples: 576 });
    await decoders.ready('mp3');
    expect(late.appendPayload(payload, 'mp3')).toEqual({ samples: (await decoded([speech])).length });
  });

  it('that cannot be loaded are a problem of each frame, and are tried again', async () => {
    await decoders.ready('mp3');
    const compile = vi.spyOn(WebAssembly, 'compile').mockRejectedValue(new Error('forbidden by the policy'));
    takeSpares();
    const store = new PcmStore(RATE);
    for (let frame = 0; frame < 3; frame += 1) {
      expect(await append(store, { bytes: speech }, 'mp3')).toEqual({
        problem: 'The decoder of MP3 is missing: forbidden by the policy.',
      });
    }
    compile.mockRestore();
    await append(store, { bytes: speech }, 'mp3');
    expect(await append(store, { bytes: speech }, 'mp3')).toEqual({ samples: expect.any(Number) });
    expect(store.length).toBeGreaterThan(SPEECH.length);
  });

  it('of Opus are none, which each frame reports', async () => {
    const store = new PcmStore(48_000);
    for (let frame = 0; frame < 2; frame += 1) {
      expect(await append(store, { bytes: speech }, 'opus')).toEqual({
        problem: expect.stringMatching(/^The decoder of Opus is missing: .*plays none\.$/),
      });
    }
    expect(store.length).toBe(0);
  });

  it('of a closed stream begin anew', async () => {
    const store = new PcmStore(RATE);
    await append(store, { bytes: speech.subarray(0, 500) }, 'mp3');
    store.close();
    const before = store.length;
    await append(store, { bytes: speech }, 'mp3');
    expect(store.slice(before)).toEqual(await decoded([speech]));
  });
});
