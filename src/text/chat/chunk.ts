import { isFields } from '#protocol/core/json-frame.ts';
import { parsedJson } from '../api/api-server.ts';

export type ChunkReading =
  /** `finish`: the model ended its answer, and why. */
  { text: string; finish: string | null } | { error: string } | { problem: string };

const NOTHING: ChunkReading = { text: '', finish: null };

/**
 * Reads the data of one event. The first choice counts. Servers leave out fields, send null for them, and send events that
 * carry no text; only something else in the place of text is a problem.
 */
export function readChunk(data: string): ChunkReading {
  if (data.trim() === '') return NOTHING;
  const chunk = parsedJson(data);
  if (chunk === undefined) return { problem: `An event is no JSON: ${data.slice(0, 100)}` };
  if (isMissing(chunk)) return NOTHING;
  if (!isFields(chunk)) return wrong('', chunk);
  const { error, choices } = chunk;
  if (isError(error, choices)) return { error: messageOf(error) };
  if (isMissing(choices)) return NOTHING;
  if (!Array.isArray(choices)) return wrong('choices', choices);
  const choice: unknown = choices[0];
  if (isMissing(choice)) return NOTHING;
  if (!isFields(choice)) return wrong('choices[0]', choice);
  const { delta, finish_reason: reason } = choice;
  const finish = typeof reason === 'string' && reason !== '' ? reason : null;
  if (isMissing(delta)) return { text: '', finish };
  if (!isFields(delta)) return wrong('choices[0].delta', delta);
  const text = textOf(delta.content);
  return text === null ? wrong('choices[0].delta.content', delta.content) : { text, finish };
}

/** Returns a text, or the texts of a list of parts as one; null where it cannot be text. */
function textOf(content: unknown): string | null {
  if (!Array.isArray(content)) return partOf(content);
  const parts = content.map(partOf);
  return parts.includes(null) ? null : parts.join('');
}

/** Parts without text, such as thoughts and images, are passed over. */
function partOf(part: unknown): string | null {
  const isOther = isFields(part) && typeof part.type === 'string' && !/^(?:output_)?text$/.test(part.type);
  const text = isOther ? '' : isFields(part) ? part.text : part;
  if (isMissing(text)) return '';
  return typeof text === 'string' ? text : null;
}

/** Some servers give an error as text, or without a message. */
function messageOf(error: unknown): string {
  const message = isFields(error) ? error.message : error;
  return typeof message === 'string' ? message : '';
}

/** Some servers send an empty error beside each text. */
const isError = (error: unknown, choices: unknown): boolean =>
  !isMissing(error) && error !== false && (isMissing(choices) || messageOf(error) !== '');

const isMissing = (value: unknown): value is null | undefined => value === null || value === undefined;

const wrong = (path: string, value: unknown): ChunkReading => {
  const found = Array.isArray(value)
    ? 'a list'
    : typeof value === 'object'
      ? 'an object'
      : `a ${typeof value}`;
  return {
    problem: `An event is no chunk of a chat completion: ${path === '' ? 'it' : `“${path}”`} is ${found}.`,
  };
};
