import type { JsonLimits } from '#lib/json-limits.ts';
import { type JsonProblem, lineAndColumn, offsetOfPath, pathText, readJson } from '#lib/json-text.ts';
import { issuesOf } from '#protocol/core/issue.ts';
import type { z } from '#protocol/core/zod.ts';
import { ImportError } from './import-error.ts';

/** Parses a JSON text within limits. @throws ImportError, its lines counted from `firstLine` */
export function parseJson(text: string, limits: JsonLimits, firstLine = 1): unknown {
  const reading = readJson(text, limits);
  if (reading.ok) return reading.value;
  throw located(text, reading.problem, firstLine);
}

/** The first fault of a value, without its place in a text. */
export interface ValueFault {
  path: readonly PropertyKey[];
  expected: string;
  found: string;
}

/** Validates a value. @param base path from the root of its text to the value */
export function fitting<S extends z.ZodMiniType>(
  schema: S,
  value: unknown,
  base: readonly PropertyKey[] = [],
): { data: z.output<S> } | { fault: ValueFault } {
  const parsed = schema.safeParse(value);
  if (parsed.success) return { data: parsed.data };
  const [issue] = issuesOf(parsed.error, value);
  const [fault] = parsed.error.issues;
  const unknown = fault?.code === 'unrecognized_keys' ? fault.keys.slice(0, 1) : [];
  const path = [...base, ...(fault?.path ?? []), ...unknown];
  return { fault: { path, expected: issue?.expected ?? 'another form', found: issue?.found ?? 'this' } };
}

/**
 * Validates a value that was parsed from this text.
 * @param base path from the text's root to the value
 * @throws ImportError
 */
export function checked<S extends z.ZodMiniType>(
  schema: S,
  value: unknown,
  text: string,
  firstLine = 1,
  base: readonly PropertyKey[] = [],
): z.output<S> {
  const read = fitting(schema, value, base);
  if ('data' in read) return read.data;
  const { path, expected, found } = read.fault;
  throw wrongAt(text, path, expected, found, firstLine);
}

/** An error about the value at this path of the text. */
export const wrongAt = (
  text: string,
  path: readonly PropertyKey[],
  expected: string,
  found: string,
  firstLine = 1,
): ImportError =>
  located(text, { offset: offsetOfPath(text, path), path: pathText(path), expected, found }, firstLine);

function located(text: string, problem: Omit<JsonProblem, 'span'>, firstLine: number): ImportError {
  const { line, column } = lineAndColumn(text, problem.offset);
  const place = { line: firstLine + line - 1, column, path: problem.path };
  return new ImportError(place, problem.expected, problem.found);
}
