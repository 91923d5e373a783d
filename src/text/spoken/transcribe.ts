import { count } from '#lib/format.ts';
import { z } from '#protocol/core/zod.ts';
import { type ApiFault, apiFault, CHECK_BASE } from '../api/api-fault.ts';
import { API_ROLES } from '../api/api-role.ts';
import { type ApiServer, beginningOf, fetchFrom, parsedJson } from '../api/api-server.ts';

export interface TranscriptionTarget extends ApiServer {
  model: string;
  /** ISO 639-1; empty where the server finds out. */
  language: string;
}

/** Limits of an answer, because a server may send anything, and at any pace. */
const MAX_ANSWER_CHARS = 1024 * 1024;
const MAX_TEXT_CHARS = 50_000;
const TIMEOUT_MS = 120_000;

/** Statuses by which models and servers refuse to report the language, although they transcribe. */
const TEXT_ONLY: readonly (number | undefined)[] = [400, 415, 422];

const heardText = z.object({
  text: z.string().check(z.maxLength(MAX_TEXT_CHARS)),
  /** As the server reports it: a code or an English name; empty where it does not. */
  language: z.catch(z.string().check(z.maxLength(40)), ''),
});

export type HeardText = z.output<typeof heardText>;

/** Asks a server of OpenAI's API what it hears in a WAV file. Never throws. */
export async function transcribe(
  { model, language, ...server }: TranscriptionTarget,
  wav: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
  timeoutMs = TIMEOUT_MS,
): Promise<HeardText | ApiFault> {
  const role = API_ROLES.transcription;
  const fault = (what: string, detail: string): ApiFault =>
    apiFault(`${role.name} ${what}`, detail, `Look at its log. ${CHECK_BASE}`);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const ask = (format: 'json' | 'verbose_json') => {
    const body = new FormData();
    body.append('file', new Blob([wav], { type: 'audio/wav' }), 'turn.wav');
    body.append('model', model);
    if (language !== '') body.append('language', language);
    body.append('temperature', '0');
    body.append('response_format', format);
    return fetchFrom(role, server, role.path, { method: 'POST', body, signal: limit });
  };
  let answer = await ask('verbose_json');
  if (TEXT_ONLY.includes(answer.status)) {
    if (answer instanceof Response) void answer.body?.cancel();
    answer = await ask('json');
  }
  const body = answer instanceof Response ? await beginningOf(answer, MAX_ANSWER_CHARS, timeoutMs) : '';
  if (limit.aborted) return fault('did not answer', `It took more than ${count(timeoutMs / 1000)} s.`);
  if (!(answer instanceof Response)) return answer;
  const { data } = heardText.safeParse(parsedJson(body));
  if (data)
    return { ...data, text: server.key === '' ? data.text : data.text.replaceAll(server.key, '[key]') };
  return fault(
    'sent no transcript',
    `Its answer is no JSON with a text of at most ${count(MAX_TEXT_CHARS)} characters.`,
  );
}
