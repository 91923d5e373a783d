import type { IncomingHttpHeaders } from 'node:http';
import { describeIssues, type Issue } from '#protocol/core/issue.ts';
import type { Fields } from '#protocol/core/json-frame.ts';
import { CLOSE_AFTER, type ErrorName } from '#protocol/kugel/wire/errors.ts';
import type { Connection } from '../connection.ts';
import { bearerIn } from '../keys.ts';
import type { EndpointMeter } from '../metrics/meter.ts';
import { Refused } from '../rest.ts';
import { EngineBusyError } from '../speech/engine.ts';
import { type KeyAccount, KeyAccounts } from '../state/key-accounts.ts';
import type { VendorParts } from '../vendor-server.ts';

/** The vendor's error envelope, the same on the socket and over HTTP. */
export interface KugelRefusal {
  error: string;
  error_code: ErrorName;
  /** An HTTP status, also on the socket. */
  code: number;
}

/** Header of audio and of handshakes. */
export const AI_GENERATED = 'x-kugelaudio-ai-generated';

export const MODEL_UNAVAILABLE: KugelRefusal = {
  error: 'Model unavailable',
  error_code: 'MODEL_UNAVAILABLE',
  code: 503,
};

/** The keys of the local server. None has limited places. Catalogue calls cost nothing, so no key is refused there. */
export const openAccounts = (parts: VendorParts) =>
  new KeyAccounts('kugel', parts, {
    refusals: {
      noCredits: { error: 'Insufficient credits', error_code: 'INSUFFICIENT_CREDITS', code: 402 },
      rateLimited: { error: 'Rate limit exceeded', error_code: 'RATE_LIMITED', code: 429 },
      busy: MODEL_UNAVAILABLE,
    } satisfies Record<string, KugelRefusal>,
    places: {},
  });

type Accounts = ReturnType<typeof openAccounts>;

/** Name and `error_code` of an HTTP status. */
export const errorOf = (code: number, error: string): KugelRefusal => ({
  error,
  error_code: ERROR_NAMES[code] ?? 'VALIDATION_ERROR',
  code,
});

/** The refusal of a message or a body. */
export const invalid = (why: string): KugelRefusal => errorOf(400, `Invalid request: ${why}`);

const ERROR_NAMES: Partial<Record<number, ErrorName>> = {
  403: 'UNAUTHORIZED',
  404: 'NOT_FOUND',
  500: 'INTERNAL_ERROR',
  503: 'INTERNAL_ERROR',
};

/** Ends a REST call with the envelope (kugel-http-8). */
export const refused = (refusal: KugelRefusal): Refused => new Refused(refusal.code, refusal);

/** Parameters of a query that hold a key. Apps in a browser send a token. */
const KEY_PARAMETERS = ['api_key', 'token', 'master_key'];

/** The key of a request, from the first place that holds one; empty without any (kugel-key-3). */
export function keyIn({ searchParams }: URL, headers: IncomingHttpHeaders): string {
  const parameter = KEY_PARAMETERS.map((name) => searchParams.get(name)).find(Boolean);
  return parameter ?? bearerIn(headers) ?? String(headers['x-api-key'] ?? '');
}

/** The refusal of a REST call for something that does not exist. */
export const notFound = (what: string): Refused => refused(errorOf(404, `${what} not found`));

/** The account of a key, or the refusal of a missing or unknown one. */
export function accountOf(
  key: string,
  accounts: Accounts,
): { account: KeyAccount } | { refusal: KugelRefusal } {
  const account = accounts.of(key);
  const error = key === '' ? 'Unauthorized' : 'Invalid API key';
  return account ? { account } : { refusal: { error, error_code: 'UNAUTHORIZED', code: 401 } };
}

/** Admits a key to speak. */
export function admit(key: string, accounts: Accounts): { account: KeyAccount } | { refusal: KugelRefusal } {
  const found = accountOf(key, accounts);
  const refusal = 'account' in found && accounts.refusalOf(found.account);
  return refusal ? { refusal } : found;
}

/** The close that ends a socket after an error. */
export const closeAfter = ({ error_code }: KugelRefusal) => ({
  code: CLOSE_AFTER[error_code] ?? 1008,
  reason: error_code,
});

/** Ours: about the time that the vendor takes to check a key. Clients begin to listen once their socket is open. */
const REFUSED_AFTER_MS = 50;

/**
 * Sends the error frame, then its close code, a moment after the handshake: pooled clients drop what comes before their
 * first request. A refused upgrade would show neither to a browser (kugel-key-5).
 */
export function refuse(
  { connection, meter, requestId }: { connection: Connection; meter: EndpointMeter; requestId: string },
  refusal: KugelRefusal,
): void {
  meter.refused(refusal.error_code);
  const { code, reason } = closeAfter(refusal);
  connection.clock.after(REFUSED_AFTER_MS, () => {
    connection.send(JSON.stringify({ ...refusal, request_id: requestId }));
    connection.close(code, reason);
  });
}

/** Limit of text that waits to be spoken: about two hours of speech. */
const MAX_UNSPOKEN_CHARS = 100_000;

/** Limit of waiting turns, which cost about 10 KB each. */
const MAX_WAITING_TURNS = 256;

export const invalidFields = (issues: readonly Issue[]): KugelRefusal => invalid(describeIssues(issues));

export const MISSING_VOICE: KugelRefusal = {
  error: 'voice_id is required',
  error_code: 'MISSING_VOICE_ID',
  code: 400,
};

export const GENERATION_FAILED: KugelRefusal = {
  error: 'Audio generation failed',
  error_code: 'INTERNAL_ERROR',
  code: 500,
};

/** The refusal of a generation that the engine did not finish. */
export const failureOf = (error: unknown): KugelRefusal =>
  error instanceof EngineBusyError ? MODEL_UNAVAILABLE : GENERATION_FAILED;

export const CLOSING = invalid('expected no more messages, because the connection is closing');

/** An unknown voice that a client named. The error comes once a turn, and the rest of the turn's text is dropped. */
export class UnknownVoice {
  readonly #refusal: KugelRefusal;
  #isSaid: boolean;

  constructor(refusal: KugelRefusal, endsTurn: boolean) {
    this.#refusal = refusal;
    this.#isSaid = !endsTurn;
  }

  /** The refusal of text without a voice; null where its turn was refused before. */
  get refusal(): KugelRefusal | null {
    return this.#isSaid ? null : this.#refusal;
  }

  turnEnded(): void {
    this.#isSaid = false;
  }
}

/** The unknown voice of a refused message; undefined where it was refused for another reason. */
export const unknownVoiceOf = (refusal: KugelRefusal, { flush }: Fields): UnknownVoice | undefined =>
  refusal.error_code === 'NOT_FOUND' ? new UnknownVoice(refusal, flush === true) : undefined;

/** Refuses a message that would exceed the limits; `turns` and `characters` include the message. */
export function tooMuchWaiting(turns: number, characters: number): KugelRefusal | null {
  if (turns > MAX_WAITING_TURNS) {
    return invalid(`text: expected at most ${MAX_WAITING_TURNS} turns waiting to be spoken, got one more`);
  }
  return characters > MAX_UNSPOKEN_CHARS
    ? invalid(
        `text: expected at most ${MAX_UNSPOKEN_CHARS} characters waiting to be spoken, got ${characters}`,
      )
    : null;
}
