import { z } from '#protocol/core/zod.ts';
import type { ChatRequest } from './chat-request.ts';
import { errorIn } from './chunk.ts';
import {
  type ChatFault,
  notAModelList,
  redirected,
  refusedRequest,
  retryAfterSeconds,
  unreachable,
  unsendableKey,
} from './fault.ts';

/** A longer message of a server is not read whole. */
const MAX_ERROR_CHARS = 64 * 1024;
const MAX_LIST_CHARS = 1024 * 1024;
const MAX_MODELS = 500;

/** Sends a request to a model server. Returns its answer, or why there is none. */
export async function fetchFrom(
  { base, key }: Pick<ChatRequest, 'base' | 'key'>,
  path: string,
  { headers, ...init }: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
): Promise<Response | ChatFault> {
  if (!/^[\x21-\x7e]*$/.test(key)) return unsendableKey();
  let response: Response;
  try {
    response = await fetch(`${base}${path}`, {
      ...init,
      headers: { ...headers, ...(key === '' ? {} : { Authorization: `Bearer ${key}` }) },
      // A redirect would take the conversation to a server that the user has not chosen.
      redirect: 'manual',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      cache: 'no-store',
    });
  } catch {
    return unreachable(base);
  }
  const { status } = response;
  if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) return redirected(base);
  if (response.ok) return response;
  const body = await startOf(response, MAX_ERROR_CHARS);
  const isPage = /html/i.test(response.headers.get('Content-Type') ?? '');
  const message = errorIn(body) ?? (isPage ? '' : body);
  return refusedRequest(status, message, retryAfterSeconds(response.headers.get('Retry-After'), Date.now()));
}

const listSchema = z.object({ data: z.array(z.object({ id: z.string() })) });

/** Returns the names of a server's models, or why they are unknown. */
export async function listModels(server: Pick<ChatRequest, 'base' | 'key'>): Promise<string[] | ChatFault> {
  const response = await fetchFrom(server, '/models');
  if (!(response instanceof Response)) return response;
  const text = await startOf(response, MAX_LIST_CHARS);
  try {
    const { data } = listSchema.parse(JSON.parse(text));
    return data.slice(0, MAX_MODELS).map(({ id }) => id.slice(0, 200));
  } catch {
    return notAModelList();
  }
}

/** Returns the beginning of a body as text, also of one that breaks off. */
async function startOf({ body }: Response, chars: number): Promise<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (reader && text.length < chars) {
    const next = await reader.read().catch(() => null);
    if (!next || next.done) return text;
    text += decoder.decode(next.value, { stream: true });
  }
  void reader?.cancel().catch(() => {});
  return text.slice(0, chars);
}
