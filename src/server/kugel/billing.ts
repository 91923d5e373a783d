import type { UsageObject } from '#protocol/kugel/wire/server-frames.ts';
import type { Account } from './access.ts';

/** EUR cents per second of audio; yields the documented samples (`contract.md`, "Price"). */
const CENTS_PER_SECOND = 0.09;

/** Rounds seconds to whole milliseconds, which removes floating-point noise. */
export const roundedSeconds = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** Usage of a turn. An unpriced account gets null and `cost_unavailable`, never 0 (seed). */
export function bill(
  account: Account,
  turn: { audioSeconds: number; characters: number; modelId: string },
): UsageObject {
  const charge = account.priced
    ? // Scales before rounding, because 5.4 × 0.09 is slightly above 0.486 and 1.5 × 0.09 slightly below 0.135.
      {
        cost_cents: Math.round(Number((turn.audioSeconds * CENTS_PER_SECOND * 100).toFixed(6))) / 100,
        currency: 'eur',
      }
    : { cost_cents: null, cost_unavailable: true };
  return {
    audio_seconds: turn.audioSeconds,
    characters: turn.characters,
    ...charge,
    model_id: turn.modelId,
  };
}
