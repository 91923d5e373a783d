import type { ApiFault } from '../api/api-fault.ts';
import { API_ROLES } from '../api/api-role.ts';
import { fetchFrom } from '../api/api-server.ts';
import type { ChatRequest } from './chat-request.ts';
import { type ChunkReading, readChunk } from './chunk.ts';
import {
  cutOff,
  empty,
  lengthReached,
  MAX_ANSWER_CHARS,
  MAX_STREAM_BYTES,
  MAX_TOKEN_CHARS,
  notAStream,
  reported,
  thoughtsSpoken,
  tooLong,
  unreadable,
} from './fault.ts';
import { ThoughtFilter } from './thoughts.ts';

/** Yields the tokens of an answer as they come. Returns why it ended early, or null. Never throws. */
export type ChatStreamer = (
  request: ChatRequest,
  signal: AbortSignal,
) => AsyncGenerator<string, ApiFault | null>;

/** The last event of a stream. */
const DONE = '[DONE]';

/** Asks a server of OpenAI's chat completions. The signal aborts the request at once. */
export const streamChat: ChatStreamer = async function* (request, signal) {
  const answer = await answerOf(request, signal);
  if (!(answer instanceof Response)) return answer;
  const { body } = answer;
  if (!body) return cutOff();
  const events = body
    .pipeThrough(bounded(MAX_STREAM_BYTES))
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .pipeThrough(eventData())
    .getReader();
  const spoken = new ThoughtFilter(request.thoughts);
  let chars = 0;
  try {
    for (;;) {
      const next = await events.read().catch((error: unknown) => error);
      if (!isReading(next)) return next instanceof TooMuch ? tooLong('stream') : cutOff();
      const isDone = next.done || next.value.trim() === DONE;
      const chunk: ChunkReading = isDone ? { text: '', finish: DONE } : readChunk(next.value);
      if ('error' in chunk) return reported(chunk.error);
      if ('problem' in chunk) return unreadable(chunk.problem);
      if (chunk.text.length > MAX_TOKEN_CHARS) return tooLong('token');
      const text = spoken.add(chunk.text) + (chunk.finish === null ? '' : spoken.end());
      chars += text.length;
      if (chars > MAX_ANSWER_CHARS) return tooLong('answer');
      if (text !== '') yield text;
      if (next.done) return cutOff();
      // No text follows a reason, though the server may keep the connection open.
      if (chunk.finish === null) continue;
      if (chars === 0) return empty();
      return chunk.finish === 'length' ? lengthReached() : spoken.isLeaking ? thoughtsSpoken() : null;
    }
  } finally {
    // The server stops generating when its connection ends.
    void events.cancel().catch(() => {});
  }
};

async function answerOf(
  { base, model, key, messages }: ChatRequest,
  signal: AbortSignal,
): Promise<Response | ApiFault> {
  const response = await fetchFrom(API_ROLES.liveModel, { base, key }, API_ROLES.liveModel.path, {
    method: 'POST',
    headers: { Accept: 'text/event-stream', 'Content-Type': 'application/json' },
    body: JSON.stringify({ model, messages, stream: true }),
    signal,
  });
  if (!(response instanceof Response)) return response;
  const type = response.headers.get('Content-Type') ?? '';
  if (/^text\/event-stream\b/i.test(type)) return response;
  void response.body?.cancel().catch(() => {});
  return notAStream(type);
}

type Reading = ReadableStreamReadResult<string>;

const isReading = (read: unknown): read is Reading =>
  typeof read === 'object' && read !== null && 'done' in read;

class TooMuch extends Error {}

/** Passes bytes on up to a limit, so that a stream without an end, or a line without one, ends here. */
function bounded(maxBytes: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  return new TransformStream({
    transform(part, controller) {
      bytes += part.length;
      if (bytes > maxBytes) controller.error(new TooMuch());
      else controller.enqueue(part);
    },
  });
}

const LINE_END = /\r\n?|\n/;
const DATA = 'data';

/**
 * Reads the data of server-sent events from text in any parts. Comments and other fields cost no more than their characters,
 * because a server may send nothing else.
 */
function eventData(): TransformStream<string, string> {
  /** Parts of a line without an end. */
  let line: string[] = [];
  let data: string[] = [];
  let endsInReturn = false;
  const read = (text: string): void => {
    const isData = text === DATA || text.startsWith(`${DATA}:`);
    if (isData) data.push(text.slice(DATA.length + 1).replace(/^ /, ''));
  };
  return new TransformStream({
    transform(part, controller) {
      // A line end of two characters may be cut.
      const rest = endsInReturn && part.startsWith('\n') ? part.slice(1) : part;
      if (part !== '') endsInReturn = part.endsWith('\r');
      const lines = rest.split(LINE_END);
      line.push(lines[0] ?? '');
      if (lines.length === 1) return;
      lines[0] = line.join('');
      line = lines.splice(-1);
      for (const whole of lines) {
        if (whole !== '') read(whole);
        else {
          if (data.length > 0) controller.enqueue(data.join('\n'));
          data = [];
        }
      }
    },
  });
}
