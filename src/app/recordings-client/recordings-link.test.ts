import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RecordingCommand, RecordingReport } from '#recordings/messages.ts';
import { recordingsLink } from './recordings-link.ts';
import { useRecordings } from './recordings-store.ts';

/** A worker that answers as a test says. */
class OtherWorker {
  static last: OtherWorker;
  readonly asked: RecordingCommand[] = [];
  onmessage: ((event: { data: RecordingReport }) => void) | null = null;
  onerror: (() => void) | null = null;

  constructor() {
    OtherWorker.last = this;
  }

  postMessage(command: RecordingCommand): void {
    this.asked.push(command);
  }

  report(report: RecordingReport): void {
    this.onmessage?.({ data: report });
  }

  /** Number of the question that was asked last. */
  get request(): number {
    const last = this.asked.at(-1);
    return last && 'request' in last ? last.request : -1;
  }
}

beforeAll(() => {
  vi.stubGlobal('Worker', OtherWorker);
  vi.stubGlobal('document', { addEventListener: () => {} });
  vi.stubGlobal('requestAnimationFrame', (task: () => void) => setTimeout(task));
  recordingsLink.start().close();
});
afterAll(() => {
  vi.unstubAllGlobals();
  useRecordings.setState({ failure: null });
});

const QUESTIONS: readonly [name: string, ask: () => Promise<unknown>, without: unknown][] = [
  ['rows', () => recordingsLink.rows(0, 1), null],
  ['entries', () => recordingsLink.entries([0]), null],
  ['envelopes', () => recordingsLink.envelopes([]), null],
  ['became', () => recordingsLink.became(0), null],
  ['frameAt', () => recordingsLink.frameAt(1, 0), null],
  ['locate', () => recordingsLink.locate([0]), new Int32Array()],
  ['find', () => recordingsLink.find({}), new Uint32Array()],
  ['findings', () => recordingsLink.findings({ entries: [0] }), { findings: [], of: 0 }],
  ['nextFinding', () => recordingsLink.nextFinding(0, 1, true), -1],
];

describe('a question', () => {
  it('has its own answer, in whatever order they come', async () => {
    const first = recordingsLink.frameAt(1, 0);
    const { request } = OtherWorker.last;
    const second = recordingsLink.frameAt(1, 1);
    OtherWorker.last.report({ type: 'frameAt', request: OtherWorker.last.request, index: 22 });
    OtherWorker.last.report({ type: 'frameAt', request, index: 11 });
    expect(await Promise.all([first, second])).toEqual([11, 22]);
  });

  it.each(QUESTIONS)(
    'ends where an error came between, and can be asked again: %s',
    async (_, ask, without) => {
      for (let times = 0; times < 2; times += 1) {
        const answer = ask();
        OtherWorker.last.report({ type: 'failed', message: 'It is damaged.' });
        OtherWorker.last.report({ type: 'unanswered', request: OtherWorker.last.request });
        expect(await answer).toEqual(without);
      }
      await vi.waitFor(() => expect(useRecordings.getState().failure).toBe('It is damaged.'));
    },
  );

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
