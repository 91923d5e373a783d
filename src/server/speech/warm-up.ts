import { faultFields, type Log } from '../log.ts';
import { type Engine, EngineClosedError, ORDINARY_SPEECH } from './engine.ts';
import { VOICES } from './voices/voices.ts';

/** Spoken by each thread before the server is ready. The longer text would double the time until then. */
const FIRST_TEXT = 'The quick brown fox jumps over the lazy dog.';
/** Many at once, as in a burst. Three times as many take 4 s more without a measurable gain. */
const REQUESTS = 6;
const TEXT =
  'The quick brown fox jumps over the lazy dog, and runs along the river. It is 9:42, or a little later.';

interface Options {
  /** Threads of the engine. */
  readonly threads: number;
  readonly log: Log;
}

/**
 * Speaks throw-away texts until the whole path is optimised. Without it the first burst of sessions waits about five
 * times as long as later ones. Resolves as soon as every thread has spoken one sentence, because the rest takes seconds.
 * Clients share the engine with the rest, and go before it once it has some audio.
 */
export async function warmUp(engine: Engine, { threads, log }: Options): Promise<void> {
  await speak(engine, threads, FIRST_TEXT);
  speakOn(engine, threads).catch((error: unknown) => {
    if (!(error instanceof EngineClosedError)) log.warn(faultFields(error), 'the engine did not warm up');
  });
}

async function speakOn(engine: Engine, threads: number): Promise<void> {
  // Pieces are slow at first. A client waits for one of each thread, not for those of all requests.
  await speak(engine, threads, TEXT);
  await speak(engine, threads, TEXT);
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
