import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '#lib/clock.ts';
import { ImportError } from '#record/files/import-error.ts';
import { writeRecording } from '#record/files/recording-file.ts';
import { SERVED_PATH, type ServedRunView } from '#record/served-messages.ts';
import { BodyRefused, type CallBodies } from '../call-bodies.ts';
import { isOwnPage } from '../origin.ts';
import { type Handler, replyJson, replyText } from '../reply.ts';
import type { ServedRun } from './cassette.ts';
import { clientDifferenceWords } from './client-difference.ts';
import { readRecordingFile } from './posted-recording.ts';
import { type KeptRecording, NOT_SERVED, NotServed, type ServedRecordings } from './served-recordings.ts';

/** A larger file is refused. About ten minutes of speech. */
const MAX_FILE_BYTES = 48 * 1024 * 1024;
/** They are read at once, which keeps the event loop busy. Ten minutes of speech have some 10,000. */
const MAX_ENTRIES = 50_000;
/** Runs that have changed are sent this often. */
const SEND_EVERY_MS = 100;
/** Newest runs of a list, and lines of each kind for a run. */
const RUNS_IN_LIST = 50;
const LINES_OF_RUN = 20;

const PLACE = new RegExp(`^${SERVED_PATH}/([^/]+)(/runs)?$`);

interface Options {
  served: ServedRecordings;
  bodies: CallBodies;
  clock: Clock;
}

/** Answers the pages that serve recordings; see {@link SERVED_PATH}. An id is enough to read its recording. */
export function createServedPages({ served, bodies, clock }: Options): Handler {
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const posted = await bodies.read(request, MAX_FILE_BYTES, readRecordingFile);
      const { length } = posted.entries;
      if (length > MAX_ENTRIES)
        throw new NotServed(422, `This recording has ${length} entries, expected at most ${MAX_ENTRIES}.`);
      replyJson(request, response, 201, served.keep(posted));
    } catch (error) {
      if (error instanceof NotServed) return replyText(request, response, error.status, error.message);
      if (error instanceof ImportError)
        return replyText(request, response, 422, `This is no recording of Voicewire. ${error.message}`);
      if (!(error instanceof BodyRefused)) {
        // The page has left.
        if (!request.complete) return;
        throw error;
      }
      // A connection with an unfinished body cannot be used again.
      response.setHeader('Connection', 'close');
      const most = `A served recording has at most ${MAX_FILE_BYTES / 2 ** 20} MiB, because the server keeps it in memory.`;
      replyText(
        request,
        response,
        error.status,
        error.status === 413 ? most : `The recording was not received: ${error.message}.`,
      );
    }
  }

  return (request, response, { pathname }) => {
    const { method, headers } = request;
    const [, id = '', runs] = PLACE.exec(pathname) ?? [];
    const refuse = (status: number, why: string) => replyText(request, response, status, why);
    if (method !== 'GET' && !isOwnPage(headers))
      return refuse(403, 'Only a page of this server may serve recordings.');
    if (method === 'POST' && pathname === SERVED_PATH) return take(request, response);
    const kept = served.get(id);
    if (!kept) return refuse(404, NOT_SERVED);
    if (method === 'DELETE') {
      served.remove(id);
      response.writeHead(204).end();
      return;
    }
    if (method !== 'GET') return refuse(405, 'Method not allowed');
    response.setHeader('Cache-Control', 'no-store');
    if (runs) return followRuns(kept, response, clock);
    response.setHeader('Content-Type', 'application/x-ndjson');
    // A client that has left ends it.
    return pipeline(Readable.from(writeRecording(kept.info, kept.entries)), response).catch(() => {});
  };
}

/** Sends the runs as server-sent events, until the client leaves or the recording is not served any more. */
function followRuns({ cassette, ended }: KeptRecording, response: ServerResponse, clock: Clock): void {
  /** Of the newest runs, because a stream may last for days. */
  let known = new Map<number, string>();
  let stopTimer: (() => void) | null = null;
  const send = () => {
    stopTimer = null;
    if (response.writableNeedDrain) return;
    const newest = new Map(
      cassette.runs.slice(-RUNS_IN_LIST).map((run) => [run.number, JSON.stringify(viewOf(run))]),
    );
    const changed = [...newest].filter(([number, json]) => known.get(number) !== json);
    known = newest;
    response.write(`data: [${changed.map(([, json]) => json).join(',')}]\n\n`);
  };
  const sendSoon = () => {
    stopTimer ??= clock.after(SEND_EVERY_MS, send);
  };
  const stopListening = cassette.onChange(sendSoon);
  const end = () => void response.end();
  ended.add(end);
  response.on('drain', sendSoon);
  response.once('close', () => {
    stopTimer?.();
    stopListening();
    ended.delete(end);
  });
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  send();
}

const viewOf = ({ number, what, isOver, count, differences, moved }: ServedRun): ServedRunView => {
  const shown = differences.slice(0, LINES_OF_RUN).map(clientDifferenceWords);
  const more = count > shown.length ? [`and ${count - shown.length} more`] : [];
  const timing = moved.slice(0, LINES_OF_RUN).map((words) => `timing: ${words}`);
  return { number, what, isOver, count, lines: [...shown, ...more, ...timing] };
};
