import { expect, it } from 'vitest';
import { createEspeakEngine } from './espeak/espeak-engine.ts';
import { speakReference } from './reference-speech.ts';

it('speaks a text with a time for each of its words, and stops when nobody wants it', async () => {
  const engine = await createEspeakEngine({ threads: 1 });
  const text = 'Good morning, Anna.';
  try {
    const request = { text, language: undefined };
    const { samples, words } = await speakReference(engine, request, new AbortController().signal);
    expect(words.map(({ charStart, charEnd }) => text.slice(charStart, charEnd))).toEqual([
      'Good',
      'morning',
      'Anna',
    ]);
    expect(words.at(-1)?.endMs).toBeLessThanOrEqual(samples.length / 8);
    expect(samples.some((sample) => Math.abs(sample) > 3000)).toBe(true);
    await expect(speakReference(engine, request, AbortSignal.abort(new Error('left')))).rejects.toThrow(
      'left',
    );
  } finally {
    await engine.close();
  }
});
