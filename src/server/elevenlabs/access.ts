import { randomBytes } from 'node:crypto';
import type { Clock } from '#lib/clock.ts';
import type { ErrorName } from '#protocol/elevenlabs/wire/errors.ts';
import { TOKEN } from '#protocol/elevenlabs/wire/keys.ts';
import { type Model, REST_MODELS, type RestModelId } from '#protocol/elevenlabs/wire/models.ts';
import type { Keys } from '../keys.ts';
import { type KeyAccount, KeyAccounts, type Lease } from '../state/key-accounts.ts';
import type { SharedState } from '../state/state.ts';

/** Content of an error frame. Calls have another form. */
export interface ElevenLabsRefusal {
  error: ErrorName;
  message: string;
}

/** Generations at a time on the free plan, by the model's group (`facts-elevenlabs 5.2`). */
const CONCURRENCY = { standard: 2, turbo: 4 } as const;
/** Characters a month of the plans `free` and `creator`. */
const CREDITS = { free: 10_000, creator: 100_000 } as const;
/** `facts-elevenlabs 1.5.5`. */
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

interface Options {
  keys: Keys;
  clock: Clock;
  state: Pick<SharedState, 'notes' | 'places' | 'sums'>;
}

export type ElevenLabsAccess = ReturnType<typeof createElevenLabsAccess>;

/** Access by the keys of `contract.md` and by single-use tokens, and what the vendor counts by key. */
export function createElevenLabsAccess(options: Options) {
  const { clock, state } = options;
  const { sums } = state;
  const accounts = new KeyAccounts('elevenlabs', options);
  const accountOf = (key: string) => accounts.of(key);

  return {
    accountOf,

    async admit(key: string): Promise<{ account: KeyAccount } | { refusal: ElevenLabsRefusal }> {
      if (key === '') return { refusal: NO_KEY };
      const account = key.startsWith(TOKEN.prefix) ? await accounts.redeem(key) : accountOf(key);
      return account ? { account } : { refusal: INVALID_KEY };
    },

    /** A token that opens one connection within 15 minutes. */
    async token(account: KeyAccount, address: string): Promise<string> {
      const token = TOKEN.prefix + randomBytes(TOKEN_BYTES).toString('hex');
      await accounts.keepToken(token, account, TOKEN_MS, address);
      return token;
    },

    /** Admits a generation and charges it. `leave` ends it. */
    async speak(account: KeyAccount, text: string, model: RestModelId): Promise<Lease | ElevenLabsRefusal> {
      const cost = costOf(text, model);
      const limit = CONCURRENCY[groupOf(model)];
      const taken = await accounts.admit(account, `${groupOf(model)}-generations`, limit);
      if (taken === 'noCredits') return noCredits(cost);
      if (taken === 'busy') return INTERNAL_ERROR;
      if (taken === 'rateLimited') return tooMany(limit);
      sums.add(sumOf(account.name, resetMs(clock)), cost, resetMs(clock));
      return taken;
    },

    async subscription({ name, condition }: KeyAccount): Promise<object> {
      const isFree = condition === 'noCredits' || condition === 'limited';
      const tier = isFree ? 'free' : 'creator';
      const reset = resetMs(clock);
      // The vendor's library refuses an answer without any of these.
      return {
        tier,
        character_count: condition === 'noCredits' ? CREDITS.free : await sums.of(sumOf(name, reset)),
        character_limit: CREDITS[tier],
        max_credit_limit_extension: 0,
        can_extend_character_limit: false,
        allowed_to_extend_character_limit: false,
        next_character_count_reset_unix: Math.floor(reset / 1000),
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
    },
  };
}

const sumOf = (name: string, reset: number): string => `elevenlabs credits until ${reset} of ${name}`;

/** Months begin on the first, UTC. Ours: the vendor's begin with a subscription. */
function resetMs(clock: Clock): number {
  const now = new Date(clock.nowMs());
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
}

/** Credits of a text (`facts-elevenlabs 6.3.1`). */
export const costOf = (text: string, model: RestModelId): number =>
  Math.ceil(text.length * REST_MODELS[model].creditsPerCharacter);

/** The group in which the vendor counts generations (`facts-elevenlabs 6.1`). */
export const groupOf = (model: RestModelId): keyof typeof CONCURRENCY =>
  (REST_MODELS[model] satisfies Model).creditsPerCharacter < 1 ? 'turbo' : 'standard';

const noCredits = (cost: number): ElevenLabsRefusal => ({
  error: 'quota_exceeded',
  message: `This request exceeds your quota of ${CREDITS.free}. You have 0 credits remaining, while ${cost} credits are required for this request.`,
});

const tooMany = (limit: number): ElevenLabsRefusal => ({
  error: 'too_many_concurrent_requests',
  message: `Too many concurrent requests. Your current subscription is associated with a maximum of ${limit} concurrent requests (running in parallel).`,
});
