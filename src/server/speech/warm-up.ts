import { type Engine, ORDINARY_SPEECH } from './engine.ts';
import { VOICES } from './voices/voices.ts';

/** At least one for each thread, which loads a voice and runs the whole path once. */
const FIRST_REQUESTS = 2;
const FIRST_TEXT = 'Ready.';
/** Many at once, as in a burst. Three times as many take 4 s more without a measurable gain. */
const REQUESTS = 6;
const TEXT =
  'The quick brown fox jumps over the lazy dog, and runs along the river. It is 9:42, or a little later.';

/**
 * Speaks throw-away texts until the whole path is optimised. Without it the first burst of sessions waits about five
 * times as long as later ones. Resolves as soon as every thread has spoken a word, because the rest takes seconds.
 * Clients share the engine with the rest, and go before it once it has some audio.
 */
export async function warmUp(engine: Engine): Promise<void> {
  await speak(engine, FIRST_REQUESTS, FIRST_TEXT);
  // An engine that is closed meanwhile ends it.
  speakOn(engine).catch(() => {});
}

async function speakOn(engine: Engine): Promise<void> {
  // Pieces are slow at first. A client waits for one of each thread, not for those of all requests.
  await speak(engine, FIRST_REQUESTS, TEXT);
  await speak(engine, FIRST_REQUESTS, TEXT);
  await speak(engine, REQUESTS, TEXT);
}

async function speak(engine: Engine, requests: number, text: string): Promise<void> {
  const one = async (index: number) => {
    const voice = VOICES[index % 2] ?? VOICES[0];
    const blocks = engine.synthesize(
      { ...ORDINARY_SPEECH, text, voice, language: 'en', session: `warm-up ${index}` },
      new AbortController().signal,
    );
    for await (const _ of blocks);
  };
  await Promise.all(Array.from({ length: requests }, (_, index) => one(index)));
}
