import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';
import { type CartesiaError, errorFields, errorText, statusOf } from '#protocol/cartesia/wire/errors.ts';
import { KEY_PARAMETER, TOKEN } from '#protocol/cartesia/wire/keys.ts';
import { isVersion, LATEST_VERSION, type Version, versionTraits } from '#protocol/cartesia/wire/versions.ts';
import { bearerIn } from '../keys.ts';
import { RETRY_AFTER, Refused, type RestContext } from '../rest.ts';

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

/** The key or token of a call; empty for none, and for several that differ (A5 to A7, O11). */
export function credentialIn({ headers, url: { searchParams } }: Call): string {
  const given = [
    headers['x-api-key'],
    bearerIn(headers),
    searchParams.get(KEY_PARAMETER),
    searchParams.get(TOKEN.name),
  ].filter((each) => typeof each === 'string' && each !== '');
  return new Set(given).size === 1 ? String(given[0]) : '';
}

/** That of the query wins (A4). */
const dateIn = ({ headers, url }: Call): unknown =>
  url.searchParams.get('cartesia_version') ?? headers['cartesia-version'];

/** The version of a call (A3, A4). Throws the refusal of none, and of an unknown one (A11, A12, O9). */
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

/** A call whose errors are JSON. Others have a text (E4), as of an unknown version, of which no form is known. */
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
  const retry = status === 429 || status === 503 ? RETRY_AFTER : {};
  return new Refused(status, body, { 'x-request-id': requestId, ...retry });
}

/** Body of an error that HTTP alone has. */
export function statusBody(call: Call, status: number, message: string): Refused['body'] {
  const title = STATUS_CODES[status] ?? '';
  const error_code = title.toLowerCase().replaceAll(' ', '_');
  return isStructured(call)
    ? { error_code, title, message, request_id: call.requestId }
    : `${title}: ${message}`;
}
