import type { Endpoint, Settings } from '#protocol/core/endpoint.ts';
import { describeIssue, type Issue } from '#protocol/core/issue.ts';
import { type JsonNode, mapJson, nodeAt, type Span } from './json-map.ts';
import { parseSettings } from './settings-text.ts';

/** One thing to know about the config text, at its place. */
export interface Finding {
  span: Span;
  severity: 'error' | 'info';
  message: string;
}

type Rules = Pick<Endpoint, 'settings' | 'checkSettings' | 'reservedFields'>;

/** Everything to mark in a config text, in order of place: bad syntax alone, else bad values, doubled and unknown fields. */
export function findingsOf(text: string, rules: Rules): Finding[] {
  const parsed = parseSettings(text);
  if (!parsed.ok) {
    return [{ span: visible(parsed.problem.span, text), severity: 'error', message: parsed.problem.message }];
  }
  const map = mapJson(text);
  if (!map.ok) return [];
  const findings = rules.checkSettings(parsed.settings).map(
    (issue): Finding => ({
      span: nodeAt(map.root, issue.path).span,
      severity: 'error',
      message: describeIssue(issue),
    }),
  );
  return [...findings, ...fieldFindings(map.root, rules)].sort((a, b) => a.span.from - b.span.from);
}

function fieldFindings(root: JsonNode, rules: Rules): Finding[] {
  if (root.kind !== 'object') return [];
  const known = new Set(rules.settings.map((setting) => setting.field));
  return root.members.flatMap((member, index): Finding[] => {
    const repeated = root.members.some((later, place) => place > index && later.key === member.key);
    if (repeated) {
      return [
        {
          span: member.keySpan,
          severity: 'info',
          message: `${member.key}: written again below, which counts`,
        },
      ];
    }
    if (known.has(member.key)) return [];
    if (rules.reservedFields.includes(member.key)) {
      return [
        {
          span: member.keySpan,
          severity: 'info',
          message: `${member.key}: filled in by the page, a key from the field Key; not kept from here`,
        },
      ];
    }
    return [
      {
        span: member.keySpan,
        severity: 'info',
        message: `${member.key}: unknown, sent as written and ignored by the server`,
      },
    ];
  });
}

/** At least one character wide, so that a mark at the very end can be seen. */
function visible({ from, to }: Span, text: string): Span {
  if (to > from || text.length === 0) return { from, to };
  return from < text.length ? { from, to: from + 1 } : { from: text.length - 1, to: text.length };
}

/** The first issue of a field or of something inside it. */
export const issueOf = (field: string, issues: readonly Issue[]): Issue | undefined =>
  issues.find((issue) => issue.path === field || issue.path.startsWith(`${field}.`));

/** Issues of the frame as a whole and of fields that the form has no row for. */
export const otherIssues = (issues: readonly Issue[], fields: ReadonlySet<string>): Issue[] =>
  issues.filter((issue) => !fields.has(issue.path.split('.')[0] ?? ''));

/** Fields that are sent although the endpoint does not know them. */
export const unknownFields = (settings: Settings, fields: ReadonlySet<string>): string[] =>
  Object.keys(settings).filter((field) => settings[field] !== undefined && !fields.has(field));

/** Line of a place, counted from 1. */
export const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;
