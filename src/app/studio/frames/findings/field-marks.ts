import type { Finding, Severity } from '#protocol/core/rule.ts';
import { RANK } from '#recordings/store/finding-marks.ts';

export interface FieldMark {
  /** Names joined by dots. */
  path: string;
  severity: Severity;
  note: string;
}

/** Returns the fields of findings, each once, with the worst finding. */
export function fieldMarks(findings: readonly Finding[]): FieldMark[] {
  const marks = new Map<string, FieldMark>();
  for (const { path, severity, message } of findings) {
    if (path === null) continue;
    const known = marks.get(path);
    if (!known || RANK[severity] < RANK[known.severity])
      marks.set(path, { path, severity, note: expectedIn(message) });
  }
  return [...marks.values()];
}

/** Returns the note beside a value: `expected 4800` of `samples: expected 4800, as received, got 4799`. */
function expectedIn(message: string): string {
  const from = message.indexOf('expected ');
  if (from < 0) return message;
  const rest = message.slice(from);
  const to = rest.search(/,? (?:got|which|for) |, (?:as|because) |; /);
  return to < 0 ? rest : rest.slice(0, to).replace(/,$/, '');
}
