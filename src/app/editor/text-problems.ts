import { nodeAt, readJsonTree, spanOf, topFieldsOf } from '#lib/json-text.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { describeIssue, type Issue } from '#protocol/core/issue.ts';
import type { TextRange } from '#text/script.ts';
import { isSettings } from './settings-text.ts';

/** A mark on a text in an editor: what is wrong or worth knowing, and where. */
export interface TextProblem {
  span: TextRange;
  severity: 'error' | 'info';
  message: string;
}

/** Returns the problems of a config text; see {@link jsonProblems}. */
export function problemsOf(
  text: string,
  rules: Pick<Endpoint, 'settings' | 'checkSettings' | 'reservedFields'>,
): TextProblem[] {
  const known = new Set(rules.settings.map(({ field }) => field));
  return jsonProblems(
    text,
    (value) =>
      isSettings(value) ? rules.checkSettings(value) : 'expected an object: fields between { and }',
    (field) => {
      if (known.has(field)) return null;
      return rules.reservedFields.includes(field)
        ? 'filled in by the page, a key from the field Key; not kept from here'
        : 'unknown, sent as written and ignored by the server';
    },
  );
}

/**
 * Returns the problems of a JSON text in order of place: bad syntax alone, else what the check finds, repeated fields and
 * remarks on fields.
 * @param check issues with their paths, or one message on the whole
 */
export function jsonProblems(
  text: string,
  check: (value: unknown) => readonly Issue[] | string,
  remarkOn: (field: string) => string | null,
): TextProblem[] {
  const tree = readJsonTree(text);
  if (!tree.ok) {
    return [{ span: visible(tree.problem.span, text), severity: 'error', message: tree.problem.message }];
  }
  const found = check(tree.value);
  if (typeof found === 'string') return [{ span: spanOf(tree.root), severity: 'error', message: found }];
  const problems = found.map(
    (issue): TextProblem => ({
      span: spanOf(nodeAt(tree.root, issue.path)),
      severity: 'error',
      message: describeIssue(issue),
    }),
  );
  const fields = topFieldsOf(tree.root);
  const last = new Map(fields.map(({ key }, at) => [key, at]));
  for (const [at, { key, span }] of fields.entries()) {
    // `JSON.parse` takes the last; other parsers may not.
    const remark = last.get(key) === at ? remarkOn(key) : 'written again below, which counts';
    if (remark !== null) problems.push({ span, severity: 'info', message: `${key}: ${remark}` });
  }
  return problems.sort((a, b) => a.span.from - b.span.from);
}

/** Widens an empty range to one character, so that its mark is visible. */
function visible({ from, to }: TextRange, text: string): TextRange {
  if (to > from || text.length === 0) return { from, to };
  return from < text.length ? { from, to: from + 1 } : { from: text.length - 1, to: text.length };
}
