import type { Command, Report } from './commands.ts';
import { browserEnvironment } from './environment.ts';
import { Sessions } from './sessions.ts';

/** The used part of a dedicated worker's scope, because the types of pages and workers exclude one another. */
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
