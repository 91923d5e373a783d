import { type JsonNode, nodeAt, readJsonTree } from '#lib/json-text.ts';
import type { Endpoint, Settings } from '#protocol/core/endpoint.ts';
import { describeIssue, type Issue } from '#protocol/core/issue.ts';
import type { TextRange } from '#text/script.ts';
import { parseSettings } from './settings-text.ts';

/** A mark on a text in an editor: what is wrong or worth knowing, and where. */
export interface TextProblem {
  span: TextRange;
  severity: 'error' | 'info';
  message: string;
}

type Rules = Pick<Endpoint, 'settings' | 'checkSettings' | 'reservedFields'>;

/** Returns the problems of a config text in order of place: bad syntax alone, else bad values, repeated and unknown fields. */
export function problemsOf(text: string, rules: Rules): TextProblem[] {
  const parsed = parseSettings(text);
  if (!parsed.ok) {
    return [{ span: visible(parsed.problem.span, text), severity: 'error', message: parsed.problem.message }];
  }
  const map = readJsonTree(text);
  if (!map.ok) return [];
  const problems = rules.checkSettings(parsed.settings).map(
    (issue): TextProblem => ({
      span: nodeAt(map.root, issue.path).span,
      severity: 'error',
      message: describeIssue(issue),
    }),
  );
  return [...problems, ...fieldProblems(map.root, rules)].sort((a, b) => a.span.from - b.span.from);
}

function fieldProblems(root: JsonNode, rules: Rules): TextProblem[] {
  if (root.kind !== 'object') return [];
  const known = new Set(rules.settings.map((setting) => setting.field));
  return root.members.flatMap((member, index): TextProblem[] => {
    const repeated = root.members.some((later, place) => place > index && later.key === member.key);
    const message = repeated
      ? 'written again below, which counts'
      : known.has(member.key)
        ? null
        : rules.reservedFields.includes(member.key)
          ? 'filled in by the page, a key from the field Key; not kept from here'
          : 'unknown, sent as written and ignored by the server';
    if (message === null) return [];
    return [{ span: member.keySpan, severity: 'info', message: `${member.key}: ${message}` }];
  });
}

/** Widens an empty range to one character, so that its mark is visible. */
function visible({ from, to }: TextRange, text: string): TextRange {
  if (to > from || text.length === 0) return { from, to };
  return from < text.length ? { from, to: from + 1 } : { from: text.length - 1, to: text.length };
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

/** Line of a place, counted from 1. */
export const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;
