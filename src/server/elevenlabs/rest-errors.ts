import { randomUUID } from 'node:crypto';
import { describeIssue, type Issue } from '#protocol/core/issue.ts';
import { BodyRefused } from '../call-bodies.ts';
import { bearerIn } from '../keys.ts';
import { RETRY_AFTER, Refused, type RestContext } from '../rest.ts';
import type { KeyAccount } from '../state/key-accounts.ts';
import type { ElevenLabsAccess, ElevenLabsRefusal } from './access.ts';

type ErrorType =
  | 'authentication_error'
  | 'authorization_error'
  | 'invalid_request'
  | 'not_found'
  | 'rate_limit_error'
  | 'server_error'
  | 'validation_error';

/** An error in the vendor's form (`facts-elevenlabs 6.2`). */
export const restRefusal = (
  status: number,
  type: ErrorType,
  name: string,
  message: string,
  { code = name, ...more }: { code?: string; param?: string } = {},
): Refused =>
  new Refused(
    status,
    { detail: { type, code, status: name, message, ...more, request_id: randomUUID() } },
    status === 429 || status === 503 ? RETRY_AFTER : {},
  );

/** Body of an error that is not of speech. Those of unknown paths have a sentence alone. */
export const errorBody = (status: number, message: string): Refused['body'] =>
  status === 404 || status === 405
    ? { detail: message }
    : restRefusal(status, 'server_error', 'internal_server_error', message).body;

/** A key of this shape has another error (`facts-elevenlabs 1.5.6`). */
const HEX_KEY = /^[0-9a-f]{32,}$/i;

/** The account of a call. Throws the refusal of its key. */
export function accountIn(c: RestContext, access: ElevenLabsAccess): KeyAccount {
  const { headers } = c.env.incoming;
  const key = String(headers['xi-api-key'] ?? bearerIn(headers) ?? '');
  const account = key === '' ? null : access.accountOf(key);
  if (account) return account;
  if (HEX_KEY.test(key)) {
    throw restRefusal(400, 'validation_error', 'invalid_api_key', 'Invalid API key', { param: 'api_key' });
  }
  const [name, message] =
    key === ''
      ? ['needs_authorization', 'Neither authorization header nor xi-api-key received, please provide one.']
      : ['invalid_api_key', 'Invalid API key'];
  throw restRefusal(401, 'authentication_error', name, message, { code: 'unauthorized' });
}

/** The refusal of a generation. */
export function speechRefusal({ error, message }: ElevenLabsRefusal): Refused {
  switch (error) {
    case 'quota_exceeded':
      return restRefusal(401, 'authorization_error', error, message);
    case 'too_many_concurrent_requests':
      return restRefusal(429, 'rate_limit_error', error, message);
    default:
      return restRefusal(429, 'rate_limit_error', 'system_busy', HEAVY_TRAFFIC);
  }
}

const HEAVY_TRAFFIC =
  'The system is currently experiencing heavy traffic and your request could not be processed. Please try again later.';

/** Faults in a refusal, because a long list may have one in every item. */
const MAX_FAULTS = 10;

/** One fault of a request, at its place: the part of the request, then the names and numbers that lead to the field. */
const faultAt = (loc: readonly (string | number)[], msg: string) => ({
  type: 'value_error',
  loc,
  msg,
  input: null,
});

/** The refusal of a parameter of the query. */
export const invalidQuery = (name: string, problem: string): Refused =>
  new Refused(422, { detail: [faultAt(['query', name], problem)] });

const placeOf = ({ path }: Issue): (string | number)[] =>
  path.split('.').flatMap((part) => (part === '' ? [] : [/^\d+$/.test(part) ? Number(part) : part]));

/** Throws a problem of the body as the vendor does, and any other fault as it is. */
export function refuseBody(error: unknown): never {
  if (!(error instanceof BodyRefused) || error.status !== 400) throw error;
  const { issues, message } = error;
  const faults = issues
    .slice(0, MAX_FAULTS)
    .map((issue) => faultAt(['body', ...placeOf(issue)], describeIssue(issue)));
  throw new Refused(422, { detail: faults.length > 0 ? faults : [faultAt(['body'], message)] });
}
