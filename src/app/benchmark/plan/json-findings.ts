import type { PlanProblem } from '#benchmark/read-plan.ts';
import { offsetOfPath } from '#lib/json-text.ts';
import type { TextProblem } from '../../editor/text-problems.ts';

/** Locates problems of a plan in its text, each from its value to the end of the line. */
export function jsonFindings(text: string, problems: readonly PlanProblem[]): TextProblem[] {
  return problems.map(({ path, message }) => {
    const from = path === '' ? brokenAt(text, message) : offsetOfPath(text, keysOf(path));
    const lineEnd = text.indexOf('\n', from);
    const to = Math.max(from + 1, lineEnd < 0 ? text.length : lineEnd);
    return { span: { from, to: Math.min(to, text.length) }, severity: 'error', message };
  });
}

/** A syntax error names its place by line and column. */
function brokenAt(text: string, message: string): number {
  const [, line = '1', column = '1'] = /^Line (\d+), column (\d+)/.exec(message) ?? [];
  const before = text.split('\n').slice(0, Number(line) - 1);
  const start = before.reduce((sum, each) => sum + each.length + 1, 0);
  return Math.min(Math.max(0, text.length - 1), start + Number(column) - 1);
}

/** Splits `configurations[1].settings.voice_id` into keys. */
const keysOf = (path: string): (string | number)[] =>
  [...path.matchAll(/\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|([^.[\]]+)/g)].map(([, index, quoted, plain]) =>
    index === undefined ? (plain ?? quoted ?? '') : Number(index),
  );
