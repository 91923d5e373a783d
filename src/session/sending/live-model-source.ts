import type { ChatRequest } from '#text/chat/chat-request.ts';
import type { ChatStreamer } from '#text/chat/stream-chat.ts';
import type { TokenReceiver, TokenSource } from './models.ts';

/** Streams an answer with code that is loaded on first use. */
export const streamWhenLoaded: ChatStreamer = async function* (request, signal) {
  const loaded = await import('#text/chat/stream-chat.ts').catch(() => null);
  if (!loaded) return NOT_LOADED;
  return yield* loaded.streamChat(request, signal);
};

const NOT_LOADED = {
  severity: 'error',
  title: 'The live model cannot be asked',
  detail: 'A part of the page that asks it could not be loaded.',
  remedy: 'Reload the page, and ask again.',
} as const;

/** Says the tokens of a model server's answer as they come. A stop aborts the request at once. */
export class LiveModelSource implements TokenSource {
  readonly model = 'live';
  readonly total = null;
  readonly nextToken = null;
  readonly #stream: ChatStreamer;
  readonly #request: ChatRequest;
  readonly #abort = new AbortController();

  constructor(stream: ChatStreamer, request: ChatRequest) {
    this.#stream = stream;
    this.#request = request;
  }

  start(to: TokenReceiver): void {
    to.began();
    void this.#run(to);
  }

  stop(): void {
    this.#abort.abort();
  }

  async #run(to: TokenReceiver): Promise<void> {
    const { signal } = this.#abort;
    const tokens = this.#stream(this.#request, signal);
    for (;;) {
      const next = await tokens.next();
      if (signal.aborted) {
        await tokens.return(null);
        return;
      }
      if (!next.done) to.say([next.value]);
      else if (next.value) to.failed(next.value);
      else to.done();
      if (next.done) return;
    }
  }
}
