import { type JsonNode, nodeAt, readJsonTree } from '#lib/json-text.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { describeIssue } from '#protocol/core/issue.ts';
import type { TextRange } from '#text/script.ts';
import type { TextProblem } from '../../../editor/text-problems.ts';

/**
 * What breaks a rule in a text that is to be sent by hand, in order of place: bad syntax alone, else what the endpoint
 * refuses, fields that it does not know, and fields written twice. Nothing here keeps a frame from being sent.
 * @param known names of fields that mean something at the top of a frame
 */
export function frameFindings(
  text: string,
  { checkFrame }: Pick<Endpoint, 'checkFrame'>,
  known: ReadonlySet<string>,
): TextProblem[] {
  const map = readJsonTree(text);
  if (!map.ok) {
    return [{ span: visible(map.problem.span, text), severity: 'error', message: map.problem.message }];
  }
  const issues = checkFrame(text).map(
    (issue): TextProblem => ({
      span: nodeAt(map.root, issue.path).span,
      severity: 'error',
      message: describeIssue(issue),
    }),
  );
  return [...issues, ...fieldFindings(map.root, known)].sort((a, b) => a.span.from - b.span.from);
}

function fieldFindings(root: JsonNode, known: ReadonlySet<string>): TextProblem[] {
  if (root.kind !== 'object') return [];
  const last = new Map(root.members.map(({ key }, at) => [key, at]));
  return root.members.flatMap(({ key, keySpan }, at): TextProblem[] => {
    const message =
      // `JSON.parse` takes the last; other parsers may not.
      last.get(key) !== at
        ? `${key}: written again below, which counts`
        : known.has(key)
          ? null
          : `${key}: not a field that is documented here, sent as written`;
    return message === null ? [] : [{ span: keySpan, severity: 'info', message }];
  });
}

/** At least one character wide, so that a mark at the very end can be seen. */
function visible({ from, to }: TextRange, text: string): TextRange {
  if (to > from || text.length === 0) return { from, to };
  return from < text.length ? { from, to: from + 1 } : { from: text.length - 1, to: text.length };
}
