import { randomBytes, randomUUID } from 'node:crypto';
import { describeIssue, type Issue } from '#protocol/core/issue.ts';
import { elevenLabsStream } from '#protocol/elevenlabs/endpoints.ts';
import type { ErrorName } from '#protocol/elevenlabs/wire/errors.ts';
import { type Model, REST_MODELS, type RestModelId, TOKEN } from '#protocol/elevenlabs/wire/settings.ts';
import { BodyRefused } from '../call-bodies.ts';
import { bearerIn } from '../keys.ts';
import { Refused, type RestContext } from '../rest.ts';
import { VoiceIds } from '../speech/voices/voice-ids.ts';
import type { Voice } from '../speech/voices/voices.ts';
import { type KeyAccount, KeyAccounts, type Lease } from '../state/key-accounts.ts';
import type { VendorParts } from '../vendor-server.ts';

const ID_CHARS = 20;

/** Voices that the vendor publishes, today or in former versions of its library: defaults of libraries and agents. */
const PUBLISHED = {
  female: `
    Rachel 21m00Tcm4TlvDq8ikWAM Sarah EXAVITQu4vr4xnSDxMaL Laura FGY2WhTYpPnrIDTdsKH5 Alice Xb7hH8MSUJpSbSDYk0k2
    Matilda XrExE9yKIg1WjnnlVkGX Jessica cgSgspJ2msm6clMCkdW9 Bella hpp4J3VqNfWAUOO0d1Us Lily pFZP5JQG7iQjIQuC4Bku
    Aria 9BWtsMINqrJLrRacOk9x Charlotte XB0fDUnXU5powFXDhCwa Domi AZnzlk1XvdvUeBnXmlld
    Dorothy ThT5KcBeYPX3keUQqHPh Elli MF3mGyEYCl7XYWbV9V6O Emily LcfcDJNUP1GQjkzn1xUU Freya jsCqWAovK2LkecY7zXl4
    Gigi jBpfuIE2acCO8z3wKNLl Glinda z9fAnlkpzviPz146aGWa Grace oWAxZDx7w5VEj9dCyTzz Mimi zrHiDhphv9ZnVXBqCLjz
    Nicole piTKgcLEGmPE4e6mEKli Serena pMsXgVXv3BLzUgSXRplE`,
  male: `
    Adam pNInz6obpgDQGcFmaJgB Roger CwhRBWXzGAHq8TQ4Fs17 Charlie IKne3meq5aSn9XLyUdCD George JBFqnCBsd6RMkjVDRZzb
    Callum N2lVS1w4EtoT3dr4eOWO Harry SOYHLrjzK2X1ezoPC6cr Liam TX3LPaxmHKxFdv7VOQHJ Will bIHbv24MWmeRgasZH58o
    Eric cjVigY5qzO86Huf0OWal Chris iP95p4xoKVk53GoZ742B Brian nPczCjzI2devNBz1zQrb Daniel onwK4e9ZLuTAKqWW03F9
    Bill pqHfZKP75CvOlQylNhV4 Antoni ErXwobaYiN019PkySvjV Arnold VR6AewLTigWG4xSOukaG Clyde 2EiwWnXFnvU5JabPnv8n
    Dave CYw3kZ02Hs0563khs1Fj Drew 29vD33N1CtxCmqQRPOHJ Ethan g5CIjZEefAph4nQFvHAz Fin D38z5RcWu1voky8WS1ja
    Giovanni zcAOhNBS3c14rBihAFp1 James ZQe5CZNOzWyzPSCn5a3c Jeremy bVMeCyTHy58xNoL34h3p
    Jessie t0jbNlBVZ17f02VDIeMI Joseph Zlb1dXrM653N07WRdFW3 Josh TxGEqnHWrfWFTfGW9XjX Matthew Yko7PKs6WkR9MfaPvYfi
    Michael flq6f7yk4E4fJM5XTYuZ Patrick ODq5zmih8GrVes37Dizd Paul 5Q0t7uMcjvnagumLfvZi Sam yoZ06aMxZJJ28mfd3POQ
    Thomas GBv7mTt0atIp3Br8iCZE`,
  neutral: 'River SAz9YHcvj6GT2YYXdXww',
};

/** The form of the vendor's voice ids. */
const VOICE_IDS = {
  exampleVoices: elevenLabsStream.exampleVoices,
  published: PUBLISHED,
  form: (digest: Buffer): string =>
    digest
      .toString('base64')
      .replace(/[^\dA-Za-z]/g, '')
      .slice(0, ID_CHARS),
};

/** Content of an error frame. Calls have another form. */
export interface ElevenLabsRefusal {
  error: ErrorName;
  message: string;
}

/** A generation that was admitted and charged. */
export interface ChargedLease extends Lease {
  /** Gives its credits back, because it failed (elevenlabs-bill-4). */
  refund(): void;
}

/** Generations at a time on the free plan, by the model's group (elevenlabs-limit-3). */
const CONCURRENCY = { standard: 2, turbo: 4 } as const;
/** Characters a month of the plans `free` and `creator`. */
const CREDITS = { free: 10_000, creator: 100_000 } as const;
/** A token expires after this time (elevenlabs-key-4). */
const TOKEN_MS = 15 * 60_000;
const TOKEN_BYTES = 32;

const NO_KEY: ElevenLabsRefusal = {
  error: 'authentication_required',
  message:
    'None of the authentication methods (xi-api-key, authorization header, single-use token) were found. Please provide one of them.',
};
const INVALID_KEY: ElevenLabsRefusal = { error: 'invalid_api_key', message: 'Invalid API key' };

export const INTERNAL_ERROR: ElevenLabsRefusal = {
  error: 'internal_error',
  message: 'We are sorry, something went wrong. You are not charged for this request.',
};

type RefusalOf = (generation: { cost: number; limit: number }) => ElevenLabsRefusal;

const noCredits: RefusalOf = ({ cost }) => ({
  error: 'quota_exceeded',
  message: `This request exceeds your quota of ${CREDITS.free}. You have 0 credits remaining, while ${cost} credits are required for this request.`,
});

const tooMany: RefusalOf = ({ limit }) => ({
  error: 'too_many_concurrent_requests',
  message: `Too many concurrent requests. Your current subscription is associated with a maximum of ${limit} concurrent requests (running in parallel).`,
});

const openAccounts = (parts: VendorParts) =>
  new KeyAccounts('elevenlabs', parts, {
    refusals: { noCredits, rateLimited: tooMany, busy: () => INTERNAL_ERROR },
    places: { 'standard-generations': CONCURRENCY.standard, 'turbo-generations': CONCURRENCY.turbo },
  });

type Accounts = ReturnType<typeof openAccounts>;

/** Admits a key, or a token that opens one connection. */
export async function admit(
  key: string,
  accounts: Accounts,
): Promise<{ account: KeyAccount } | { refusal: ElevenLabsRefusal }> {
  if (key === '') return { refusal: NO_KEY };
  const account = key.startsWith(TOKEN.prefix) ? await accounts.redeem(key) : accounts.of(key);
  return account ? { account } : { refusal: INVALID_KEY };
}

/** A token that opens one connection within 15 minutes. */
export async function singleUseToken(
  account: KeyAccount,
  address: string,
  accounts: Accounts,
): Promise<string> {
  const token = TOKEN.prefix + randomBytes(TOKEN_BYTES).toString('hex');
  await accounts.keepToken(token, account, TOKEN_MS, address);
  return token;
}

/** Admits a generation and charges it. `leave` ends it. */
export async function admitSpeech(
  { account, text, model }: { account: KeyAccount; text: string; model: RestModelId },
  accounts: Accounts,
): Promise<ChargedLease | { refusal: ElevenLabsRefusal }> {
  const cost = costOf(text, model);
  const group = groupOf(model);
  const admitted = await accounts.admit(account, `${group}-generations`);
  if ('refusal' in admitted) return { refusal: admitted.refusal({ cost, limit: CONCURRENCY[group] }) };
  return { leave: admitted.leave, refund: accounts.use(account, cost) };
}

export async function subscriptionOf(account: KeyAccount, accounts: Accounts): Promise<object> {
  const { condition } = account;
  const isFree = condition === 'noCredits' || condition === 'limited';
  const tier = isFree ? 'free' : 'creator';
  // The vendor's library refuses an answer without any of these.
  return {
    tier,
    character_count: condition === 'noCredits' ? CREDITS.free : await accounts.used(account),
    character_limit: CREDITS[tier],
    max_credit_limit_extension: 0,
    can_extend_character_limit: false,
    allowed_to_extend_character_limit: false,
    next_character_count_reset_unix: Math.floor(accounts.resetMs / 1000),
    voice_slots_used: 0,
    professional_voice_slots_used: 0,
    professional_voice_slots_used_in_workspace: 0,
    voice_limit: 0,
    voice_add_edit_counter: 0,
    professional_voice_limit: 0,
    can_extend_voice_limit: false,
    can_use_instant_voice_cloning: false,
    can_use_professional_voice_cloning: false,
    currency: 'usd',
    current_overage: { amount: '0', currency: 'usd' },
    status: isFree ? 'free' : 'active',
    open_invoices: [],
    has_open_invoices: false,
  };
}

/** Credits of a text (elevenlabs-bill-2). */
export const costOf = (text: string, model: RestModelId): number =>
  Math.ceil(text.length * REST_MODELS[model].creditsPerCharacter);

/** The group in which the vendor counts generations. */
export const groupOf = (model: RestModelId): keyof typeof CONCURRENCY =>
  (REST_MODELS[model] satisfies Model).creditsPerCharacter < 1 ? 'turbo' : 'standard';

type ErrorType =
  | 'authentication_error'
  | 'authorization_error'
  | 'invalid_request'
  | 'not_found'
  | 'rate_limit_error'
  | 'server_error'
  | 'validation_error';

/** An error in the vendor's form. */
export const restRefusal = (
  status: number,
  type: ErrorType,
  name: string,
  message: string,
  { code = name, ...more }: { code?: string; param?: string } = {},
): Refused =>
  new Refused(status, { detail: { type, code, status: name, message, ...more, request_id: randomUUID() } });

/** Body of an error that is not of speech. Those of unknown paths have a sentence alone. */
export const errorBody = (status: number, message: string): Refused['body'] =>
  status === 404 || status === 405
    ? { detail: message }
    : restRefusal(status, 'server_error', 'internal_server_error', message).body;

/** A key of this shape has another error (elevenlabs-http-11). */
const HEX_KEY = /^[0-9a-f]{32,}$/i;

/** The account of a call. Throws the refusal of its key. */
export function accountIn(c: RestContext, { accounts }: ElevenLabsServices): KeyAccount {
  const { headers } = c.env.incoming;
  const key = String(headers['xi-api-key'] ?? bearerIn(headers) ?? '');
  const account = key === '' ? null : accounts.of(key);
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

/** A voice of a path. Throws a 404. */
export function voiceAt(c: RestContext, { voices }: ElevenLabsServices): Voice {
  const id = c.req.param('id') ?? '';
  const voice = voices.find(id);
  if (voice) return voice;
  throw restRefusal(404, 'not_found', 'voice_not_found', `A voice with the voice_id ${id} was not found.`);
}

export type ElevenLabsServices = ReturnType<typeof createElevenLabsServices>;

/** All that the sockets and the calls of this vendor share. */
export const createElevenLabsServices = (parts: VendorParts) => ({
  ...parts,
  accounts: openAccounts(parts),
  voices: new VoiceIds(parts.catalogue, VOICE_IDS),
});
