import { encodeBase64 } from '#lib/base64.ts';
import type { RecordEntry, RecordingInfo } from '#trace/entry.ts';
import { recordOf } from '#trace/files/recording-schema.ts';
import { byteLength } from '#trace/frame-size.ts';
import { RecordedCall } from '#trace/rest-calls.ts';
import { dateOf, type OpenEntries, pairsOf, queryPairs, uriOf } from './har-fields.ts';

/**
 * Yields a HAR entry for each call, as browsers write them, with commas. `_voicewire` holds all its entries, so that the
 * file can be imported without a loss.
 * @throws Error where there is no call
 */
export async function* harCalls(
  info: RecordingInfo,
  openEntries: OpenEntries,
): AsyncGenerator<string, void, undefined> {
  const calls = new Map<number, number[]>();
  const others: number[] = [];
  for await (const { turn, index } of openEntries()) {
    const own = turn === null ? others : (calls.get(turn) ?? []);
    own.push(index);
    if (turn !== null) calls.set(turn, own);
  }
  if (calls.size === 0) throw new Error('There is no call in this recording.');
  let separator = '\n';
  for (const own of calls.values()) {
    // Entries of no call, such as the first one, are in the first call.
    const wanted = [...own, ...others.splice(0)].sort((a, b) => a - b);
    const isWanted = new Set(wanted);
    const entries: RecordEntry[] = [];
    for await (const entry of openEntries(wanted)) if (isWanted.has(entry.index)) entries.push(entry);
    yield separator + JSON.stringify(harCallOf(entries, info));
    separator = ',\n';
  }
}

const NO_SIZE = -1;

function harCallOf(entries: readonly RecordEntry[], info: RecordingInfo) {
  const call = new RecordedCall(entries.filter(({ turn }) => turn !== null));
  const { request, response, sent, firstUs, answeredUs, lastUs } = call;
  const received = call.received.map(({ part }) => part);
  const url = uriOf(`${info.address}${request.path}`);
  const sentBody = bodyOf(sent);
  const receivedBody = bodyOf(received);
  return {
    startedDateTime: dateOf(info.startedAtMs + firstUs / 1000),
    time: (lastUs - firstUs) / 1000,
    request: {
      method: request.method,
      url,
      httpVersion: 'HTTP/1.1',
      headers: pairsOf(Object.entries(request.headers)),
      queryString: queryPairs(url),
      cookies: [],
      headersSize: NO_SIZE,
      bodySize: call.end?.sent.bytes ?? NO_SIZE,
      ...(sent.length > 0 && {
        postData: {
          mimeType: request.headers['content-type'] ?? '',
          // The format has no bytes here.
          text: sentBody.encoding ? '' : sentBody.text,
          ...(sentBody.encoding && { comment: 'The bytes are in _voicewire.' }),
        },
      }),
    },
    response: {
      status: response?.status ?? 0,
      statusText: response?.reason ?? '',
      httpVersion: 'HTTP/1.1',
      headers: pairsOf(Object.entries(response?.headers ?? {})),
      cookies: [],
      content: {
        size: receivedBody.bytes,
        mimeType: response?.headers['content-type'] ?? 'x-unknown',
        ...(received.length > 0 && { text: receivedBody.text }),
        ...(receivedBody.encoding && { encoding: receivedBody.encoding }),
      },
      redirectURL: response?.headers.location ?? '',
      headersSize: NO_SIZE,
      bodySize: call.end?.received.bytes ?? NO_SIZE,
      ...(call.end && { comment: call.end.how }),
    },
    cache: {},
    timings: { send: 0, wait: (answeredUs - firstUs) / 1000, receive: (lastUs - answeredUs) / 1000 },
    _voicewire: {
      connection: entries[0]?.connection ?? 1,
      events: entries.map((entry) => ({ index: entry.index, ...recordOf(entry) })),
    },
  };
}

/** Joins the parts of a body. */
function bodyOf(parts: readonly RecordEntry['payload'][]) {
  const texts = parts.filter((part) => typeof part === 'string');
  if (texts.length === parts.length) {
    const text = texts.join('');
    return { text, bytes: byteLength(text), encoding: null };
  }
  const chunks = parts.map((part) => (typeof part === 'string' ? new TextEncoder().encode(part) : part));
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return { text: encodeBase64(all), bytes: all.length, encoding: 'base64' };
}
