import { nodeAt, readJsonTree, spanOf } from '#lib/json-text.ts';
import type { Severity } from '#protocol/core/rule.ts';
import type { FieldMark } from '../findings/field-marks.ts';

/** A longer text is shown without its marks. */
const MAX_CHARS = 200_000;

/** Returns the first `length` characters of a text, cut at the values of marked fields. Other parts have no severity. */
export function markedText(text: string, marks: readonly FieldMark[], length: number) {
  const parts: { from: number; text: string; severity: Severity | null }[] = [];
  let at = 0;
  const add = (to: number, severity: Severity | null): void => {
    const end = Math.min(to, length);
    if (end > at) parts.push({ from: at, text: text.slice(at, end), severity });
    at = Math.max(at, end);
  };
  for (const { from, to, severity } of spansOf(text, marks)) {
    // A field within one that is marked is marked with it.
    if (from < at) continue;
    add(from, null);
    add(to, severity);
  }
  add(length, null);
  return parts;
}

function spansOf(text: string, marks: readonly FieldMark[]) {
  if (marks.length === 0 || text.length > MAX_CHARS) return [];
  const map = readJsonTree(text);
  if (!map.ok) return [];
  return marks
    .flatMap(({ path, severity }) => {
      const node = nodeAt(map.root, path);
      // The path of a missing field ends at the object that lacks it.
      const isThere = path !== '' && node !== nodeAt(map.root, path.split('.').slice(0, -1).join('.'));
      return isThere ? [{ ...spanOf(node), severity }] : [];
    })
    .sort((a, b) => a.from - b.from);
}
