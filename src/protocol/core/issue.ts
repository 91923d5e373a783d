import { expectation, type Setting } from './settings.ts';
import type { z } from './zod.ts';

/** One thing wrong with a value from outside: where, what was expected, what was found. */
export interface Issue {
  /** Dotted path from the frame's root; empty for the frame itself. */
  path: string;
  expected: string;
  found: string;
}

/** Longest excerpt of a wrong value that an error repeats: enough to recognise it, too little to carry a text away. */
const MAX_FOUND_CHARS = 60;

/** The sentence that people read. */
export const describeIssue = (issue: Issue): string =>
  `${issue.path === '' ? 'the frame' : issue.path}: expected ${issue.expected}, got ${issue.found}`;

/** A short, safe rendering of any value. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value) && value.length > 8) return `a list of ${value.length}`;
  let text: string;
  try {
    text = JSON.stringify(value) ?? typeof value;
  } catch {
    text = typeof value;
  }
  return text.length > MAX_FOUND_CHARS ? `${text.slice(0, MAX_FOUND_CHARS)}…` : text;
}

/**
 * Turns zod's findings into issues in the house's words. Where the field is a described setting, the expectation
 * comes from its control, so that form, server and editor say the same.
 */
export function issuesOf(error: z.ZodError, value: unknown, settings: readonly Setting[] = []): Issue[] {
  return error.issues.map((issue) => {
    const setting = settings.find((candidate) => candidate.field === String(issue.path[0]));
    const found = issue.path.reduce<unknown>(
      (at, key) =>
        typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined,
      value,
    );
    return {
      path: issue.path.map(String).join('.'),
      expected: setting ? expectation(setting.control) : expectedBy(issue),
      // What is too long is told by its length: it may be a text, and its beginning explains nothing.
      found: issue.code === 'too_big' && typeof found === 'string' ? String(found.length) : shown(found),
    };
  });
}

function expectedBy(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPE_WORDS[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return issue.values.length === 1
        ? JSON.stringify(issue.values[0])
        : `one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_big':
      return issue.origin === 'string'
        ? `at most ${issue.maximum} characters`
        : `at most ${issue.maximum}${issue.origin === 'array' ? ' entries' : ''}`;
    case 'too_small':
      return issue.origin === 'string'
        ? `at least ${issue.minimum} characters`
        : `at least ${issue.minimum}${issue.origin === 'array' ? ' entries' : ''}`;
    case 'invalid_union':
      return 'another form';
    default:
      return issue.message;
  }
}

const TYPE_WORDS: Partial<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
};
