import type { ApplicationOptions } from '../application.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.test-helper.ts';
import { createLog } from '../log.ts';
import type { RunningServer } from '../running-server.ts';
import { createTestEngine, type TestEngine } from '../test-engine.test-helper.ts';
import { startTestServer } from '../test-server.test-helper.ts';

/** A server with the test engine and a fake clock, and calls to it. */
export interface RestWorld {
  server: RunningServer;
  engine: TestEngine;
  clock: FakeClock;
  /** Messages of the log's lines. */
  logged: string[];
  /** Resolves once so many syntheses run. */
  running(count: number): Promise<void>;
  /** Calls with the key `local`; a body makes it a POST. */
  call(path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  send(method: string, path: string, headers?: Record<string, string>): Promise<Response>;
}

export async function startRestWorld(replaced: Partial<ApplicationOptions> = {}): Promise<RestWorld> {
  const engine = createTestEngine();
  const counted = countRunning(engine);
  const clock = createFakeClock();
  const logged: string[] = [];
  const log = createLog('warn', { write: (line) => logged.push(JSON.parse(line).msg) });
  const server = await startTestServer({ engine: counted.engine, clock, log, ...replaced });
  const send = (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
    fetch(`${server.http}/murmr${path}`, {
      method,
      headers: { Authorization: 'Bearer local', ...headers },
      ...(body !== undefined && { body }),
    });
  return {
    server,
    engine,
    clock,
    logged,
    running: counted.running,
    send,
    call: (path, body, headers) =>
      body === undefined
        ? send('GET', path, headers)
        : send('POST', path, headers, typeof body === 'string' ? body : JSON.stringify(body)),
  };
}

/** Events of an SSE body, and its comments as strings. */
export function eventsIn(body: string): (Record<string, unknown> | string)[] {
  return body
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => (event.startsWith('data: ') ? JSON.parse(event.slice('data: '.length)) : event));
}

function countRunning(engine: TestEngine) {
  let count = 0;
  let watchers: (() => void)[] = [];
  const add = (one: number) => {
    count += one;
    for (const watch of watchers) watch();
  };
  return {
    engine: {
      ...engine,
      async *synthesize(...args: Parameters<TestEngine['synthesize']>) {
        add(1);
        try {
          yield* engine.synthesize(...args);
        } finally {
          add(-1);
        }
      },
    },
    running: (expected: number) =>
      new Promise<void>((resolve) => {
        const watch = () => {
          if (count !== expected) return;
          watchers = watchers.filter((other) => other !== watch);
          resolve();
        };
        watchers.push(watch);
        watch();
      }),
  };
}
