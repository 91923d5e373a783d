import { STATUS_CODES } from 'node:http';
import { type CartesiaError, errorFields, errorText, statusOf } from '#protocol/cartesia/wire/errors.ts';
import { LATEST_VERSION, type Version, versionTraits } from '#protocol/cartesia/wire/versions.ts';

/** The body of an error: text up to 2025-11-04, and JSON from then on (`facts-cartesia`, E4). */
type ErrorBody = string | object;

/** Status and body of an error. @param version null for an unknown one, of which no form is known */
export const httpError = (
  error: CartesiaError,
  version: Version | null,
  requestId: string,
): { status: number; body: ErrorBody } => ({
  status: statusOf(error.name, version ?? LATEST_VERSION),
  body: isStructured(version) ? errorFields(error, requestId) : errorText(error),
});

/** Body of an error that HTTP alone has. */
export function statusBody(
  status: number,
  message: string,
  version: Version | null,
  requestId: string,
): ErrorBody {
  const title = STATUS_CODES[status] ?? '';
  const error_code = title.toLowerCase().replaceAll(' ', '_');
  return isStructured(version)
    ? { error_code, title, message, request_id: requestId }
    : `${title}: ${message}`;
}

const isStructured = (version: Version | null): boolean =>
  version !== null && versionTraits(version).hasStructuredErrors;
