import { deepEqual } from '#lib/deep-equal.ts';
import type { Endpoint, Settings } from '#protocol/core/endpoint.ts';

/** What must happen before a turn so that the server speaks it under these settings. */
export type ConfigPlan =
  | { kind: 'nothing' }
  | { kind: 'send'; settings: Settings }
  /** A setting is to be unset, or one that holds for a whole connection is to change: no message can do that. */
  | { kind: 'reconnect' };

/**
 * Settings are sticky for a connection, so a field that was sent and is absent now still holds on the server. Where its
 * default is documented it is sent in so many words; where absence has a meaning of its own, only a new connection
 * has it. `sent` is null before any config went out.
 */
export function planConfig(
  sent: Settings | null,
  wanted: Settings,
  { settings: described, fixedSettings }: Pick<Endpoint, 'settings' | 'fixedSettings'>,
): ConfigPlan {
  if (sent === null) return { kind: 'send', settings: wanted };
  const fallbackOf = (field: string): unknown =>
    described.find((setting) => setting.field === field)?.fallback;
  const holds = (settings: Settings, field: string): unknown => settings[field] ?? fallbackOf(field);
  if (fixedSettings.some((field) => !deepEqual(holds(wanted, field), holds(sent, field))))
    return { kind: 'reconnect' };
  const resets: Record<string, unknown> = {};
  for (const field of Object.keys(sent)) {
    if (wanted[field] !== undefined || sent[field] === undefined) continue;
    const fallback = fallbackOf(field);
    if (fallback === undefined) return { kind: 'reconnect' };
    if (!deepEqual(sent[field], fallback)) resets[field] = fallback;
  }
  const changed = Object.keys(wanted).some((field) => !deepEqual(wanted[field], sent[field]));
  if (!changed && Object.keys(resets).length === 0) return { kind: 'nothing' };
  return { kind: 'send', settings: { ...wanted, ...resets } };
}
