import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { linkedPorts } from '#lib/testing/linked-ports.ts';
import { serveCalls } from '#lib/worker-calls.ts';
import type { RecordingsCalls } from '#recordings/recordings.ts';
import { fakePage } from '../session-client/testing/page.ts';
import { recordingsLink } from './recordings-link.ts';
import { useRecordings } from './recordings-store.ts';

type Answers = Partial<Record<keyof RecordingsCalls, (...args: never[]) => unknown>>;

/** A worker that answers as a test says, and otherwise never. */
class OtherWorker {
  static last: OtherWorker;
  answers: Answers = {};
  onerror: (() => void) | null = null;
  readonly #port;

  constructor() {
    OtherWorker.last = this;
    const [workerEnd, pageEnd] = linkedPorts();
    this.#port = pageEnd;
    const methods = new Proxy<Answers>(
      {},
      { get: (_, name) => this.answers[name as keyof Answers] ?? (() => new Promise(() => {})) },
    );
    serveCalls(workerEnd, methods);
  }

  set onmessage(listener: ((event: MessageEvent) => void) | null) {
    this.#port.onmessage = listener;
  }

  postMessage(message: unknown, transfer: Transferable[]): void {
    this.#port.postMessage(message, transfer);
  }
}

const damaged = () => {
  throw new Error('It is damaged.');
};

let page: ReturnType<typeof fakePage>;

beforeEach(() => {
  page = fakePage();
  vi.stubGlobal('Worker', OtherWorker);
  vi.stubGlobal('document', { addEventListener: () => {}, readyState: 'complete' });
  recordingsLink.start().close();
});
afterEach(() => useRecordings.setState({ failure: null }));

const QUESTIONS: readonly [name: string, ask: () => Promise<unknown>, without: unknown][] = [
  ['rows', () => recordingsLink.rows(0, 1, false), null],
  ['entries', () => recordingsLink.query(({ entries }) => entries([0]), null), null],
  ['frameOutcome', () => recordingsLink.query(({ frameOutcome }) => frameOutcome(0), null), null],
  ['frameAt', () => recordingsLink.query(({ frameAt }) => frameAt(1, 0), null), null],
  ['turnSound', () => recordingsLink.query(({ turnSound }) => turnSound(1, 0, 1), null), null],
  ['locate', () => recordingsLink.locate([0]), new Int32Array()],
  ['find', () => recordingsLink.query(({ find }) => find({}), []), []],
  [
    'findings',
    () => recordingsLink.query(({ findings }) => findings({ entries: [0] }), { findings: [], of: 0 }),
    { findings: [], of: 0 },
  ],
  ['nextFinding', () => recordingsLink.query(({ nextFinding }) => nextFinding(0, 1, true), -1), -1],
];

describe('a question', () => {
  it.each(QUESTIONS)('ends where it fails, and can be asked again: %s', async (name, ask, without) => {
    OtherWorker.last.answers = { [name]: damaged };
    for (let times = 0; times < 2; times += 1) expect(await ask()).toEqual(without);
    page.paintFrame();
    expect(useRecordings.getState().failure).toBe('The recording cannot be read: It is damaged.');
  });

  it.each(QUESTIONS)('ends where the worker stops: %s', async (_, ask, without) => {
    const answer = ask();
    OtherWorker.last.onerror?.();
    expect(await answer).toEqual(without);
    expect(useRecordings.getState().failure).toMatch(/has stopped/);
  });
});

it('a task ends with an outcome where the worker stops', async () => {
  const outcome = recordingsLink.exchange({ kind: 'parts', recording: 'one' });
  OtherWorker.last.onerror?.();
  expect(await outcome).toMatchObject({ kind: 'failed', problem: expect.stringMatching(/has stopped/) });
});
