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
  /** `isOpen`: a server may offer more. */
  | { kind: 'choice'; values: readonly (string | number)[]; isOpen?: true }
  | { kind: 'switch' }
  | { kind: 'numbers'; min: number; max: number; maxItems: number }
  /** `brings`: other fields that a voice of the catalogue sets. */
  | { kind: 'voice'; ids: IdForm; brings: readonly string[] }
  /** A voice in words. `words` are suggestions, `samples` whole descriptions. */
  | {
      kind: 'description';
      maxChars: number;
      words: readonly DescribingWords[];
      samples: readonly string[];
    }
  /** Pasted text. `expected` names its form. */
  | { kind: 'text'; expected: string }
  | { kind: 'dictionaries'; ids: IdForm; maxItems: number };

/** Ids in settings. Elsewhere they are opaque strings, because an endpoint may number or name its voices. */
export interface IdForm {
  /** As in "the … of a voice". */
  name: string;
  /** The value in settings for an id. `idOf` is the inverse. */
  toValue: (id: string) => unknown;
}

/** The id that a value in settings stands for; null for a value that is no id. */
export const idOf = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : null;

/** Words for one trait. A description contains at most one of them. */
export interface DescribingWords {
  title: string;
  words: readonly string[];
}

/** The form shows the settings of a group together. */
type SettingGroup = 'Voice' | 'Delivery' | 'Audio' | 'Text' | 'Chunking' | 'Connection' | 'Account';

export interface SettingMeta {
  title: string;
  group: SettingGroup;
  /** One sentence for the person who chooses. */
  explanation: string;
  control: Control;
  /** The server's value for an absent field. Undefined: the field stays unset, with the effect in `absent`. */
  fallback?: unknown;
  absent?: string;
  unit?: string;
  /** Where in the address a connection carries it. Absent: in messages. */
  place?: 'path' | 'query';
  /** Names the language of the text. */
  isLanguage?: true;
  /** Has the server send the times of words. */
  isWordTimes?: true;
  /** The local server validates the value, and does nothing with it. */
  hasNoEffectHere?: true;
}

const metas = z.registry<SettingMeta>();

export interface Setting extends SettingMeta {
  /** Name on the wire. */
  field: string;
  schema: z.ZodMiniType;
}

export type SettingWords = Omit<SettingMeta, 'control'>;

const described = <S extends z.ZodMiniType>(schema: S, meta: SettingMeta): S => {
  metas.add(schema, meta);
  return schema;
};

/** A number on a slider. The server refuses values outside the range. */
export const rangeSetting = (min: number, max: number, step: number, words: SettingWords) =>
  described(z.number().check(z.gte(min), z.lte(max)), {
    ...words,
    control: { kind: 'range', min, max, step },
  });

/** A number on a slider. The server clamps values to the range. */
export const clampedSetting = (min: number, max: number, step: number, words: SettingWords) =>
  described(
    z.pipe(
      z.number(),
      z.transform((value) => Math.min(max, Math.max(min, value))),
    ),
    { ...words, control: { kind: 'range', min, max, step } },
  );

/** A whole number in a text box. The server refuses values outside the range. */
export const integerSetting = (min: number, max: number, words: SettingWords) =>
  described(z.int().check(z.gte(min), z.lte(max)), { ...words, control: { kind: 'number', min, max } });

export const choiceSetting = <const V extends readonly (string | number)[]>(values: V, words: SettingWords) =>
  described(z.literal(values), { ...words, control: { kind: 'choice', values } });

/** A choice of names. A server may have more. */
export const openChoiceSetting = (values: readonly string[], words: SettingWords) =>
  described(z.string().check(z.regex(/^[\w.-]{1,100}$/)), {
    ...words,
    control: { kind: 'choice', values, isOpen: true },
  });

export const switchSetting = (words: SettingWords) =>
  described(z.boolean(), { ...words, control: { kind: 'switch' } });

/** A list of whole numbers, each within the range. */
export const numbersSetting = (min: number, max: number, maxItems: number, words: SettingWords) =>
  described(z.array(z.int().check(z.gte(min), z.lte(max))).check(z.minLength(1), z.maxLength(maxItems)), {
    ...words,
    control: { kind: 'numbers', min, max, maxItems },
  });

/** A voice by its id. @param brings other fields of its catalogue entry that it needs */
export const voiceSetting = <S extends z.ZodMiniType>(
  schema: S,
  ids: IdForm,
  brings: readonly string[],
  words: SettingWords,
) => described(schema, { ...words, control: { kind: 'voice', ids, brings } });

/** A voice in a few words or sentences. */
export const descriptionSetting = (
  maxChars: number,
  suggestions: { words: readonly DescribingWords[]; samples: readonly string[] },
  words: SettingWords,
) =>
  described(z.string().check(z.maxLength(maxChars)), {
    ...words,
    control: { kind: 'description', maxChars, ...suggestions },
  });

/** Text with its own schema. */
export const textSetting = <S extends z.ZodMiniType<string>>(
  schema: S,
  expected: string,
  words: SettingWords,
) => described(schema, { ...words, control: { kind: 'text', expected } });

/** Ids of pronunciation dictionaries. An empty list means none, unlike an absent field. */
export const dictionariesSetting = <S extends z.ZodMiniType>(
  schema: S,
  ids: IdForm,
  maxItems: number,
  words: SettingWords,
) =>
  described(z.array(schema).check(z.maxLength(maxItems)), {
    ...words,
    control: { kind: 'dictionaries', ids, maxItems },
  });

const NO_EFFECT = 'The local server accepts it without effect.';

/** The described settings of a shape, in its order. */
export function settingsOf(shape: Readonly<Record<string, z.ZodMiniType>>): readonly Setting[] {
  return Object.entries(shape).flatMap(([field, schema]) => {
    const meta = metas.get(schema) ?? metas.get(unwrapped(schema));
    if (!meta) return [];
    const explanation = meta.hasNoEffectHere ? `${meta.explanation} ${NO_EFFECT}` : meta.explanation;
    return [{ field, schema, ...meta, explanation }];
  });
}

/** The settings of a shape that the address carries. */
export const placedSettings = (
  place: NonNullable<SettingMeta['place']>,
  shape: Readonly<Record<string, z.ZodMiniType>>,
): readonly Setting[] => settingsOf(shape).map((setting) => ({ ...setting, place }));

/** A shape in which null is as good as absent. */
export const nullable = <Shape extends Readonly<Record<string, z.ZodMiniType>>>(shape: Shape) =>
  Object.fromEntries(Object.entries(shape).map(([field, schema]) => [field, z.nullish(schema)])) as {
    [Field in keyof Shape]: z.ZodMiniOptional<z.ZodMiniNullable<Shape[Field]>>;
  };

/** The setting with this kind of control; undefined for none. */
export const settingOfKind = <K extends Control['kind']>(settings: readonly Setting[], kind: K) =>
  settings.find(
    (setting): setting is Setting & { control: Extract<Control, { kind: K }> } =>
      setting.control.kind === kind,
  );

/** The setting that names the language of the text; undefined for none. */
export const languageSetting = (settings: readonly Setting[]): Setting | undefined =>
  settings.find(({ isLanguage }) => isLanguage);

/** The setting that has the server send the times of words; undefined for none. */
export const wordTimesSetting = (settings: readonly Setting[]): Setting | undefined =>
  settings.find(({ isWordTimes }) => isWordTimes);

/** The settings of one speaker: of a context where the endpoint has several. */
export const speakerSettings = (of: {
  contexts: { settings: readonly Setting[] } | null;
  settings: readonly Setting[];
}): readonly Setting[] => of.contexts?.settings ?? of.settings;

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
      return `one of ${control.values.map((value) => JSON.stringify(value)).join(', ')}${control.isOpen ? ', or another one of the server' : ''}`;
    case 'switch':
      return 'true or false';
    case 'numbers':
      return `a list of 1 to ${control.maxItems} whole numbers from ${control.min} to ${control.max}`;
    case 'voice':
      return `the ${control.ids.name} of a voice`;
    case 'description':
      return `a text of at most ${control.maxChars} characters`;
    case 'text':
      return control.expected;
    case 'dictionaries':
      return `a list of at most ${control.maxItems} dictionary ids`;
  }
}
