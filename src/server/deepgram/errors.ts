import { randomUUID } from 'node:crypto';
import { RETRY_AFTER, Refused } from '../rest.ts';

/** Codes of errors where the vendor names none, by status. Ours. */
const CODES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  402: 'Payment Required',
  403: 'FORBIDDEN',
  404: 'Not Found',
  405: 'Method Not Allowed',
  413: 'PAYLOAD_TOO_LARGE',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};

/** Body of an error (`facts-deepgram 6.3`). */
export const errorBody = (
  status: number,
  err_msg: string,
  err_code = CODES[status] ?? 'Internal Server Error',
) => ({
  err_code,
  err_msg,
  request_id: randomUUID(),
});

/** The headers that repeat an error. @param body of {@link errorBody} */
export function errorHeaders(body: object | string): Readonly<Record<string, string>> {
  const { err_msg, request_id } = body as ReturnType<typeof errorBody>;
  return { 'dg-error': err_msg.replace(/[^\x20-\x7e]/g, '?'), 'dg-request-id': request_id };
}

/** An error of a call or a handshake. */
export function refusal(status: number, message: string, code?: string): Refused {
  const body = errorBody(status, message, code);
  const retry = status === 429 || status === 503 ? RETRY_AFTER : {};
  return new Refused(status, body, { ...errorHeaders(body), ...retry });
}

export const invalidQuery = (problem: string): Refused =>
  refusal(400, `Failed to deserialize query parameters: ${problem}`, 'INVALID_QUERY_PARAMETER');

export const unsupportedFormat = (problem: string): Refused =>
  refusal(400, `Unsupported audio format: ${problem}`, 'INVALID_QUERY_PARAMETER');

/** The words of 2026-09 (`facts-deepgram 10.10`). */
export const noSuchModel = (): Refused => refusal(400, 'No such model/version combination found.');
