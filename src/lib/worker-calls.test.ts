import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { linkedPorts } from './testing/linked-ports.ts';
import { callWorker, connectCalls, serveCalls } from './worker-calls.ts';

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

  it('reaches the first object that has the method', async () => {
    const [served, called] = linkedPorts();
    serveCalls(
      served,
      { last: () => 'of the first' },
      { last: () => 'hidden', first: () => 'of the second' },
    );
    const { calls } = connectCalls<{ first(): string; last(): string }>(called);
    expect(await Promise.all([calls.first(), calls.last()])).toEqual(['of the second', 'of the first']);
  });

  it('rejects once the connection is disposed of, also where it is open', async () => {
    const { calls, dispose } = open();
    const never = calls.untilAborted('a', new AbortController().signal);
    dispose('The worker has stopped.');
    await expect(never).rejects.toThrow('The worker has stopped.');
    await expect(calls.add(1)).rejects.toThrow('The worker has stopped.');
  });
});

describe('a worker that is called', () => {
  beforeEach(() => vi.stubGlobal('Worker', class {}));
  afterEach(() => vi.unstubAllGlobals());

  const here = new Counter();

  /** Calls a worker that counts in this thread, or never answers. */
  function called({ isStuck = false } = {}) {
    const [workerEnd, ownEnd] = linkedPorts();
    if (!isStuck) serveCalls(workerEnd, new Counter());
    const worker = Object.assign(ownEnd, { onerror: () => {}, terminate: vi.fn() });
    // Calls need no other member of a worker.
    const start = () => worker as unknown as Worker;
    return { worker, ...callWorker(start, 'The worker has stopped.', here) };
  }

  it('answers until it is disposed of', async () => {
    const { worker, calls, dispose } = called();
    expect([await calls.add(7), await calls.add(7), here.count]).toEqual([7, 14, 0]);
    dispose();
    expect(worker.terminate).toHaveBeenCalledOnce();
  });

  it('answers no call that is open when it is disposed of', async () => {
    const { calls, dispose } = called({ isStuck: true });
    const never = calls.add(7);
    dispose('The file was closed.');
    await expect(never).rejects.toThrow('The file was closed.');
  });

  it.each(['before it is called', 'while it is called'])('fails where it stops %s', async (when) => {
    const { worker, calls } = called({ isStuck: true });
    if (when === 'before it is called') worker.onerror();
    const answer = calls.add(7);
    if (when === 'while it is called') worker.onerror();
    await expect(answer).rejects.toThrow('The worker has stopped.');
  });

  it('is replaced by an object of this thread where a thread can start no workers', async () => {
    vi.stubGlobal('Worker', undefined);
    expect(await called().calls.add(3)).toBe(3);
    expect(here.count).toBe(3);
  });
});
