import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isScheme, type Scheme } from '#protocol/deepgram/wire/settings.ts';
import { Refused } from '../rest.ts';
import { type KeyAccount, KeyAccounts, type Lease } from '../state/key-accounts.ts';
import type { VendorParts } from '../vendor-server.ts';
import { ModelVoices } from './voices.ts';

/** Answers of a server that takes no more, and of an engine that is busy. */
export const overloaded = (): Refused => refusal(503, 'The service is overloaded. Please try again later.');

const openAccounts = (parts: VendorParts) =>
  new KeyAccounts('deepgram', parts, {
    refusals: {
      noCredits: () => refusal(402, 'Project does not have enough credits for this request.'),
      rateLimited: () => refusal(429, 'Please try again later.'),
      busy: overloaded,
    },
    // At a time, pay as you go (deepgram-limit-6).
    places: { 'aura-sockets': 45, 'flux-sockets': 45, calls: 15 },
  });

type Accounts = ReturnType<typeof openAccounts>;

/** The account of a key, or of a token of `/v1/auth/grant` until it expires. Throws the refusal of another one. */
export async function accountIn(headers: IncomingHttpHeaders, accounts: Accounts): Promise<KeyAccount> {
  const { scheme, secret } = credentialsIn(headers);
  const found = scheme === 'bearer' ? await accounts.ofToken(secret) : accounts.of(secret);
  if (found) return found;
  throw refusal(401, 'Invalid credentials.', 'INVALID_AUTH');
}

/** Takes a place. Throws the refusal of what the account does not pay for, or of one too many at a time. */
export async function admit(
  accounts: Accounts,
  account: KeyAccount,
  kind: Parameters<Accounts['admit']>[1],
): Promise<Lease> {
  const admitted = await accounts.admit(account, kind);
  if ('refusal' in admitted) throw admitted.refusal();
  return admitted;
}

/** Of the header, or of the subprotocols that a browser offers. Empty without any. */
export function credentialsIn(headers: IncomingHttpHeaders): { scheme: Scheme; secret: string } {
  const { authorization = '', 'sec-websocket-protocol': offered = '' } = headers;
  const [word = '', secret = ''] =
    authorization === '' ? offered.split(',').map((each) => each.trim()) : authorization.trim().split(/\s+/);
  return isScheme(word) ? { scheme: word.toLowerCase() as Scheme, secret } : { scheme: 'token', secret: '' };
}

/** Codes of errors where the vendor names none, by status (deepgram-error-20). */
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

/** Body of an error. */
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
  return new Refused(status, body, errorHeaders(body));
}

export const invalidQuery = (problem: string): Refused =>
  refusal(400, `Failed to deserialize query parameters: ${problem}`, 'INVALID_QUERY_PARAMETER');

export const unsupportedFormat = (problem: string): Refused =>
  refusal(400, `Unsupported audio format: ${problem}`, 'INVALID_QUERY_PARAMETER');

/** Older pages have other words (deepgram-error-11). */
export const noSuchModel = (): Refused => refusal(400, 'No such model/version combination found.');

export type DeepgramServices = ReturnType<typeof createDeepgramServices>;

/** All that the sockets and the calls of this vendor share. */
export const createDeepgramServices = (parts: VendorParts) => ({
  ...parts,
  accounts: openAccounts(parts),
  voices: new ModelVoices(parts.catalogue),
});
