import { expect, it } from 'vitest';
import { holdMessages } from './held-messages.ts';

/** Messages in capital letters wait until the test loads something for them. */
function scene() {
  const loads = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();
  const loaded = new Set<string>();
  const handled: string[] = [];
  const failures: unknown[] = [];
  const port: { onmessage: ((message: string) => unknown) | null } = {
    onmessage: (message) => {
      if (message === 'fault') throw new Error(message);
      handled.push(message);
    },
  };
  holdMessages(
    port,
    (message) => {
      if (loaded.has(message) || message === message.toLowerCase()) return null;
      return new Promise<void>((resolve, reject) => {
        loads.set(message, { resolve, reject });
      });
    },
    (error) => failures.push(error),
  );
  return {
    handled,
    failures,
    take: (...messages: string[]) => {
      for (const message of messages) port.onmessage?.(message);
    },
    load: async (message: string) => {
      loaded.add(message);
      loads.get(message)?.resolve();
      await new Promise(setImmediate);
    },
    fail: async (message: string, error: Error) => {
      loads.get(message)?.reject(error);
      await new Promise(setImmediate);
    },
  };
}

it('hands on a message at once that needs nothing', () => {
  const { take, handled } = scene();
  take('a');
  expect(handled).toEqual(['a']);
});

it('keeps the order behind a message that waits', async () => {
  const { take, load, handled } = scene();
  take('a', 'B', 'c', 'D', 'e');
  expect(handled).toEqual(['a']);
  await load('B');
  expect(handled).toEqual(['a', 'B', 'c']);
  take('f');
  await load('D');
  expect(handled).toEqual(['a', 'B', 'c', 'D', 'e', 'f']);
  take('g');
  expect(handled.at(-1)).toBe('g');
});

it('reports a fault of the handler with a held message, and goes on', async () => {
  const { take, load, handled, failures } = scene();
  take('A', 'fault', 'b');
  await load('A');
  expect(failures).toEqual([new Error('fault')]);
  take('c');
  expect(handled).toEqual(['A', 'b', 'c']);
});

it('reports a failure once, and hands on nothing any more', async () => {
  const { take, fail, handled, failures } = scene();
  take('B', 'c');
  await fail('B', new Error('no network'));
  take('d');
  expect(handled).toEqual([]);
  expect(failures).toEqual([new Error('no network')]);
});
