import { z } from './zod.ts';

/**
 * Settings with their descriptions: a zod schema, and registered on it all that a person needs to choose a value. Form,
 * JSON editor, server validation and documentation use these.
 */

/** The input of a value, and thereby the expected values. */
export type Control =
  | { kind: 'range'; min: number; max: number; step: number }
  /** A whole number. */
  | { kind: 'number'; min: number; max: number }
  | { kind: 'choice'; values: readonly (string | number)[] }
  | { kind: 'switch' }
  | { kind: 'numbers'; min: number; max: number; maxItems: number }
  /** `brings`: other fields that a voice of the catalogue sets. */
  | { kind: 'voice'; brings: readonly string[] }
  /** A voice in words. `words` are suggestions, `samples` whole descriptions. */
  | {
      kind: 'description';
      maxChars: number;
      words: readonly DescribingWords[];
      samples: readonly string[];
    }
  /** Pasted text. `expected` names its form. */
  | { kind: 'text'; expected: string }
  | { kind: 'dictionaries'; maxItems: number };

/** Words for one trait. A description contains at most one of them. */
export interface DescribingWords {
  title: string;
  words: readonly string[];
}

export interface SettingMeta {
  title: string;
  group: string;
  /** One sentence for the person who chooses. */
  explanation: string;
  control: Control;
  /** The server's value for an absent field. Undefined: the field stays unset, with the effect in `absent`. */
  fallback?: unknown;
  absent?: string;
  unit?: string;
  /** Where in the address a connection carries it. Absent: in messages. */
  place?: 'path' | 'query';
}

const metas = z.registry<SettingMeta>();

export interface Setting extends SettingMeta {
  /** Name on the wire. */
  field: string;
  schema: z.ZodMiniType;
}

type Words = Omit<SettingMeta, 'control'>;

const described = <S extends z.ZodMiniType>(schema: S, meta: SettingMeta): S => {
  metas.add(schema, meta);
  return schema;
};

/** A number on a slider. The server refuses values outside the range. */
export const rangeSetting = (min: number, max: number, step: number, words: Words) =>
  described(z.number().check(z.gte(min), z.lte(max)), {
    ...words,
    control: { kind: 'range', min, max, step },
  });

/** A number on a slider. The server clamps values to the range. */
export const clampedSetting = (min: number, max: number, step: number, words: Words) =>
  described(
    z.pipe(
      z.number(),
      z.transform((value) => Math.min(max, Math.max(min, value))),
    ),
    { ...words, control: { kind: 'range', min, max, step } },
  );

/** A whole number in a text box. The server refuses values outside the range. */
export const integerSetting = (min: number, max: number, words: Words) =>
  described(z.int().check(z.gte(min), z.lte(max)), { ...words, control: { kind: 'number', min, max } });

export const choiceSetting = <const V extends readonly (string | number)[]>(values: V, words: Words) =>
  described(z.literal(values), { ...words, control: { kind: 'choice', values } });

export const switchSetting = (words: Words) =>
  described(z.boolean(), { ...words, control: { kind: 'switch' } });

/** A list of whole numbers, each within the range. */
export const numbersSetting = (min: number, max: number, maxItems: number, words: Words) =>
  described(z.array(z.int().check(z.gte(min), z.lte(max))).check(z.minLength(1), z.maxLength(maxItems)), {
    ...words,
    control: { kind: 'numbers', min, max, maxItems },
  });

/** A voice, by number or by handle. */
export const voiceSetting = (words: Words) =>
  described(z.union([z.int().check(z.nonnegative()), z.string().check(z.minLength(1))]), {
    ...words,
    control: { kind: 'voice', brings: [] },
  });

/** A voice by an id that needs other fields of its catalogue entry. */
export const voiceIdSetting = (brings: readonly string[], words: Words) =>
  described(z.string().check(z.minLength(1)), { ...words, control: { kind: 'voice', brings } });

/** A voice in a few words or sentences. */
export const descriptionSetting = (
  maxChars: number,
  suggestions: { words: readonly DescribingWords[]; samples: readonly string[] },
  words: Words,
) =>
  described(z.string().check(z.maxLength(maxChars)), {
    ...words,
    control: { kind: 'description', maxChars, ...suggestions },
  });

/** Text with its own schema. */
export const textSetting = <S extends z.ZodMiniType<string>>(schema: S, expected: string, words: Words) =>
  described(schema, { ...words, control: { kind: 'text', expected } });

/** Ids of pronunciation dictionaries. An empty list means none, unlike an absent field. */
export const dictionariesSetting = (maxItems: number, words: Words) =>
  described(z.array(z.int()).check(z.maxLength(maxItems)), {
    ...words,
    control: { kind: 'dictionaries', maxItems },
  });

/** The described settings of a shape, in its order. */
export function settingsOf(shape: Readonly<Record<string, z.ZodMiniType>>): readonly Setting[] {
  return Object.entries(shape).flatMap(([field, schema]) => {
    const meta = metas.get(schema) ?? metas.get(unwrapped(schema));
    return meta ? [{ field, schema, ...meta }] : [];
  });
}

const unwrapped = (schema: z.ZodMiniType): z.ZodMiniType =>
  schema instanceof z.ZodMiniOptional ? (schema.def.innerType as z.ZodMiniType) : schema;

/** The values of a control, as the end of the sentence "expected …". */
export function expectation(control: Control): string {
  switch (control.kind) {
    case 'range':
      return `a number from ${control.min} to ${control.max}`;
    case 'number':
      return `a whole number from ${control.min} to ${control.max}`;
    case 'choice':
      return `one of ${control.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'switch':
      return 'true or false';
    case 'numbers':
      return `a list of 1 to ${control.maxItems} whole numbers from ${control.min} to ${control.max}`;
    case 'voice':
      return control.brings.length > 0 ? 'the id of a voice' : 'a voice number or a handle';
    case 'description':
      return `a text of at most ${control.maxChars} characters`;
    case 'text':
      return control.expected;
    case 'dictionaries':
      return `a list of at most ${control.maxItems} dictionary ids`;
  }
}
