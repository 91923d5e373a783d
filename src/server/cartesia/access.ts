import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';
import {
  type CartesiaError,
  type ErrorName,
  errorFields,
  errorText,
  statusOf,
} from '#protocol/cartesia/wire/errors.ts';
import {
  isVersion,
  KEY_PARAMETER,
  LATEST_VERSION,
  TOKEN,
  type Version,
  versionTraits,
} from '#protocol/cartesia/wire/settings.ts';
import { bearerIn } from '../keys.ts';
import { Refused, type RestContext } from '../rest.ts';
import { VoiceIds } from '../speech/voices/voice-ids.ts';
import { type KeyAccount, KeyAccounts } from '../state/key-accounts.ts';
import type { VendorParts } from '../vendor-server.ts';
import { VOICE_IDS } from './voices.ts';

/** A call or a handshake. */
export interface Call {
  headers: IncomingHttpHeaders;
  url: URL;
  requestId: string;
}

export const callOf = (c: RestContext): Call => ({
  headers: c.env.incoming.headers,
  url: new URL(c.req.url),
  requestId: String(c.env.outgoing.getHeader('x-request-id')),
});

/** The key or token of a call; empty for none, and for several that differ (cartesia-key-5). */
export function credentialIn({ headers, url: { searchParams } }: Call): string {
  const given = [
    headers['x-api-key'],
    bearerIn(headers),
    searchParams.get(KEY_PARAMETER),
    searchParams.get(TOKEN.name),
  ].filter((each) => typeof each === 'string' && each !== '');
  return new Set(given).size === 1 ? String(given[0]) : '';
}

/** The version of the query wins (cartesia-connect-4). */
const dateIn = ({ headers, url }: Call): unknown =>
  url.searchParams.get('cartesia_version') ?? headers['cartesia-version'];

/** The version of a call. Throws the refusal of none, and of an unknown one (cartesia-connect-6). */
export function versionIn(call: Call): Version {
  const date = dateIn(call);
  if (isVersion(date)) return date;
  throw refusal(
    call,
    date === undefined
      ? {
          name: 'invalid_request',
          message:
            'expected the header Cartesia-Version, or cartesia_version in the query, such as 2026-08-14',
        }
      : { name: 'version_not_found' },
  );
}

/** Whether the errors of a call are JSON. Errors of old and of unknown versions are text (cartesia-error-3). */
function isStructured(call: Call): boolean {
  const date = dateIn(call);
  return isVersion(date) && versionTraits(date).hasStructuredErrors;
}

/** The refusal of a call, in the form of its version. */
export function refusal(call: Call, error: CartesiaError): Refused {
  const { requestId } = call;
  const date = dateIn(call);
  const status = statusOf(error.name, isVersion(date) ? date : LATEST_VERSION);
  const body = isStructured(call) ? errorFields(error, requestId) : errorText(error);
  return new Refused(status, body, { 'x-request-id': requestId });
}

/** Body of an error that HTTP alone has. */
export function statusBody(call: Call, status: number, message: string): Refused['body'] {
  const title = STATUS_CODES[status] ?? '';
  const error_code = title.toLowerCase().replaceAll(' ', '_');
  return isStructured(call)
    ? { error_code, title, message, request_id: call.requestId }
    : `${title}: ${message}`;
}

/** Contexts and calls at a time on the free plan, and sockets for each of them (cartesia-limit-2). */
const CONTEXTS = 2;

const openAccounts = (parts: VendorParts) =>
  new KeyAccounts('cartesia', parts, {
    refusals: {
      noCredits: 'quota_exceeded',
      rateLimited: 'concurrency_limited',
      busy: 'service_unavailable',
    } satisfies Record<string, ErrorName>,
    places: { contexts: CONTEXTS, sockets: 10 * CONTEXTS },
  });

export type CartesiaServices = ReturnType<typeof createCartesiaServices>;

/** All that the socket and the calls of this vendor share. */
export const createCartesiaServices = (parts: VendorParts) => ({
  ...parts,
  accounts: openAccounts(parts),
  voices: new VoiceIds(parts.catalogue, VOICE_IDS),
});

/** The account of a key or a token. Throws the refusal of another one. */
export async function accountIn(call: Call, { accounts }: CartesiaServices): Promise<KeyAccount> {
  const credential = credentialIn(call);
  const account = accounts.of(credential) ?? (await accounts.ofToken(credential));
  if (account) return account;
  throw refusal(call, { name: 'unauthorized' });
}
