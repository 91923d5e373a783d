import { excerptOf } from '#lib/format.ts';
import { expectation, type Setting } from './settings.ts';
import { z } from './zod.ts';

/** One fault of a value from outside. */
export interface Issue {
  /** Dotted path from the frame's root; empty for the frame itself. */
  path: string;
  expected: string;
  found: string;
}

/** Longest excerpt of a wrong value in an error: enough to recognise it, too little to leak a text. */
const MAX_FOUND_CHARS = 60;
/** Unknown fields that an issue names. */
const MAX_NAMES = 5;

/** Issues of one description. */
const MAX_DESCRIBED = 10;

/** The issue as a sentence for people. */
export const describeIssue = (issue: Issue): string =>
  `${issue.path === '' ? 'the frame' : issue.path}: expected ${issue.expected}, got ${issue.found}`;

/** The first issues in one line. A long list may have one in every item. */
export const describeIssues = (issues: readonly Issue[]): string =>
  issues.slice(0, MAX_DESCRIBED).map(describeIssue).join('; ');

/** The result of a validation. */
export type Parsed<T> = { ok: true; value: T } | { ok: false; issues: Issue[] };

/** A short, safe rendering of any value. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value) && value.length > 8) return `an array of ${value.length}`;
  let text: string;
  try {
    text = JSON.stringify(value) ?? typeof value;
  } catch {
    text = typeof value;
  }
  return excerptOf(text, MAX_FOUND_CHARS);
}

/**
 * Converts zod's errors into issues. The expectation of a described setting comes from its control, so that form, server
 * and editor agree.
 */
export function issuesOf(
  error: z.core.$ZodError,
  value: unknown,
  settings: readonly Setting[] = [],
): Issue[] {
  return error.issues.map((issue) => {
    if (issue.code === 'unrecognized_keys') return unknownFields(issue);
    const setting = settings.find(({ field }) => issue.path.includes(field));
    const found = issue.path.reduce<unknown>(
      (at, key) =>
        typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined,
      value,
    );
    return {
      path: issue.path.map(String).join('.'),
      expected: setting ? expectation(setting.control) : expectedBy(issue),
      // A string that is too long is reported by its length: it may be a text, and its beginning explains nothing.
      found:
        isTooLong(issue) && typeof found === 'string' ? String(found.length) : foundAt(issue.path, found),
    };
  });
}

/** Never the value of a key, whatever its type: an error may be logged. */
const foundAt = (path: readonly PropertyKey[], value: unknown): string =>
  path.includes('api_key') && typeof value === 'object' && value !== null
    ? 'an object or an array'
    : shown(value);

const isTooLong = (issue: z.core.$ZodIssue): boolean => issue.code === 'too_big' && issue.origin === 'string';

/** Names the fields without their values, because one may be a key. */
function unknownFields({ path, keys }: z.core.$ZodIssueUnrecognizedKeys): Issue {
  const names = keys.slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_FOUND_CHARS));
  return { path: [...path.map(String), names.join(', ')].join('.'), expected: 'no such field', found: 'one' };
}

/**
 * Returns a check of settings: all issues by the schema, and for valid values those of `more`. No issues where the
 * settings may be sent.
 */
export const settingsCheck =
  <S extends z.ZodMiniType>(
    schema: S,
    settings: readonly Setting[],
    more: (value: z.output<S>) => Issue[] = () => [],
  ) =>
  (value: unknown): Issue[] => {
    const parsed = schema.safeParse(value);
    return parsed.success ? more(parsed.data) : issuesOf(parsed.error, value, settings);
  };

/** As {@link settingsCheck}, where no setting is required. */
export const partialCheck = (
  settings: readonly Setting[],
  more: (value: Readonly<Record<string, unknown>>) => Issue[] = () => [],
) =>
  settingsCheck(
    z.partial(z.looseObject(Object.fromEntries(settings.map(({ field, schema }) => [field, schema])))),
    settings,
    more,
  );

function expectedBy(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPE_WORDS[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return issue.values.length === 1
        ? JSON.stringify(issue.values[0])
        : `one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_big':
      return `at most ${issue.maximum}${UNITS[issue.origin] ?? ''}`;
    case 'too_small':
      return `at least ${issue.minimum}${UNITS[issue.origin] ?? ''}`;
    case 'invalid_union':
      return 'another form';
    default:
      return issue.message;
  }
}

const UNITS: Partial<Record<string, string>> = { string: ' characters', array: ' entries' };

const TYPE_WORDS: Partial<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
};
