/** The two laws of ITU-T G.711: 8 bits a sample. Samples here are signed 16-bit, at any rate. */
export type G711Law = 'mulaw' | 'alaw';

/** Added to the 16-bit magnitude, so that each µ-law segment begins at a power of two. */
const MULAW_BIAS = 132;
/** Largest magnitude of µ-law, before the bias is added. */
const MULAW_CLIP = 32_767 - MULAW_BIAS;
/** Every other bit of an A-law code is inverted on the wire (G.711 section 3). */
const ALAW_TOGGLE = 0x55;

function mulawToSample(code: number): number {
  const bits = ~code & 0xff;
  const segment = (bits >> 4) & 0x7;
  const magnitude = ((((bits & 0xf) << 3) + MULAW_BIAS) << segment) - MULAW_BIAS;
  return bits & 0x80 ? -magnitude : magnitude;
}

function alawToSample(code: number): number {
  const bits = code ^ ALAW_TOGGLE;
  const segment = (bits >> 4) & 0x7;
  const step = ((bits & 0xf) << 4) + 8;
  const magnitude = segment === 0 ? step : (step + 0x100) << (segment - 1);
  return bits & 0x80 ? magnitude : -magnitude;
}

const table = (decode: (code: number) => number): Int16Array =>
  Int16Array.from({ length: 256 }, (_, code) => decode(code));

const SAMPLES: Record<G711Law, Int16Array> = {
  mulaw: table(mulawToSample),
  alaw: table(alawToSample),
};

/** Returns the code of the interval that contains the sample; louder samples are clipped. */
function sampleToMulaw(sample: number): number {
  const magnitude = Math.min(Math.abs(sample), MULAW_CLIP) + MULAW_BIAS;
  const segment = 24 - Math.clz32(magnitude);
  const step = (magnitude >> (segment + 3)) & 0xf;
  return ~((sample < 0 ? 0x80 : 0) | (segment << 4) | step) & 0xff;
}

/** Returns the code of the interval that contains the sample; louder samples are clipped. */
function sampleToAlaw(sample: number): number {
  const magnitude = Math.min(Math.abs(sample), 32_767);
  const segment = Math.max(0, 24 - Math.clz32(magnitude));
  const step = (magnitude >> (segment === 0 ? 4 : segment + 3)) & 0xf;
  return ((sample < 0 ? 0 : 0x80) | (segment << 4) | step) ^ ALAW_TOGGLE;
}

const ENCODERS: Record<G711Law, (sample: number) => number> = {
  mulaw: sampleToMulaw,
  alaw: sampleToAlaw,
};

/** Expands codes into the beginning of `target`, which must be at least as long. */
export function decodeG711Into(law: G711Law, codes: Uint8Array, target: Int16Array): void {
  const samples = SAMPLES[law];
  for (let i = 0; i < codes.length; i += 1) target[i] = samples[codes[i] ?? 0] ?? 0;
}

/** Returns one code for each sample. */
export function encodeG711(law: G711Law, samples: Int16Array): Uint8Array<ArrayBuffer> {
  const encode = ENCODERS[law];
  const codes = new Uint8Array(samples.length);
  for (let i = 0; i < samples.length; i += 1) codes[i] = encode(samples[i] ?? 0);
  return codes;
}
