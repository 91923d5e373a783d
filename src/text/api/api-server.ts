import { count } from '#lib/format.ts';
import { z } from '#protocol/core/zod.ts';
import { type ApiFault, apiFault, CHECK_BASE, quoted, retryAfterSeconds } from './api-fault.ts';
import type { ApiRole } from './api-role.ts';

/** A server of OpenAI's API, as the user set it up. */
export interface ApiServer {
  /** HTTP base, such as `http://localhost:11434/v1`. */
  base: string;
  /** Empty for a server without keys. The key goes into the header of the request, and nowhere else. */
  key: string;
}

/** A longer message of a server is not read whole. */
const MAX_ERROR_CHARS = 64 * 1024;
const MAX_LIST_CHARS = 1024 * 1024;
const MAX_MODELS = 500;
/** A list or an error comes at once, and a server may send it a byte at a time, without an end. */
const BODY_WITHIN_MS = 10_000;

/** Sends a request. Returns the answer of the server, or why there is none. */
export async function fetchFrom(
  role: ApiRole,
  { base, key }: ApiServer,
  path: string,
  { headers, ...init }: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
): Promise<Response | ApiFault> {
  if (!/^[\x21-\x7e]*$/.test(key))
    return apiFault(
      `${role.name} cannot get its key`,
      'It has white space or characters outside of ASCII, which no header may carry.',
      'Enter the key again.',
    );
  let response: Response;
  try {
    response = await fetch(`${base}${path}`, {
      ...init,
      headers: { ...headers, ...(key === '' ? {} : { Authorization: `Bearer ${key}` }) },
      // A redirect would take what is sent to a server that the user has not chosen.
      redirect: 'manual',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      cache: 'no-store',
    });
  } catch {
    return apiFault(
      `${role.name} cannot be reached`,
      `${base} refused the connection, or does not allow requests from this page (CORS).`,
      'Start it and allow the address of this page in its CORS settings. A host other than this machine also needs VOICEWIRE_CONNECT.',
    );
  }
  const { status } = response;
  if (response.type === 'opaqueredirect' || (status >= 300 && status < 400))
    return apiFault(
      `${role.name} redirects`,
      `${base} refers to another address, where the key must not go.`,
      'Enter the address that it redirects to as the base URL.',
    );
  if (response.ok) return response;
  const body = await beginningOf(response, MAX_ERROR_CHARS);
  const isPage = /html/i.test(response.headers.get('Content-Type') ?? '');
  const said = errorIn(body) ?? (isPage ? '' : body);
  // A server may repeat the key, and its words are shown.
  return refusedRequest(role, response, key === '' ? said : said.replaceAll(key, '[key]'));
}

type Refusal = readonly [what: string, remedy: string];

const REFUSED_KEY: Refusal = ['refused the key', 'Enter a valid key for it.'];

const REFUSALS: Readonly<Record<number, Refusal>> = {
  401: REFUSED_KEY,
  403: REFUSED_KEY,
  404: ['does not know this model or address', `Check the name of the model. ${CHECK_BASE}`],
  429: ['takes no more requests now', 'Wait a moment, or check the quota of the key.'],
};
const FAILED: Refusal = ['failed', 'Look at its log, or ask again.'];
const REFUSED: Refusal = ['refused the request', 'Check the model and the base URL.'];

/** @param message of the server, from the body of its answer */
function refusedRequest({ name }: ApiRole, { status, headers }: Response, message: string): ApiFault {
  const said = message === '' ? `It answered with status ${status}.` : `${status}: ${quoted(message)}`;
  const [what, remedy] = REFUSALS[status] ?? (status >= 500 ? FAILED : REFUSED);
  const waitSeconds = status === 429 ? retryAfterSeconds(headers.get('Retry-After'), Date.now()) : null;
  const fault = apiFault(
    `${name} ${what}`,
    said,
    waitSeconds === null ? remedy : `Ask again in ${count(waitSeconds)} s.`,
  );
  return { ...fault, status };
}

const errorSchema = z.object({
  error: z.union([z.string(), z.object({ message: z.string() })]),
});

/** Returns the message of an error in JSON; null where the text is none. */
function errorIn(json: string): string | null {
  const { data } = errorSchema.safeParse(parsedJson(json));
  if (!data) return null;
  return typeof data.error === 'string' ? data.error : data.error.message;
}

/** Returns the value of a JSON text; undefined where the text is none. */
export function parsedJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const listSchema = z.object({ data: z.array(z.object({ id: z.string() })) });

/** Returns the names of a server's models, or why they are unknown. */
export async function listModels(role: ApiRole, server: ApiServer): Promise<string[] | ApiFault> {
  const response = await fetchFrom(role, server, '/models');
  if (!(response instanceof Response)) return response;
  const text = await beginningOf(response, MAX_LIST_CHARS);
  const { data: list } = listSchema.safeParse(parsedJson(text));
  return list
    ? list.data.slice(0, MAX_MODELS).map(({ id }) => id.slice(0, 200))
    : apiFault(`${role.name} has no list of models`, 'Its answer is no list.', 'Type the name of the model.');
}

/** Returns the beginning of a body as text, also of one that breaks off, or does not go on in time. */
export async function beginningOf(
  { body }: Response,
  chars: number,
  withinMs = BODY_WITHIN_MS,
): Promise<string> {
  const reader = body?.getReader();
  // A reader that is cancelled is done.
  const timer = setTimeout(() => void reader?.cancel().catch(() => {}), withinMs);
  const decoder = new TextDecoder();
  let text = '';
  while (reader && text.length < chars) {
    const next = await reader.read().catch(() => null);
    if (!next || next.done) break;
    text += decoder.decode(next.value, { stream: true });
  }
  clearTimeout(timer);
  void reader?.cancel().catch(() => {});
  return text.slice(0, chars);
}
