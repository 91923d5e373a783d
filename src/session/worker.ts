import { browserEnvironment } from './environment.ts';
import type { Command, Report } from './messages.ts';
import { Sessions } from './sessions.ts';

/** The part of a dedicated worker's scope that is used here; the types of a page and of a worker exclude one another. */
interface WorkerScope {
  postMessage(report: Report): void;
  onmessage: ((event: MessageEvent<Command>) => void) | null;
}

const scope = globalThis as unknown as WorkerScope;

const sessions = new Sessions({
  environment: browserEnvironment,
  report: (report) => scope.postMessage(report),
});

scope.onmessage = ({ data }) => sessions.handle(data);
