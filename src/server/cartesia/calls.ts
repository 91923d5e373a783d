import type { CartesiaError } from '#protocol/cartesia/wire/errors.ts';
import type { Version } from '#protocol/cartesia/wire/versions.ts';
import { RETRY_AFTER, Refused, type RestContext } from '../rest.ts';
import type { KeyAccount } from '../state/key-accounts.ts';
import { type Call, type CartesiaAccess, credentialIn, versionIn } from './access.ts';
import { httpError } from './http-errors.ts';

const callOf = (c: RestContext): Call => ({ headers: c.env.incoming.headers, url: new URL(c.req.url) });

export const requestIdOf = (c: RestContext): string => String(c.env.outgoing.getHeader('x-request-id'));

/** Null for a call that names no known version. */
export function versionOrNull(c: RestContext): Version | null {
  const found = versionIn(callOf(c));
  return 'version' in found ? found.version : null;
}

/** The version of a call. Throws its refusal. */
export function callVersion(c: RestContext): Version {
  const found = versionIn(callOf(c));
  if ('version' in found) return found.version;
  throw refusal(c, found.refusal);
}

/** The key or token of a call. */
export const keyIn = (c: RestContext): string => credentialIn(callOf(c)) ?? '';

/** The account of a call. Throws the refusal of its key. */
export async function accountIn(c: RestContext, access: CartesiaAccess): Promise<KeyAccount> {
  const account = await access.of(keyIn(c));
  if (account) return account;
  throw refusal(c, { name: 'unauthorized' });
}

/** An error in the form of the call's version. */
export function refusal(c: RestContext, error: CartesiaError): Refused {
  const { status, body } = httpError(error, versionOrNull(c), requestIdOf(c));
  return new Refused(status, body, status === 429 || status === 503 ? RETRY_AFTER : {});
}
