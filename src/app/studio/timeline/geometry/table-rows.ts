import { MARKS, type TimelineData } from '../marks.ts';
import { type ListedSpan, SPANS } from '../spans.ts';
import type { TimelineSpeaker } from './figures.ts';

const CONNECTION = { id: null, name: 'connection', hue: null };

/** Returns the newest `most` items of all lanes as rows, in the order of time. Rows of the connection have no hue. */
export function tableRows(speakers: readonly TimelineSpeaker[], data: TimelineData, most: number) {
  const rows = [...speakers, CONNECTION].flatMap(({ id, name: speaker, hue }) => {
    const spans = id === null ? [] : SPANS.flatMap(({ listed }) => listed?.(id, data, most) ?? []);
    return [...spans, ...listedMarks(id, data, most)].map(({ key, what, span, detail }) => {
      const { fromMs, toMs = null } = span;
      // A row without an end is one moment, or a span that goes on.
      const end = Number.isFinite(toMs) ? toMs : null;
      return { key: `${id ?? speaker} ${what} ${key}`, speaker, hue, what, fromMs, toMs: end, detail };
    });
  });
  rows.sort((a, b) => a.fromMs - b.fromMs);
  return { rows: rows.slice(-most), hasMore: rows.length > most };
}

/** Marks of one kind at one moment are one row: a barge-in ends several turns, and faults may strike at once. */
const listedMarks = (context: string | null, data: TimelineData, most: number): ListedSpan[] =>
  MARKS.flatMap(({ kind, what, isOfConnection, detail }) => {
    if (what === undefined || (context === null && !isOfConnection)) return [];
    const latest = data.marks.latest(context, kind, most);
    const moments = [...new Set(latest.map(({ atMs }) => atMs))];
    return moments.map((fromMs) => {
      const together = latest.filter(({ atMs }) => atMs === fromMs);
      return { key: fromMs, what, span: { fromMs }, detail: detail?.(together, data) ?? '' };
    });
  });
