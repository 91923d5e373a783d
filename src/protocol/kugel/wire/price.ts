import type { PublishedPrice, Settings } from '../../core/endpoint.ts';

/** The model of a config that names none (`facts 1.5`). */
const DEFAULT_MODEL = 'kugel-3';

/** By model, in EUR cents: 0.07 and 0.035 EUR a minute, without tax (`facts 1.9`, page read 2026-10-07). */
const CENTS_PER_MINUTE: Readonly<Record<string, number>> = { 'kugel-3': 7, 'kugel-2-turbo': 3.5 };

/** What the vendor's page says of the model in these settings; null for a model that it does not list. */
export function publishedPrice({ model_id: model }: Settings): PublishedPrice | null {
  const cents = CENTS_PER_MINUTE[typeof model === 'string' ? model : DEFAULT_MODEL];
  return cents === undefined ? null : { centsPerSecond: cents / 60, currency: 'eur' };
}
