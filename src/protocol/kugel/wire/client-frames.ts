import { wordList } from '#lib/word-list.ts';
import type { Settings } from '../../core/endpoint.ts';
import { issuesOf, type Parsed } from '../../core/issue.ts';
import { type Fields, isFields } from '../../core/json-frame.ts';
import { type Setting, settingsOf } from '../../core/settings.ts';
import { z } from '../../core/zod.ts';
import { generationShape, MAX_TEXT_CHARS } from './generation.ts';

/** The common part of the client frames of the Kugel endpoints. */

/** Values as validated: numbers clamped. */
export type Values<S extends Readonly<Record<string, z.ZodMiniType>>> = {
  -readonly [K in keyof S]?: NonNullable<z.output<S[K]>>;
};

/** Any generation parameters (`facts 1.4`). */
export type GenerationConfig = Values<typeof generationShape>;

/** Text and control keys of the endpoints, in one frame or in several (`facts 1.3.5`). */
export const controlShape = {
  text: z.optional(z.string().check(z.maxLength(MAX_TEXT_CHARS))),
  flush: z.optional(z.boolean()),
  close_socket: z.optional(z.boolean()),
  cancel: z.optional(z.boolean()),
  update_settings: z.optional(z.record(z.string(), z.unknown())),
  /** Old alias of `model_id`, read only where that is absent (`facts 1.4`). */
  model: generationShape.model_id,
};

/** Settings that are nullable in the vendor's schema of `POST /v1/tts/generate` (OpenAPI); null means absent. */
const NULLABLE: ReadonlySet<string> = new Set(
  wordList('voice_id model_id model language output_format project_id dictionary_ids'),
);

/** Drops nullable settings that are null. */
export const withoutNulls = (value: unknown): unknown =>
  isFields(value) && Object.values(value).includes(null)
    ? Object.fromEntries(Object.entries(value).filter(([name, each]) => each !== null || !NULLABLE.has(name)))
    : value;

/** The six keys that `update_settings` may carry (`facts 2.1`). */
const UPDATABLE = wordList('cfg_scale temperature speed max_new_tokens language normalize');

/** Values that the server takes for absent settings; unset where there is none. */
export const defaultsOf = (settings: readonly Setting[]): Fields =>
  Object.fromEntries(
    settings.flatMap(({ field, fallback }) => (fallback === undefined ? [] : [[field, fallback]])),
  );

/** The object of `settings_updated`: the values that were set, null for the others (`facts 2.2`). */
export const settingsInEffect = (config: Fields): Record<string, unknown> =>
  Object.fromEntries(UPDATABLE.map((key) => [key, config[key] ?? null]));

export type SettingsUpdate = Pick<GenerationConfig, (typeof UPDATABLE)[number]>;

const updateShape = Object.fromEntries(UPDATABLE.map((key) => [key, generationShape[key]]));
const updateSchema = z.looseObject(updateShape);
const updateSettings = settingsOf(updateShape);

/** Keys of identity and format; one of them refuses the whole update (`facts 2.3.28`). */
const NOT_UPDATABLE = wordList('voice_id model_id sample_rate output_format project_id dictionary_ids');

/** Validates the object of `update_settings`, if any. One forbidden key refuses the whole object (`facts 2.3.28`). */
export function parseUpdate(value: Fields | undefined): Parsed<SettingsUpdate | undefined> {
  if (!value) return { ok: true, value: undefined };
  const banned = NOT_UPDATABLE.filter((key) => key in value);
  if (banned.length === 0) return parseNested('update_settings', updateSchema, updateSettings, value);
  return {
    ok: false,
    issues: banned.map((key) => ({
      path: `update_settings.${key}`,
      expected: `only ${UPDATABLE.join(', ')}`,
      found: key,
    })),
  };
}

/** Validates an object inside a frame. Keeps described fields only, and reports issues by their full path. */
export function parseNested<T>(
  path: string,
  schema: z.ZodMiniType<Record<string, unknown>>,
  settings: readonly Setting[],
  value: unknown,
): Parsed<T> {
  const fields = withoutNulls(value);
  const parsed = schema.safeParse(fields);
  if (parsed.success) return { ok: true, value: pickFields(parsed.data, settings) as T };
  const issues = issuesOf(parsed.error, fields, settings);
  return { ok: false, issues: issues.map((issue) => ({ ...issue, path: `${path}.${issue.path}` })) };
}

/** The described fields of a validated frame. */
export function pickFields(data: Fields, settings: readonly Setting[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const { field } of settings) {
    const value = data[field] ?? (field === 'model_id' ? data.model : undefined);
    if (value !== undefined) picked[field] = value;
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
