import '../protocol/without-eval.ts';
import { browserEnvironment } from './environment.ts';
import type { Command, Report } from './messages.ts';
import { Session } from './session.ts';

/** The part of a dedicated worker's scope that is used here; the types of a page and of a worker exclude one another. */
interface WorkerScope {
  postMessage(report: Report): void;
  onmessage: ((event: MessageEvent<Command>) => void) | null;
}

const scope = globalThis as unknown as WorkerScope;

const session = new Session({
  environment: browserEnvironment,
  report: (update) => scope.postMessage({ type: 'update', update }),
});

scope.onmessage = ({ data }) => session.handle(data);
