import { faultFields, type Log } from '../log.ts';
import { type Engine, EngineClosedError, ORDINARY_SPEECH } from './engine.ts';
import { VOICES } from './voices/voices.ts';

/**
 * Spoken by each thread before the server is ready, each by another voice. V8 compiles the ways through espeak that it has
 * seen, and starts anew where a voice takes another one.
 */
const FIRST_TEXTS = ['The quick brown fox', 'jumps over', 'the lazy dog.'];
/** Distance of these voices in the list. Its neighbours are much alike. */
const VOICE_STEP = 3;
/** Many at once, as in a burst. Three times as many take 4 s more without a measurable gain. */
const REQUESTS = 6;
const TEXT =
  'The quick brown fox jumps over the lazy dog, and runs along the river. It is 9:42, or a little later.';

interface Options {
  /** Threads of the engine. */
  readonly threads: number;
  readonly log: Log;
}

/** An engine that is warmed up until a client wants it. */
export interface WarmingEngine {
  readonly engine: Engine;
  /**
   * Speaks throw-away texts until the whole path is optimised. Without it the first burst of sessions waits about five
   * times as long as later ones. Resolves as soon as every thread has spoken one sentence, because the rest takes
   * seconds. The first request of a client ends it within milliseconds: no client waits for it, and speech of clients
   * optimises the same path.
   */
  warmUp(): Promise<void>;
}

export function warmingEngine(engine: Engine, { threads, log }: Options): WarmingEngine {
  const wanted = new AbortController();
  return {
    engine: {
      synthesize(request, signal) {
        wanted.abort();
        return engine.synthesize(request, signal);
      },
      close: () => engine.close(),
    },
    async warmUp() {
      const never = new AbortController().signal;
      await Promise.all(FIRST_TEXTS.map((text, at) => speak(engine, threads, text, never, at)));
      speakOn(engine, threads, wanted.signal).catch((error: unknown) => {
        if (wanted.signal.aborted || error instanceof EngineClosedError) return;
        log.warn(faultFields(error), 'the engine did not warm up');
      });
    },
  };
}

async function speakOn(engine: Engine, threads: number, signal: AbortSignal): Promise<void> {
  // Pieces are slow at first. Requests for all of them at once would be in the way of each other.
  await speak(engine, threads, TEXT, signal);
  await speak(engine, threads, TEXT, signal);
  await speak(engine, REQUESTS, TEXT, signal);
}

async function speak(
  engine: Engine,
  requests: number,
  text: string,
  signal: AbortSignal,
  from = 0,
): Promise<void> {
  const one = async (index: number) => {
    const voice = VOICES[((from + index) * VOICE_STEP) % VOICES.length] ?? VOICES[0];
    const blocks = engine.synthesize(
      { ...ORDINARY_SPEECH, text, voice, language: 'en', session: `warm-up ${from} ${index}` },
      signal,
    );
    for await (const _ of blocks);
  };
  await Promise.all(Array.from({ length: requests }, (_, index) => one(index)));
}
