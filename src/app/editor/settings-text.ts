import { deepEqual } from '#lib/deep-equal.ts';
import { type JsonRemark, readJsonTree } from '#lib/json-text.ts';
import type { Settings } from '#protocol/core/endpoint.ts';

/** Settings as text and back: the rule that makes Form and JSON two views of one state. */

/** Longest list that is written on one line. */
const MAX_INLINE_CHARS = 60;

/** Settings as a person writes them: a field a line, short lists on one line. */
export function formatSettings(settings: Settings): string {
  const entries = Object.entries(settings).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return '{}';
  const lines = entries.map(([field, value]) => `  ${JSON.stringify(field)}: ${formatValue(value)}`);
  return `{\n${lines.join(',\n')}\n}`;
}

function formatValue(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null)) {
    const inline = `[${value.map((item) => JSON.stringify(item) ?? 'null').join(', ')}]`;
    if (inline.length <= MAX_INLINE_CHARS) return inline;
  }
  return (JSON.stringify(value, null, 2) ?? 'null').replaceAll('\n', '\n  ');
}

export type ParsedSettings = { ok: true; settings: Settings } | { ok: false; problem: JsonRemark };

/** Reads settings from text; anything but one JSON object is a problem with a place. */
export function parseSettings(text: string): ParsedSettings {
  const map = readJsonTree(text);
  if (!map.ok) return map;
  if (map.root.kind !== 'object') {
    return {
      ok: false,
      problem: { message: 'expected an object: fields between { and }', span: map.root.span },
    };
  }
  return { ok: true, settings: JSON.parse(text) as Settings };
}

/** What was typed as JSON, and the settings that stood when it was typed. */
export interface JsonDraft {
  text: string;
  settings: Settings;
}

/**
 * The text to show for the settings. What a person typed stays as typed, with its spaces and even with its mistakes,
 * until the settings become something else than it says.
 */
export function settingsText(settings: Settings, draft: JsonDraft | null): string {
  return draft && deepEqual(draft.settings, settings) ? draft.text : formatSettings(settings);
}

/**
 * A draft after typing: the settings it stands for are those it says, or the last ones that could be read.
 * @param reserved fields that are no settings, such as a key that was pasted with the rest: they are not kept
 */
export function jsonDraftOf(text: string, current: Settings, reserved: readonly string[] = []): JsonDraft {
  const parsed = parseSettings(text);
  if (!parsed.ok) return { text, settings: current };
  const kept = Object.entries(parsed.settings).filter(([field]) => !reserved.includes(field));
  return { text, settings: Object.fromEntries(kept) };
}
