import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { createEspeakEngine } from './espeak/espeak-engine.ts';
import { speakReference } from './reference-speech.ts';

it('speaks a text with a time for each of its words, and stops when nobody wants it', async () => {
  const engine = await createEspeakEngine({ threads: 1 });
  const text = 'Good morning, Anna.';
  try {
    const request = { text, language: null };
    const {
      engine: name,
      samples,
      words,
    } = await speakReference(engine, request, new AbortController().signal);
    expect(words.map(({ charStart, charEnd }) => text.slice(charStart, charEnd))).toEqual([
      'Good',
      'morning',
      'Anna',
    ]);
    const sound = new Int16Array(new Uint8Array(Buffer.from(samples, 'base64')).buffer);
    expect(words.at(-1)?.endMs).toBeLessThanOrEqual(sound.length / 8);
    expect(sound.some((sample) => Math.abs(sample) > 3000)).toBe(true);
    const { version } = createRequire(import.meta.url)('@echogarden/espeak-ng-emscripten/package.json');
    expect(name).toBe(`espeak-ng ${version}`);
    await expect(speakReference(engine, request, AbortSignal.abort(new Error('left')))).rejects.toThrow(
      'left',
    );
  } finally {
    await engine.close();
  }
});
