import type { Direction } from '#trace/entry.ts';
import type { FrameIndex } from '../store/frame-index.ts';

/** Selects entries of a recording. A missing field matches everything; a list matches any of its values. */
export interface Filter {
  directions?: readonly Direction[];
  kinds?: readonly string[];
  /** null: entries that belong to no context. */
  contexts?: readonly (string | null)[];
  /** null: entries that belong to no turn. */
  turns?: readonly (number | null)[];
  /** Chunks count anew in each turn. */
  chunks?: readonly number[];
  connections?: readonly number[];
  /** Entries with a problem as their kind, and entries with findings. */
  problemsOnly?: boolean;
  /** Advice does not count as a problem. */
  withoutAdvice?: boolean;
}

/** Adds the indexes of entries `from` to `to` (exclusive) that pass the filter, in order. */
export function addMatches(
  { problemsOnly = false, withoutAdvice = false, ...values }: Filter,
  index: FrameIndex,
  from: number,
  to: number,
  matches: number[],
): void {
  const directions = among(values.directions);
  const kinds = among(values.kinds);
  const contexts = among(values.contexts);
  const turns = among(values.turns);
  const chunks = among<number | null>(values.chunks);
  const connections = among(values.connections);
  for (let at = from; at < to; at += 1) {
    const head = index.head(at);
    if (
      directions(head.direction) &&
      kinds(head.kind) &&
      contexts(head.context) &&
      turns(head.turn) &&
      chunks(head.chunk) &&
      connections(head.connection) &&
      (!problemsOnly || index.isProblem(at) || index.hasFinding(at, !withoutAdvice))
    )
      matches.push(at);
  }
}

function among<Value>(values: readonly Value[] | undefined): (value: Value) => boolean {
  if (!values) return () => true;
  const wanted = new Set(values);
  return (value) => wanted.has(value);
}
