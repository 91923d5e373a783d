import { seededRandom } from '#lib/statistics/random.ts';

/** Delivery of tokens by a language model and the network. */
export interface SimulationProfile {
  timeToFirstTokenMs: number;
  /** Mean rate after the first token, without stalls. */
  tokensPerSecond: number;
  /** From 0, even steps, to 1, where a step takes 0 to 2 times its mean. */
  jitter: number;
  /** After `every` single tokens, `size` tokens arrive together when the last of them is due. No bursts if `size` < 2. */
  burst: { every: number; size: number };
  /** A pause before a token, with a chance of 0 to 1. */
  stall: { chance: number; ms: number };
}

export interface ScheduledToken {
  text: string;
  /** Since the request to the model. */
  atMs: number;
}

/** Keeps a rate of 0 from waiting for ever. */
const MIN_TOKENS_PER_SECOND = 0.1;

/** Returns when each token is sent. Each takes the same number of draws, so that parameters are independent. */
export function scheduleTokens(
  tokens: readonly string[],
  profile: SimulationProfile,
  seed: number,
): ScheduledToken[] {
  const random = seededRandom(seed);
  const stepMs = 1000 / Math.max(MIN_TOKENS_PER_SECOND, profile.tokensPerSecond);
  const jitter = Math.min(1, Math.max(0, profile.jitter));
  let dueMs = Math.max(0, profile.timeToFirstTokenMs);
  const dueMsOf = tokens.map((_, index) => {
    const swing = 1 + jitter * (2 * random() - 1);
    const stalls = random() < profile.stall.chance;
    if (index > 0) dueMs += stepMs * swing + (stalls ? Math.max(0, profile.stall.ms) : 0);
    return dueMs;
  });
  return tokens.map((text, index) => ({
    text,
    atMs: dueMsOf[lastOfBurst(index, tokens.length, profile)] ?? dueMs,
  }));
}

/** Returns the index of the token itself, or of the last of its burst, whose time it shares. */
function lastOfBurst(index: number, count: number, { burst }: SimulationProfile): number {
  const size = Math.floor(burst.size);
  if (size <= 1) return index;
  const every = Math.max(0, Math.floor(burst.every));
  const cycle = every + size;
  return index % cycle < every ? index : Math.min(count - 1, index - (index % cycle) + cycle - 1);
}

export interface ProfilePreset {
  id: string;
  name: string;
  /** One sentence, shown with the name. */
  explanation: string;
  profile: SimulationProfile;
}

const EVEN = { burst: { every: 0, size: 0 }, stall: { chance: 0, ms: 0 } };

export const PROFILES: readonly [ProfilePreset, ...ProfilePreset[]] = [
  {
    id: 'steady',
    name: 'Steady',
    explanation: 'A mid-size model on a good line: 40 tokens a second, a little uneven.',
    profile: { ...EVEN, timeToFirstTokenMs: 350, tokensPerSecond: 40, jitter: 0.3 },
  },
  {
    id: 'fast',
    name: 'Fast model',
    explanation: 'A small model that writes much faster than anyone can speak.',
    profile: { ...EVEN, timeToFirstTokenMs: 120, tokensPerSecond: 180, jitter: 0.2 },
  },
  {
    id: 'thinking',
    name: 'Thinks, then fast',
    explanation: 'Two and a half seconds of silence before the first token, then a quick answer.',
    profile: { ...EVEN, timeToFirstTokenMs: 2500, tokensPerSecond: 110, jitter: 0.3 },
  },
  {
    id: 'bursty',
    name: 'Bursty network',
    explanation: 'A proxy collects tokens and passes on a dozen at a time.',
    profile: {
      ...EVEN,
      timeToFirstTokenMs: 500,
      tokensPerSecond: 35,
      jitter: 0.6,
      burst: { every: 2, size: 12 },
    },
  },
  {
    id: 'stalls',
    name: 'Stalls in the middle',
    explanation: 'Now and then nothing comes for over a second, long enough for the player to run dry.',
    profile: {
      ...EVEN,
      timeToFirstTokenMs: 400,
      tokensPerSecond: 30,
      jitter: 0.4,
      stall: { chance: 0.04, ms: 1200 },
    },
  },
  {
    id: 'words',
    name: 'Word by word',
    explanation: 'As slow as speech itself, so that the server never has much text in hand.',
    profile: { ...EVEN, timeToFirstTokenMs: 600, tokensPerSecond: 4, jitter: 0.5 },
  },
];
