import { createEspeakEngine } from './src/speech/espeak-engine.ts';
import { VOICES } from './src/speech/voices.ts';
const [n, which] = [Number(process.argv[2]), process.argv[3]];
const LONG = 'The quick brown fox jumps over the lazy dog, and runs along the river. It is 9:42, or a little later.';
const SHORT = 'It is 9:42, or later.';
const e = await createEspeakEngine();
const one = async (i: number, text: string) => { const t0 = performance.now(); let first = 0; for await (const _ of e.synthesize({ text, voice: VOICES[i % 2]!, sampleRate: 24000, speed: 1, variation: 0.4, language: 'en', normalize: true, pronunciations: [], session: `w ${i}` }, new AbortController().signal)) first ||= performance.now() - t0; return first; };
const t0 = performance.now();
await Promise.all(Array.from({ length: n }, (_, i) => one(i, which === 'short' ? SHORT : LONG)));
const warm = performance.now() - t0;
for (const b of [0, 1, 2]) { const f = (await Promise.all(Array.from({ length: 10 }, (_, i) => one(i, 'Somebody says a sentence of a usual length here.')))).sort((a, b) => a - b);
 console.log(n, which, 'warm', warm.toFixed(0), 'burst', b, 'first block median', f[5]!.toFixed(0), 'max', f[9]!.toFixed(0)); }
process.exit(0);
