import { afterEach, beforeEach } from 'vitest';
import type { RunningServer } from '../../running-server.ts';
import { openMemoryState } from '../../state/memory-state.ts';
import { createTestEngine, type TestEngine } from '../../test-engine.test-helper.ts';
import { startTestServer } from '../../test-server.test-helper.ts';

/** A server of the account, and calls to it. */
class AccountServer {
  engine: TestEngine = createTestEngine();
  #server: RunningServer | undefined;

  /** Starts the server, or starts it anew with the state that is opened once the old one has stopped. */
  async start(openState = () => openMemoryState()): Promise<void> {
    await this.stop();
    this.engine = createTestEngine();
    this.#server = await startTestServer({ engine: this.engine, state: openState() });
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
    this.#server = undefined;
  }

  /** A call with a good key, below `/kugel`. */
  fetch(path: string, { headers, ...init }: RequestInit = {}): Promise<Response> {
    return fetch(`${this.#server?.http}/kugel${path}`, {
      ...init,
      headers: { 'X-API-Key': 'local', ...headers },
    });
  }

  /** A call below `/kugel/v1`, and its answer. */
  async call(method: string, path: string, body?: unknown) {
    const isRaw = body === undefined || typeof body === 'string' || body instanceof FormData;
    const sent = isRaw ? (body as string | FormData | undefined) : JSON.stringify(body);
    const response = await this.fetch(`/v1${path}`, {
      method,
      ...(sent === undefined ? {} : { body: sent }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  }

  /** The body of a call that reads. */
  async read(path: string) {
    return (await this.call('GET', path)).body;
  }

  /** The last request at the engine, after a call that speaks. */
  async spoken(fields: object): Promise<TestEngine['requests'][number] | undefined> {
    const body = JSON.stringify({ text: 'Hi', voice_id: 1071, ...fields });
    await (await this.fetch('/v1/tts/generate', { method: 'POST', body })).arrayBuffer();
    return this.engine.requests.at(-1);
  }
}

/** Starts a server of its own for each test of a file, and stops it afterwards. */
export function setUpAccountServer(): AccountServer {
  const server = new AccountServer();
  beforeEach(() => server.start());
  afterEach(() => server.stop());
  return server;
}
