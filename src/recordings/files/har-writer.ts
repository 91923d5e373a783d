import { encodeBase64 } from '#lib/base64.ts';
import { openingOf } from '#trace/connection.ts';
import type { RecordEntry, RecordingInfo } from '#trace/entry.ts';
import { FORMAT_VERSION, notesOf, recordOf } from '#trace/files/recording-schema.ts';
import { restApiOf } from '#trace/rest-calls.ts';
import { harCalls } from './har-calls.ts';
import { dateOf, type OpenEntries, queryPairs, uriOf } from './har-fields.ts';

/**
 * HAR 1.2 with one entry a connection and the messages of sockets as in Chrome's DevTools, or one entry a REST call. Custom fields `_voicewire`
 * hold everything else, so that the file can be imported without a loss.
 */

const CREATOR = { name: 'Voicewire', version: '1' };

const PIECE_CHARS = 1 << 16;

/** RFC 6455 section 5.2. */
const OPCODES = { text: 1, binary: 2 } as const;

/** Facts of a connection that precede its messages in the file. */
interface ConnectionSpan {
  connection: number;
  /** Of its entries. */
  indexes: number[];
  firstUs: number;
  lastUs: number;
  opened: boolean;
  /** Null where its opening is not recorded. */
  address: string | null;
}

/** Yields the file in pieces: one pass finds the connections, and another for each reads its entries. */
export async function* writeHar(
  info: RecordingInfo,
  openEntries: OpenEntries,
): AsyncGenerator<string, void, undefined> {
  const own = JSON.stringify({ version: FORMAT_VERSION, info });
  let piece = `{"log":{"version":"1.2","creator":${JSON.stringify(CREATOR)},"pages":[],"_voicewire":${own},"entries":[`;
  if (restApiOf(info.endpoint)) {
    yield piece;
    yield* harCalls(info, openEntries);
    yield '\n]}}\n';
    return;
  }
  const spans = await spansOf(openEntries());
  for (const [place, span] of spans.entries()) {
    const entry = JSON.stringify(harEntryOf(span, info));
    piece += `${place === 0 ? '' : ','}\n${entry.slice(0, -1)},"_webSocketMessages":[`;
    let first = true;
    const events: unknown[] = [];
    for await (const recorded of openEntries(span.indexes)) {
      if (recorded.connection !== span.connection) continue;
      if (!isMessage(recorded)) {
        events.push({ index: recorded.index, ...recordOf(recorded) });
        continue;
      }
      piece += `${first ? '' : ','}\n${JSON.stringify(messageOf(recorded, info))}`;
      first = false;
      if (piece.length >= PIECE_CHARS) {
        yield piece;
        piece = '';
      }
    }
    piece += `],"_voicewire":${JSON.stringify({ connection: span.connection, events })}}`;
  }
  yield `${piece}\n]}}\n`;
}

async function spansOf(
  entries: Iterable<RecordEntry> | AsyncIterable<RecordEntry>,
): Promise<ConnectionSpan[]> {
  const spans = new Map<number, ConnectionSpan>();
  for await (const entry of entries) {
    const { connection, index, atUs } = entry;
    const span = spans.get(connection) ?? {
      connection,
      indexes: [],
      firstUs: atUs,
      lastUs: 0,
      opened: false,
      address: null,
    };
    span.indexes.push(index);
    span.lastUs = atUs;
    span.address ??= openingOf(entry)?.address ?? null;
    span.opened ||= entry.kind === 'opened' || isMessage(entry);
    spans.set(connection, span);
  }
  return [...spans.values()];
}

const isMessage = (entry: RecordEntry): boolean =>
  (entry.direction === 'out' || entry.direction === 'in') &&
  (entry.opcode === 'binary' ? typeof entry.payload !== 'string' : entry.opcode === 'text');

/** Returns a HAR entry without its messages, with keys in the order of DevTools. */
function harEntryOf({ firstUs, lastUs, opened, address }: ConnectionSpan, info: RecordingInfo) {
  const url = uriOf(address ?? info.address);
  const durationMs = (lastUs - firstUs) / 1000;
  return {
    _resourceType: 'websocket',
    cache: {},
    request: {
      method: 'GET',
      url,
      httpVersion: 'HTTP/1.1',
      headers: [],
      queryString: queryPairs(url),
      cookies: [],
      headersSize: -1,
      bodySize: 0,
    },
    response: {
      status: opened ? 101 : 0,
      statusText: opened ? 'Switching Protocols' : '',
      httpVersion: 'HTTP/1.1',
      headers: [],
      cookies: [],
      content: { size: 0, mimeType: 'x-unknown' },
      redirectURL: '',
      headersSize: -1,
      bodySize: -1,
    },
    startedDateTime: dateOf(info.startedAtMs + firstUs / 1000),
    time: durationMs,
    timings: { blocked: -1, dns: -1, connect: -1, ssl: -1, send: 0, wait: 0, receive: durationMs },
  };
}

function messageOf(entry: RecordEntry, info: RecordingInfo) {
  return {
    type: entry.direction === 'out' ? 'send' : 'receive',
    time: Math.round(info.startedAtMs * 1000 + entry.atUs) / 1e6,
    ...(typeof entry.payload === 'string'
      ? { opcode: OPCODES.text, data: entry.payload }
      : { opcode: OPCODES.binary, data: encodeBase64(entry.payload) }),
    _voicewire: { index: entry.index, atUs: entry.atUs, ...notesOf(entry) },
  };
}
