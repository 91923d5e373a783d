import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LateWorker } from './late-worker.ts';

class FakeWorker {
  readonly messages: unknown[] = [];
  isTerminated = false;
  onmessage: ((event: MessageEvent) => void) | null = null;
  onerror: (() => void) | null = null;

  postMessage(...message: unknown[]): void {
    this.messages.push(message);
  }

  terminate(): void {
    this.isTerminated = true;
  }
}

let started: FakeWorker[];
let idle: (() => void)[];
const start = () => {
  const worker = new FakeWorker();
  started.push(worker);
  return worker as unknown as Worker;
};

beforeEach(() => {
  started = [];
  idle = [];
  vi.stubGlobal('requestIdleCallback', (act: () => void) => idle.push(act));
  vi.stubGlobal('document', { readyState: 'interactive' });
});
afterEach(() => vi.unstubAllGlobals());

const becomeIdle = () => {
  for (const act of idle.splice(0)) act();
};

it('starts once the page is idle, and then gets all messages in order', () => {
  const worker = new LateWorker(start);
  const port = {} as Transferable;
  worker.postMessage('first', [port]);
  worker.postMessage('second', []);
  expect(started).toEqual([]);
  becomeIdle();
  worker.postMessage('third', []);
  expect(started.map(({ messages }) => messages)).toEqual([
    [
      ['first', [port]],
      ['second', []],
      ['third', []],
    ],
  ]);
});

it('starts at once on a page that has loaded', () => {
  vi.stubGlobal('document', { readyState: 'complete' });
  const worker = new LateWorker(start);
  worker.postMessage('first', []);
  expect(started[0]?.messages).toEqual([['first', []]]);
});

it('passes on messages and errors to listeners of before and after its start', () => {
  const worker = new LateWorker(start);
  const heard: unknown[] = [];
  worker.onmessage = ({ data }) => heard.push(data);
  becomeIdle();
  worker.onerror = () => heard.push('error');
  started[0]?.onmessage?.({ data: 'hello' } as MessageEvent);
  started[0]?.onerror?.();
  expect(heard).toEqual(['hello', 'error']);
});

it('never starts after its end, and ends once started', () => {
  new LateWorker(start).terminate();
  becomeIdle();
  expect(started).toEqual([]);
  const worker = new LateWorker(start);
  becomeIdle();
  worker.terminate();
  expect(started[0]?.isTerminated).toBe(true);
});
