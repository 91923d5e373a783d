import type { Log } from '../log.ts';
import { type Engine, EngineBusyError, type SpeechBlock, type SpeechRequest } from './engine.ts';
import type { EngineName } from './engine-settings.ts';
import type { EngineVoice } from './voices/voices.ts';

interface Options {
  /** Null where no voice needs espeak. */
  readonly espeak: Engine | null;
  readonly openai: Engine;
  readonly engineOf: (voice: EngineVoice) => EngineName;
  /** espeak speaks where the other engine fails. */
  readonly takesOver: boolean;
  readonly log: Log;
}

/** After a failure that passes, espeak keeps the texts for so long, because each would wait for the same failure. */
const REST_MS = 10_000;

/** Two engines as one. The voice decides which speaks. */
export class RoutedEngine implements Engine {
  readonly #options: Options;
  #restsUntilMs = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  async *synthesize(
    request: SpeechRequest,
    signal: AbortSignal,
  ): AsyncGenerator<SpeechBlock, void, undefined> {
    const { espeak, openai, engineOf, takesOver, log } = this.#options;
    if (espeak && engineOf(request.voice) === 'espeak') return yield* espeak.synthesize(request, signal);
    if (!espeak || !takesOver) return yield* openai.synthesize(request, signal);
    if (performance.now() >= this.#restsUntilMs) {
      let hasSpoken = false;
      try {
        for await (const block of openai.synthesize(request, signal)) {
          hasSpoken = true;
          yield block;
        }
        return;
      } catch (error) {
        // Another voice in the middle of a text would be worse than an end.
        if (hasSpoken || signal.aborted) throw error;
        if (error instanceof EngineBusyError) this.#restsUntilMs = performance.now() + REST_MS;
        log.warn({ engine: 'espeak' }, 'another engine takes over');
      }
    }
    yield* espeak.synthesize(request, signal);
  }

  async close(): Promise<void> {
    await Promise.all([this.#options.openai.close(), this.#options.espeak?.close()]);
  }
}
