import { systemClock } from '#lib/clock.ts';
import { servedFrom, serveEntries } from './entry-server.ts';
import { browserRecordingEnvironment } from './environment.ts';
import type { FeedMessage, RecordingCommand, RecordingReport } from './messages.ts';
import { Recordings } from './recordings.ts';

/** The part of a dedicated worker's scope that is used here; the types of a page and of a worker exclude one another. */
interface WorkerScope {
  postMessage(report: RecordingReport): void;
  onmessage: ((event: MessageEvent<RecordingCommand>) => void) | null;
}

const scope = globalThis as unknown as WorkerScope;

const recordings = new Recordings({
  environment: browserRecordingEnvironment(systemClock),
  report: (report) => scope.postMessage(report),
});

scope.onmessage = ({ data }) => {
  if (data.type === 'attachFeed') {
    data.port.onmessage = ({ data: message }: MessageEvent<FeedMessage>) => recordings.take(message);
  } else if (data.type === 'serve') {
    const { port, recording } = data;
    serveEntries(port, async () => servedFrom(await recordings.open(recording)));
  } else recordings.handle(data);
};
