import { afterEach, describe, expect, it } from 'vitest';
import { connectCalls, serveCalls } from './worker-calls.ts';

class Counter {
  count = 0;
  aborted: Promise<void> | null = null;

  add(by: number): number {
    this.count += by;
    return this.count;
  }

  async later(value: Uint8Array): Promise<Uint8Array> {
    await new Promise((resolve) => setImmediate(resolve));
    return value;
  }

  fail(how: 'now' | 'later' | 'no error'): Promise<never> {
    if (how === 'now') throw new RangeError('Too far.');
    return Promise.reject(how === 'later' ? new RangeError('Too late.') : 'just text');
  }

  uncloneable(): unknown {
    return () => {};
  }

  async countTo(end: number, counted: (n: number) => void): Promise<string> {
    for (let n = 1; n <= end; n += 1) counted(n);
    return 'counted';
  }

  untilAborted(name: string, signal: AbortSignal): Promise<string> {
    return new Promise((resolve) => {
      if (signal.aborted) resolve(`${name} was aborted before`);
      signal.addEventListener('abort', () => resolve(`${name} was aborted`));
    });
  }

  serveOn(port: MessagePort): void {
    serveCalls(port, this);
  }
}

const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

function open(counter = new Counter()) {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  serveCalls(port1, counter);
  return { counter, ...connectCalls<Counter>(port2) };
}

describe('a call', () => {
  it('resolves with what the method returns, at once or later', async () => {
    const { calls } = open();
    const results = await Promise.all([calls.add(2), calls.later(Uint8Array.of(1, 2)), calls.add(3)]);
    expect(results).toEqual([2, Uint8Array.of(1, 2), 5]);
  });

  it.each([
    ['now', 'Too far.'],
    ['later', 'Too late.'],
    ['no error', 'just text'],
  ] as const)('rejects with the message of what is thrown: %s', async (how, message) => {
    await expect(open().calls.fail(how)).rejects.toThrow(message);
  });

  it('rejects where the result cannot be cloned', async () => {
    await expect(open().calls.uncloneable()).rejects.toThrow(/clone/);
  });

  it('rejects where an argument cannot be cloned, and later calls are answered', async () => {
    const { calls } = open();
    await expect(calls.add({ by: () => {} } as never)).rejects.toThrow(/clone/);
    expect(await calls.add(1)).toBe(1);
  });

  it('rejects where there is no such method', async () => {
    const { calls } = open();
    await expect((calls as unknown as { gone: () => Promise<void> }).gone()).rejects.toThrow('“gone”');
  });

  it('calls back before it is answered, in order', async () => {
    const counted: number[] = [];
    const result = open().calls.countTo(3, (n) => counted.push(n));
    expect(await result).toBe('counted');
    expect(counted).toEqual([1, 2, 3]);
  });

  it('passes on an abort, before the call and during it, to that call alone', async () => {
    const { calls } = open();
    const [first, second] = [new AbortController(), new AbortController()];
    const answers = [calls.untilAborted('a', first.signal), calls.untilAborted('b', second.signal)];
    second.abort();
    expect(await answers[1]).toBe('b was aborted');
    first.abort();
    expect(await answers[0]).toBe('a was aborted');
    expect(await calls.untilAborted('c', first.signal)).toBe('c was aborted before');
  });

  it('moves a port', async () => {
    const { calls } = open();
    const { port1, port2 } = new MessageChannel();
    ports.push(port1);
    await calls.serveOn(port2);
    expect(await connectCalls<Counter>(port1).calls.add(7)).toBe(7);
  });

  it('rejects once the connection has ended, also where it is open', async () => {
    const { calls, end } = open();
    const never = calls.untilAborted('a', new AbortController().signal);
    end('The worker has stopped.');
    await expect(never).rejects.toThrow('The worker has stopped.');
    await expect(calls.add(1)).rejects.toThrow('The worker has stopped.');
  });
});
