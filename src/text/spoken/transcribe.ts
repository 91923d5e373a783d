import { count } from '#lib/format.ts';
import { z } from '#protocol/core/zod.ts';
import { type ApiFault, type ApiRole, apiFault, CHECK_BASE } from '../api/api-fault.ts';
import { type ApiServer, beginningOf, fetchFrom, parsedJson } from '../api/api-server.ts';

/** The server that hears what was spoken, in the words of the page. */
export const TRANSCRIPTION_SERVER: ApiRole = { name: 'The transcription server', setUp: 'Set up' };

export interface TranscriptionTarget extends ApiServer {
  model: string;
  /** ISO 639-1; empty where the server finds out. */
  language: string;
}

export interface HeardText {
  text: string;
  /** As the server reports it: a code or an English name; empty where it does not. */
  language: string;
  /** Times of parts of the text in order, from the offset of their first character on; empty where the server has none. */
  times: readonly { offset: number; startMs: number }[];
}

/** The limit of OpenAI. Other servers have other ones, and answer longer sound with an error. */
export const MAX_SOUND_BYTES = 25 * 1024 * 1024;
/** Limits of an answer, because a server may send anything, and at any pace. */
const MAX_ANSWER_CHARS = 1024 * 1024;
const MAX_TEXT_CHARS = 50_000;
const MAX_WORDS = 10_000;
const TIMEOUT_MS = 120_000;

/** Punctuation between two parts. */
const MAX_SKIPPED_CHARS = 20;

const wordList = z.catch(
  z.nullable(
    z.array(z.object({ word: z.string(), start: z.number().check(z.gte(0)) })).check(z.maxLength(MAX_WORDS)),
  ),
  null,
);
const answerSchema = z.object({
  text: z.string().check(z.maxLength(MAX_TEXT_CHARS)),
  language: z.catch(z.string().check(z.maxLength(40)), ''),
  words: wordList,
  segments: z.catch(z.array(z.object({ words: wordList })).check(z.maxLength(MAX_WORDS)), []),
});

/**
 * Asks a server of OpenAI's API what it hears, with word times where it has them. Never throws.
 * @param wav a file of at most {@link MAX_SOUND_BYTES}
 */
export async function transcribe(
  target: TranscriptionTarget,
  wav: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
  timeoutMs = TIMEOUT_MS,
): Promise<HeardText | ApiFault> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  let answer = await answerTo(target, wav, 'verbose_json', limit, TEXT_ONLY);
  if (answer instanceof Response && !answer.ok) answer = await answerTo(target, wav, 'json', limit);
  const body = answer instanceof Response ? await beginningOf(answer, MAX_ANSWER_CHARS) : '';
  if (limit.aborted) return fault('did not answer', `It took more than ${count(timeoutMs / 1000)} s.`);
  if (!(answer instanceof Response)) return answer;
  const { data } = answerSchema.safeParse(parsedJson(body));
  if (!data)
    return fault(
      'sent no transcript',
      `Its answer is no JSON with a text of at most ${count(MAX_TEXT_CHARS)} characters.`,
    );
  const { text, language, segments } = data;
  const words = data.words ?? segments.flatMap((segment) => segment.words ?? []);
  return { text, language, times: timesIn(text, words) };
}

/** Statuses by which models and servers refuse word times, although they transcribe. */
const TEXT_ONLY = [400, 415, 422];

function answerTo(
  { model, language, ...server }: TranscriptionTarget,
  wav: Uint8Array<ArrayBuffer>,
  format: 'json' | 'verbose_json',
  signal: AbortSignal,
  passed: readonly number[] = [],
): Promise<Response | ApiFault> {
  const body = new FormData();
  body.append('file', new Blob([wav], { type: 'audio/wav' }), 'turn.wav');
  body.append('model', model);
  if (language !== '') body.append('language', language);
  body.append('temperature', '0');
  body.append('response_format', format);
  if (format === 'verbose_json') body.append('timestamp_granularities[]', 'word');
  return fetchFrom(
    TRANSCRIPTION_SERVER,
    server,
    '/audio/transcriptions',
    { method: 'POST', body, signal },
    passed,
  );
}

/** Returns the times of words that are found in the text. Some servers divide them, and leave out punctuation. */
function timesIn(text: string, words: readonly { word: string; start: number }[]): HeardText['times'] {
  const times: { offset: number; startMs: number }[] = [];
  let end = 0;
  for (const { word, start } of words) {
    const part = word.trim();
    const skipped = text.slice(end, end + MAX_SKIPPED_CHARS + part.length).indexOf(part);
    if (part === '' || skipped < 0) continue;
    times.push({ offset: end + skipped, startMs: start * 1000 });
    end += skipped + part.length;
  }
  return times;
}

const fault = (what: string, detail: string): ApiFault =>
  apiFault(`${TRANSCRIPTION_SERVER.name} ${what}`, detail, `Look at its log. ${CHECK_BASE}`);
