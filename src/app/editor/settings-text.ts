import { deepEqual } from '#lib/deep-equal.ts';
import { type JsonRemark, readJsonTree } from '#lib/json-text.ts';
import type { Settings } from '#protocol/core/endpoint.ts';

/** Converts settings to text and back, so that Form and JSON are two views of one state. */

/** Longest list that is written on one line. */
const MAX_INLINE_CHARS = 60;

/** Formats settings for people: one field a line, short lists on one line. */
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

/** Reads settings from text. Anything but one JSON object is a problem with its position. */
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

/** JSON as typed, and the settings that it stands for. */
export interface JsonDraft {
  text: string;
  settings: Settings;
}

/**
 * Returns the text to show for settings. A draft stays as typed, spaces and mistakes included, until the settings
 * change elsewhere.
 */
export function settingsText(settings: Settings, draft: JsonDraft | null): string {
  return draft && deepEqual(draft.settings, settings) ? draft.text : formatSettings(settings);
}

/**
 * Returns the draft after typing. It stands for the settings in the text, or for the current ones if it is unreadable.
 * @param reserved fields that are no settings, such as an API key pasted with the rest; they are dropped
 */
export function jsonDraftOf(text: string, current: Settings, reserved: readonly string[] = []): JsonDraft {
  const parsed = parseSettings(text);
  if (!parsed.ok) return { text, settings: current };
  const kept = Object.entries(parsed.settings).filter(([field]) => !reserved.includes(field));
  return { text, settings: Object.fromEntries(kept) };
}
