import type { EndpointId, Settings } from '#protocol/core/endpoint.ts';
import { z } from '#protocol/core/zod.ts';
import { ENDPOINTS, endpointOf } from '#protocol/registry.ts';
import { persisted, restored } from '../browser/persisted.ts';
import { castOf, useScene } from '../stores/scene-store.ts';
import { selectEndpoint, selectServerId, selectSettings, useSettings } from '../stores/settings-store.ts';
import { type Side, voicedSettings, voiceOf, voiceSettingOf, withVoicedSettings } from './side.ts';

const TEXT_CHARS = 20_000;
const KNOWN = new Set<string>(ENDPOINTS.map(({ id }) => id));

const side = z.object({
  endpoint: z.custom<EndpointId>((value) => typeof value === 'string' && KNOWN.has(value)),
  server: z.string().max(40),
  customBase: z.string().max(300),
  settings: z.record(z.string(), z.unknown()),
  speaker: z.record(z.string(), z.unknown()),
});

/** `apart`: both, A at the left and B at the right. */
export type Heard = 'a' | 'b' | 'both' | 'apart';

const DEFAULT_TEXTS = [
  'The train to Leipzig leaves from platform four.',
  'I am sorry, but that appointment has already been taken.',
  'Your order of twelve notebooks arrives on Thursday.',
  'Could you spell your last name for me, please?',
].join('\n');

/** State that survives a reload. API keys and results are not among the fields. */
const compareChoices = z.object({
  /** null: not chosen yet; see `useSides` for the defaults. */
  a: side.nullable().catch(null),
  b: side.nullable().catch(null),
  view: z.enum(['sideBySide', 'blind']).catch('sideBySide'),
  /** null: the text of the studio's composer. */
  text: z.string().max(TEXT_CHARS).nullable().catch(null),
  order: z.enum(['together', 'inTurn']).catch('inTurn'),
  heard: z.enum(['a', 'b', 'both', 'apart']).catch('both'),
  source: z.enum(['whole', 'simulated']).catch('whole'),
  /** Texts of the blind comparison, one per line. */
  texts: z.string().max(TEXT_CHARS).catch(DEFAULT_TEXTS),
  matchLoudness: z.boolean().catch(true),
});

export type CompareChoices = z.output<typeof compareChoices>;

interface Actions {
  set: (change: Partial<CompareChoices>) => void;
}

/** Returns valid choices from any stored value. */
export const restoreChoices = (stored: unknown): CompareChoices => restored(compareChoices, stored);

export const useCompare = persisted<typeof compareChoices, Actions>(
  'voicewire.compare',
  compareChoices,
  (set) => ({ set: (change) => set(change) }),
);

/** Returns an endpoint as it is set up in the studio: server, settings, and first speaker. */
export function studioSide(endpointId: EndpointId): Side {
  const page = { ...useSettings.getState(), endpoint: endpointId };
  const endpoint = selectEndpoint(page);
  const [speaker] = endpoint.contexts ? castOf(useScene.getState(), endpoint) : [];
  return {
    endpoint: endpoint.id,
    server: selectServerId(page),
    customBase: page.customBases[endpoint.id] ?? '',
    settings: selectSettings(page),
    speaker: speaker?.settings ?? {},
  };
}

/** Returns a side with the next voice of the list; the same side where there is no other. */
export function withAnotherVoice(
  of: Side,
  voices: readonly { id: string | number; settings?: Settings | undefined }[],
): Side {
  const setting = voiceSettingOf(endpointOf(of.endpoint));
  const now = voiceOf(of);
  const at = voices.findIndex(({ id }) => String(id) === String(now));
  const other = voices[(at + 1) % Math.max(1, voices.length)];
  if (!setting || !other || String(other.id) === String(now)) return of;
  return withVoicedSettings(of, { ...voicedSettings(of), [setting.field]: other.id, ...other.settings });
}
