import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '#lib/clock.ts';
import { madeOnce } from '#lib/collections/maps.ts';
import { yieldIfLong } from '#lib/loop-slice.ts';
import type { RecordEntry } from '#trace/entry.ts';
import { ImportError } from '#trace/files/import-error.ts';
import { RecordingReader, writeRecording } from '#trace/files/recording-file.ts';
import { SERVED_PATH, type ServedRecordingView, type ServedRunView } from '#trace/served-messages.ts';
import { breakOff } from '../answers/break-off.ts';
import { NEEDED_BY_OTHERS } from '../answers/file-body.ts';
import { onClose } from '../answers/on-close.ts';
import { BodyRefused, type CallBodies } from '../call-bodies.ts';
import { isOwnPage, remoteOf } from '../origin.ts';
import { type Handler, replyJson, replyText } from '../reply.ts';
import { type Peer, Shares } from '../state/shares.ts';
import type { Cassette } from './cassette.ts';
import { type KeptRecording, NOT_SERVED, NotServed, type ServedRecordings } from './served-recordings.ts';

/** A larger file is refused. About ten minutes of speech. */
const MAX_FILE_BYTES = 48 * 1024 * 1024;
/** Further entries are left out. Ten minutes of speech have some ten thousand, and each takes a kilobyte of memory. */
const MAX_ENTRIES = 100_000;
/** Bytes that are read in under a millisecond. */
const BYTES_AT_ONCE = 16 * 1024;
/** A list that changes is sent this often. */
const SEND_EVERY_MS = 100;
const LINES_OF_RUN = 20;

const PLACE = new RegExp(`^${SERVED_PATH}/([^/]+)(/runs)?$`);

interface Options {
  served: ServedRecordings;
  bodies: CallBodies;
  clock: Clock;
}

/** Answers the pages that serve recordings; see {@link SERVED_PATH}. An id is enough to read its recording. */
export function createServedPages({ served, bodies, clock }: Options): Handler {
  const followers = new WeakMap<Cassette, Followers>();
  /** Reads one file after the other, because the entries of a file take several times its memory. */
  let lastRead: Promise<unknown> = Promise.resolve();
  const keepInTurn = (bytes: Uint8Array, peer: Peer): Promise<KeptRecording> => {
    const read = lastRead.then(() => keepFile(served, bytes, peer));
    lastRead = read.catch(() => {});
    return read;
  };

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Read now, because a closed socket has none.
    const peer = [remoteOf(request)];
    try {
      const kept = await bodies.read(request, MAX_FILE_BYTES, (bytes) => keepInTurn(bytes, peer));
      replyJson(request, response, 201, viewOf(kept));
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
    const isOwn = isOwnPage(headers);
    if (method !== 'GET' && !isOwn) return refuse(403, 'Only a page of this server may serve recordings.');
    if (method === 'POST' && pathname === SERVED_PATH) return take(request, response);
    response.setHeader('Cache-Control', 'no-store');
    if (method === 'GET' && pathname === SERVED_PATH)
      return replyJson(request, response, 200, isOwn ? [...served.kept.values()].map(viewOf) : []);
    const kept = served.kept.get(id);
    if (!kept) return refuse(404, NOT_SERVED);
    if (method === 'DELETE') {
      served.remove(id);
      response.writeHead(204).end();
      return;
    }
    if (method !== 'GET') return refuse(405, 'Method not allowed');
    if (runs) {
      const all = madeOnce(followers, kept.cassette, () => new Shares());
      return followRuns(kept.cassette, response, { clock, all, address: remoteOf(request) });
    }
    response.setHeader('Content-Type', 'application/x-ndjson');
    // A client that has left ends it.
    return pipeline(Readable.from(writeRecording(kept.info, inSlices(kept.entries))), response).catch(
      () => {},
    );
  };
}

/** Keeps a file of the own format, a damaged one up to the damage. @throws ImportError without a first line */
async function keepFile(served: ServedRecordings, bytes: Uint8Array, peer: Peer): Promise<KeptRecording> {
  const reader = new RecordingReader({ salvages: true, entries: MAX_ENTRIES });
  const decoder = new TextDecoder();
  const entries: RecordEntry[] = [];
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) {
    const part = decoder.decode(bytes.subarray(at, at + BYTES_AT_ONCE), { stream: true });
    for (const entry of reader.push(part)) entries.push(entry);
    const pause = yieldIfLong();
    if (pause) await pause;
  }
  const { info, warnings, entries: last } = reader.finish();
  return served.keep(info, [...entries, ...last], warnings, { peer });
}

/** Lets others pass, because many may read at once. */
async function* inSlices(entries: readonly RecordEntry[]): AsyncGenerator<RecordEntry, void, undefined> {
  for (const entry of entries) {
    const pause = yieldIfLong();
    if (pause) await pause;
    yield entry;
  }
}

const viewOf = ({ id, info, notes }: KeptRecording): ServedRecordingView => ({ id, info, notes });

/** Pages that follow the runs of a recording at a time. */
const MAX_FOLLOWERS = 32;

/** For each page that follows the runs of a recording, the function that breaks its answer off. */
type Followers = Shares<() => void>;

interface Following {
  clock: Clock;
  all: Followers;
  /** Of the page. */
  address: string;
}

/** Sends the newest runs as server-sent events, until the client leaves or the recording is not served any more. */
function followRuns(cassette: Cassette, response: ServerResponse, { clock, all, address }: Following): void {
  let stopTimer: (() => void) | null = null;
  const send = () => {
    stopTimer = null;
    if (response.writableNeedDrain) return;
    const views = cassette.runs.toReversed().map((run): ServedRunView => {
      const { number, what, isOver, count } = run;
      return { number, what, isOver, count, lines: run.lines(LINES_OF_RUN) };
    });
    response.write(`data: ${JSON.stringify(views)}\n\n`);
  };
  const sendSoon = () => {
    if (!cassette.isStopped) stopTimer ??= clock.after(SEND_EVERY_MS, send);
    else {
      stop();
      response.end();
    }
  };
  const stopListening = cassette.onChange(sendSoon);
  // An answer that ends is closed only once its client has read it.
  const stop = () => {
    stopTimer?.();
    stopListening();
    response.off('drain', sendSoon);
    all.remove(giveWay);
  };
  const giveWay = () => {
    stop();
    breakOff(response, NEEDED_BY_OTHERS);
  };
  response.on('drain', sendSoon);
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  send();
  all.add(giveWay, [address]);
  onClose(response, stop);
  if (all.size > MAX_FOLLOWERS) all.first()?.();
}
