import { deepEqual } from '#lib/deep-equal.ts';
import type { Endpoint, Settings } from '#protocol/core/endpoint.ts';
import { idOf, type Setting, settingOfKind } from '#protocol/core/settings.ts';

/** The step that makes the server speak the next turn under the wanted settings. */
export type SettingsPlan =
  | { kind: 'nothing' }
  | { kind: 'send'; settings: Settings }
  /** No message can unset a setting, or change one that holds for a whole connection. */
  | { kind: 'reconnect' };

/**
 * Plans the change from the settings that the server holds to the wanted ones. Settings are sticky for a connection, so
 * a field that was sent and is now absent still holds. Its documented default is sent explicitly. Where absence has a
 * meaning of its own, only a new connection restores it.
 * @param sent null before any settings went out
 */
export function planSettings(
  sent: Settings | null,
  wanted: Settings,
  { settings: described, fixedSettings }: Pick<Endpoint, 'settings' | 'fixedSettings'>,
): SettingsPlan {
  if (sent === null) return { kind: 'send', settings: wanted };
  const fallbackOf = (field: string): unknown =>
    described.find((setting) => setting.field === field)?.fallback;
  const effective = (settings: Settings, field: string): unknown => settings[field] ?? fallbackOf(field);
  const fixed = [...fixedSettings, ...described.flatMap(({ field, place }) => (place ? [field] : []))];
  if (fixed.some((field) => !deepEqual(effective(wanted, field), effective(sent, field)))) {
    return { kind: 'reconnect' };
  }
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

/** Returns the voice that the settings choose, else the description of one, else null. */
export function voiceIn(settings: Settings, described: readonly Setting[]): string | null {
  const idIn = (kind: 'voice' | 'description') => idOf(settings[settingOfKind(described, kind)?.field ?? '']);
  return idIn('voice') ?? idIn('description');
}
