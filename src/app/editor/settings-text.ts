import { deepEqual } from '#lib/deep-equal.ts';
import { jsonExcess, TYPED_LIMITS } from '#lib/json-limits.ts';
import type { Settings } from '#protocol/core/endpoint.ts';

/** Converts settings to text and back, so that Form and JSON are two views of one state. */

const MAX_INLINE_CHARS = 60;

/** Formats settings for people: one field a line, short lists on one line. */
function formatSettings(settings: Settings): string {
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

/** Parses settings; null for anything but one JSON object of limited size. `problemsOf` locates the fault. */
export function parseSettings(text: string): Settings | null {
  if (jsonExcess(text, TYPED_LIMITS)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isSettings(value) ? value : null;
  } catch {
    return null;
  }
}

export const isSettings = (value: unknown): value is Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export interface JsonDraft {
  text: string;
  settings: Settings;
}

/** Returns the text of settings. A draft stays as typed until the settings change elsewhere. */
export function settingsText(settings: Settings, draft: JsonDraft | null): string {
  return draft && deepEqual(draft.settings, settings) ? draft.text : formatSettings(settings);
}

/** Returns the draft after typing; an unreadable text keeps the settings. @param reserved fields to drop */
export function jsonDraftOf(text: string, current: Settings, reserved: readonly string[] = []): JsonDraft {
  const parsed = parseSettings(text);
  if (!parsed) return { text, settings: current };
  const kept = Object.entries(parsed).filter(([field]) => !reserved.includes(field));
  return { text, settings: Object.fromEntries(kept) };
}
