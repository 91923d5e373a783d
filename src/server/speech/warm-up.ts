import { type Engine, ORDINARY_SPEECH } from './engine.ts';
import { VOICES } from './voices/voices.ts';

/** Enough requests for every thread to run the whole path a few times. Three times as many take 4 s more without a
 * measurable gain. */
const REQUESTS = 8;
const TEXT =
  'The quick brown fox jumps over the lazy dog, and runs along the river. It is 9:42, or a little later.';

/**
 * Synthesises throw-away texts until the whole path is optimised. Without it the first burst of sessions waits about
 * five times as long as later ones.
 */
export async function warmUp(engine: Engine): Promise<void> {
  const one = async (index: number) => {
    const voice = VOICES[index % 2] ?? VOICES[0];
    const blocks = engine.synthesize(
      { ...ORDINARY_SPEECH, text: TEXT, voice, language: 'en', session: `warm-up ${index}` },
      new AbortController().signal,
    );
    for await (const _ of blocks);
  };
  await Promise.all(Array.from({ length: REQUESTS }, (_, index) => one(index)));
}
