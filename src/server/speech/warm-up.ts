import type { Engine } from './engine.ts';
import { VOICES } from './voices/voices.ts';

/** As many requests at once as it takes for every thread to have been through the whole path a few times; three times as many take 4 s more and change nothing that could be measured. */
const REQUESTS = 8;
const TEXT =
  'The quick brown fox jumps over the lazy dog, and runs along the river. It is 9:42, or a little later.';

/**
 * Speaks for nobody, many at once, until the code on the whole path has been compiled for speed: without it the first
 * burst of sessions waits some five times as long as every later one.
 */
export async function warmUp(engine: Engine): Promise<void> {
  const one = async (index: number) => {
    const voice = VOICES[index % 2];
    if (!voice) return;
    const blocks = engine.synthesize(
      {
        text: TEXT,
        voice,
        sampleRate: 24_000,
        speed: 1,
        variation: 0.4,
        language: 'en',
        normalize: true,
        pronunciations: [],
        session: `warm-up ${index}`,
      },
      new AbortController().signal,
    );
    for await (const _ of blocks);
  };
  await Promise.all(Array.from({ length: REQUESTS }, (_, index) => one(index)));
}
