import { groupBy } from '#lib/collections/maps.ts';
import { deepEqual } from '#lib/deep-equal.ts';
import { languageName } from '#lib/languages.ts';
import type { Settings } from '#protocol/core/endpoint.ts';
import type { Issue } from '#protocol/core/issue.ts';
import type { Control, Setting } from '#protocol/core/settings.ts';
import { isSecretName } from '#trace/secrets/named-secrets.ts';

/** Reads and writes settings for the form. An absent field is not sent. */

/** Returns settings with some fields changed. A field keeps its place; one that is undefined is left out. */
export const withFields = (settings: Settings, change: Settings): Settings =>
  Object.fromEntries(Object.entries({ ...settings, ...change }).filter(([, value]) => value !== undefined));

/** Returns the settings that the endpoint describes, without secrets. */
export const describedSettings = (of: Settings, described: readonly Setting[]): Settings =>
  Object.fromEntries(
    Object.entries(of).filter(
      ([field, value]) =>
        value !== undefined && !isSecretName(field) && described.some((setting) => setting.field === field),
    ),
  );

/** Returns the value that “Send” sets: the explicit default; undefined for a setting that the user has to choose. */
export function valueToSend(setting: Setting): unknown {
  if (setting.fallback !== undefined) return setting.fallback;
  switch (setting.control.kind) {
    case 'choice':
      return setting.control.values[0];
    case 'switch':
      return true;
    case 'range':
    case 'number':
      return setting.control.min;
    case 'dictionaries':
      return [];
    default:
      return undefined;
  }
}

export function changedFields(now: Settings, sent: Settings): ReadonlySet<string> {
  const fields = new Set([...Object.keys(now), ...Object.keys(sent)]);
  return new Set([...fields].filter((field) => !deepEqual(now[field], sent[field])));
}

/** Returns the decimals of a step: 2 for 0.05. */
const decimalsOf = (step: number): number => (String(step).split('.')[1] ?? '').length;

/** Rounds a value to the grid of a slider, without the error of binary fractions. */
export function onStep(value: number, control: Extract<Control, { kind: 'range' }>): number {
  const steps = Math.round((value - control.min) / control.step);
  const stepped = control.min + steps * control.step;
  const digits = Math.max(decimalsOf(control.step), decimalsOf(control.min));
  return Number(Math.min(control.max, Math.max(control.min, stepped)).toFixed(digits));
}

/** Returns a value as plain text: a string as it is, nothing for undefined, JSON for anything else. */
export const plainText = (value: unknown): string => (typeof value === 'string' ? value : jsonText(value));

const jsonText = (value: unknown): string => JSON.stringify(value) ?? '';

/** Formats a number with at least the decimals of the step, unless that loses precision. */
export function numberText(value: unknown, control: Control): string {
  if (typeof value !== 'number') return jsonText(value);
  if (control.kind !== 'range') return String(value);
  const padded = value.toFixed(Math.min(decimalsOf(control.step), 20));
  return Number(padded) === value ? padded : String(value);
}

/** Reads the text of a number box: undefined for none, null for no number. The endpoint checks the range. */
export function parseNumberText(text: string): number | undefined | null {
  const trimmed = text.trim().replace(',', '.');
  if (trimmed === '') return undefined;
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed)) return null;
  const value = Number(trimmed);
  return Number.isFinite(value) ? value : null;
}

/** Formats a list as `5, 80, 150, 250`. */
export const numbersText = (value: unknown): string =>
  Array.isArray(value)
    ? value.map((item) => (typeof item === 'number' ? String(item) : jsonText(item))).join(', ')
    : jsonText(value);

/** Reads `5, 80 150;250`: undefined for an empty text, null if an entry is no number. */
export function parseNumbersText(text: string): number[] | undefined | null {
  const parts = text
    .replace(/^\s*\[|\]\s*$/g, '')
    .split(/[\s,;]+/)
    .filter((part) => part !== '');
  if (parts.length === 0) return undefined;
  const numbers = parts.map((part) => parseNumberText(part));
  return numbers.every((value) => typeof value === 'number') ? numbers : null;
}

const withUnit = (text: string, unit: string | undefined): string =>
  unit === undefined ? text : unit === '×' ? `${text}×` : `${text} ${unit}`;

/** Formats a value for people: `2.0`, `24000 Hz`, `off`. */
function valueText(value: unknown, setting: Setting): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : numbersText(value);
  if (typeof value === 'number') return withUnit(numberText(value, setting.control), setting.unit);
  return plainText(value);
}

/** Describes what applies when the field is not sent. A number box shows the unit itself. */
export function defaultText(setting: Setting): string {
  if (setting.fallback === undefined) return setting.absent ?? 'unset';
  if (setting.control.kind === 'number') return numberText(setting.fallback, setting.control);
  return valueText(setting.fallback, setting);
}

export const defaultJson = (setting: Setting): string =>
  setting.fallback === undefined
    ? 'unset'
    : Array.isArray(setting.fallback)
      ? `[${numbersText(setting.fallback)}]`
      : typeof setting.fallback === 'number'
        ? numberText(setting.fallback, setting.control)
        : (JSON.stringify(setting.fallback) ?? 'unset');

/** Formats an end of a slider with at least one decimal: `0.0`, `1.2`. */
export const endText = (end: number): string => end.toFixed(Math.max(1, decimalsOf(end)));

const grouped = new Intl.NumberFormat('en');

const RANGES: { [K in Control['kind']]: (control: Extract<Control, { kind: K }>) => string } = {
  range: ({ min, max }) => `${endText(min)} to ${endText(max)}`,
  number: ({ min, max }) => `${grouped.format(min)} to ${grouped.format(max)}`,
  choice: ({ values }) => `${values.length} choices`,
  switch: () => 'true or false',
  numbers: ({ maxItems }) => `up to ${maxItems}`,
  voice: ({ ids }) => ids.name,
  description: ({ maxChars }) => `up to ${grouped.format(maxChars)} characters`,
  text: () => 'text',
  dictionaries: ({ maxItems }) => `up to ${maxItems} ids`,
};

export const valueRangeText = ({ control }: Setting): string =>
  (RANGES[control.kind] as (of: Control) => string)(control);

/** Groups settings in order of appearance. The heading is null where it would repeat the first title. */
export function groupsOf(settings: readonly Setting[]) {
  return [...groupBy(settings, ({ group }) => group)].map(([name, members]) => ({
    name,
    heading: members[0]?.title === name ? null : name,
    settings: members,
  }));
}

/** Most values, and longest value, that fit side by side. */
const MAX_SEGMENTS = 4;
const MAX_SEGMENT_CHARS = 6;

export const fitsSegments = (values: readonly (string | number)[]): boolean =>
  values.length <= MAX_SEGMENTS && values.every((value) => String(value).length <= MAX_SEGMENT_CHARS);

/** Labels the values of a choice: with the names of their languages where every value is a language code. */
export function choiceLabels(
  values: readonly (string | number)[],
): { value: string | number; name?: string }[] {
  const names = values.map((value) => (typeof value === 'string' ? languageName(value) : undefined));
  const areLanguages = names.every((name) => name !== undefined);
  return values.map((value, at) => {
    const name = areLanguages ? names[at] : undefined;
    return name === undefined ? { value } : { value, name };
  });
}

/** The first issue of a field or of something inside it. */
export const issueOf = (field: string, issues: readonly Issue[]): Issue | undefined =>
  issues.find((issue) => issue.path === field || issue.path.startsWith(`${field}.`));

/** Issues of the frame as a whole and of fields that the form has no row for. */
export const otherIssues = (issues: readonly Issue[], fields: ReadonlySet<string>): Issue[] =>
  issues.filter((issue) => !fields.has(issue.path.split('.')[0] ?? ''));

/** Returns the fields that are sent although the endpoint does not know them. */
export const undescribedFields = (settings: Settings, fields: ReadonlySet<string>): string[] =>
  Object.keys(settings).filter((field) => settings[field] !== undefined && !fields.has(field));
