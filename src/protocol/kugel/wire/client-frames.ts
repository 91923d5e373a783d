import { wordList } from '#lib/word-list.ts';
import type { Settings } from '../../core/endpoint.ts';
import type { Parsed } from '../../core/issue.ts';
import type { Fields } from '../../core/json-frame.ts';
import { type Setting, settingsOf } from '../../core/settings.ts';
import { z } from '../../core/zod.ts';
import { generationShape, MAX_TEXT_CHARS } from './settings.ts';

/** The common part of the client frames of the Kugel endpoints. */

/** Values as validated: numbers clamped. */
export type Values<S extends Readonly<Record<string, z.ZodMiniType>>> = {
  -readonly [K in keyof S]?: NonNullable<z.output<S[K]>>;
};

/** Any generation parameters. */
export type GenerationConfig = Values<typeof generationShape>;

/** Settings that are nullable in the vendor's schema of `POST /v1/tts/generate` (OpenAPI); null means absent. */
const NULLABLE: ReadonlySet<string> = new Set(
  wordList('voice_id model_id model language output_format project_id dictionary_ids'),
);

/** A shape on the wire. Its type has no nulls, because {@link pickFields} drops them. */
export const onWire = <S extends Readonly<Record<string, z.ZodMiniType>>>(shape: S): S =>
  Object.fromEntries(
    Object.entries(shape).map(([name, each]) => [name, NULLABLE.has(name) ? z.nullish(each) : each]),
  ) as S;

/** Beside settings, at every place that may have them. */
export const besideSettings = onWire({
  /** Old alias of `model_id`, read only where that is absent. */
  model: generationShape.model_id,
  /** Documented, and not used by the local server. */
  speaker_prefix: z.optional(z.unknown()),
});

/** The six keys that `update_settings` may carry (kugel-message-50). */
const UPDATABLE = wordList('cfg_scale temperature speed max_new_tokens language normalize');

/** Values that the server takes for absent settings; unset where there is none. */
export const defaultsOf = (settings: readonly Setting[]): Fields =>
  Object.fromEntries(
    settings.flatMap(({ field, fallback }) => (fallback === undefined ? [] : [[field, fallback]])),
  );

/** The object of `settings_updated`: the values that were set, null for the others. */
export const settingsInEffect = (config: Fields): Record<string, unknown> =>
  Object.fromEntries(UPDATABLE.map((key) => [key, config[key] ?? null]));

export type SettingsUpdate = Pick<GenerationConfig, (typeof UPDATABLE)[number]>;

const updateShape = Object.fromEntries(UPDATABLE.map((key) => [key, generationShape[key]]));
const updateSettings = settingsOf(updateShape);

/** Keys of identity and format; one of them refuses the whole update (kugel-message-51). */
const NOT_UPDATABLE = wordList('voice_id model_id sample_rate output_format project_id dictionary_ids');

/** Text and control keys of the endpoints, in one frame or in several. */
export const controlShape = {
  text: z.optional(z.string().check(z.maxLength(MAX_TEXT_CHARS))),
  flush: z.optional(z.boolean()),
  close_socket: z.optional(z.boolean()),
  cancel: z.optional(z.boolean()),
  update_settings: z.optional(z.looseObject(onWire(updateShape))),
  ...besideSettings,
};

/** Reads the object of `update_settings`, if any. One forbidden key refuses the whole object. */
export function readUpdate(value: Fields | undefined): Parsed<SettingsUpdate | undefined> {
  if (!value) return { ok: true, value: undefined };
  const banned = NOT_UPDATABLE.filter((key) => key in value);
  if (banned.length === 0) return { ok: true, value: pickFields(value, updateSettings) };
  return {
    ok: false,
    issues: banned.map((key) => ({
      path: `update_settings.${key}`,
      expected: `only ${UPDATABLE.join(', ')}`,
      found: key,
    })),
  };
}

/** The described fields of a validated frame that have values. */
export function pickFields(data: Fields, settings: readonly Setting[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const { field } of settings) {
    const value = data[field] ?? (field === 'model_id' ? data.model : undefined);
    if (value !== undefined && value !== null) picked[field] = value;
  }
  return picked;
}

/** The frame of an `update` intent, with its six keys only. */
export const encodeUpdate = (settings: Settings): string =>
  JSON.stringify({
    update_settings: Object.fromEntries(
      UPDATABLE.filter((key) => key in settings).map((key) => [key, settings[key]]),
    ),
  });
