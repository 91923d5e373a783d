import type { Endpoint } from '#protocol/core/endpoint.ts';

/** A field that a frame of the endpoint may have. */
export interface FrameField {
  name: string;
  /** One sentence. */
  about: string;
  /** Values to offer, as JSON. */
  values: readonly string[];
}

/** Every field that the endpoint's settings and templates know, at whatever place in a frame, settings first. */
export function frameFields({
  settings,
  contexts,
  templates,
}: Pick<Endpoint, 'settings' | 'contexts' | 'templates'>): FrameField[] {
  const fields = new Map<string, FrameField>();
  for (const { field, explanation, control } of [...settings, ...(contexts?.settings ?? [])]) {
    const values =
      control.kind === 'choice' ? control.values : control.kind === 'switch' ? [true, false] : [];
    fields.set(field, {
      name: field,
      about: explanation,
      values: values.map((value) => JSON.stringify(value)),
    });
  }
  const add = (frame: Readonly<Record<string, unknown>>, about: string): void => {
    for (const [name, value] of Object.entries(frame)) {
      const known = fields.get(name);
      const example = typeof value === 'object' ? [] : [JSON.stringify(value)];
      if (!known) fields.set(name, { name, about, values: example });
      // What a setting may be is said in full by the setting.
      else if (!settings.some(({ field }) => field === name))
        fields.set(name, { ...known, values: [...new Set([...known.values, ...example])] });
      if (typeof value === 'object' && value !== null) add({ ...value }, about);
    }
  };
  for (const { frame, about } of templates) add(frame, about);
  return [...fields.values()];
}

/** A completion at a place. It replaces the text from `from` up to that place. */
export interface Completion {
  from: number;
  options: readonly { label: string; detail: string; insert: string }[];
}

/** Fields where a name is expected, values where one is; null where there is nothing to offer. */
export function completeFrame(before: string, fields: readonly FrameField[]): Completion | null {
  const place = placeAt(before);
  if (place === null) return null;
  if (place.key === null) {
    const options = fields.map(({ name, about }) => ({
      label: name,
      detail: about,
      insert: `${JSON.stringify(name)}: `,
    }));
    return { from: place.from, options };
  }
  const values = fields.find(({ name }) => name === place.key)?.values ?? [];
  const options = values.map((value) => ({ label: value.replaceAll('"', ''), detail: '', insert: value }));
  return options.length > 0 ? { from: place.from, options } : null;
}

const WORD = /[\w.+-]*$/;

/** Position of the end of an unfinished JSON text: at a name, or at the value of that name. */
function placeAt(before: string): { from: number; key: string | null } | null {
  const open: ('{' | '[')[] = [];
  let key: string | null = null;
  let atValue = false;
  let lastString = '';
  for (let at = 0; at < before.length; at += 1) {
    const character = before.charAt(at);
    if (character === '"') {
      const end = endOfString(before, at);
      if (end === null) return open.at(-1) === '{' ? { from: at, key: atValue ? key : null } : null;
      lastString = before.slice(at + 1, end);
      at = end;
    } else if (character === ':') {
      key = lastString;
      atValue = true;
    } else if (character === '{' || character === '[') {
      open.push(character);
      atValue = false;
    } else if (character === '}' || character === ']') {
      open.pop();
      atValue = true;
      key = null;
    } else if (character === ',') atValue = false;
  }
  // Values in a list have no name, so nothing describes them.
  if (open.at(-1) !== '{' || /["}\]]\s*$/.test(before)) return null;
  const from = before.length - (WORD.exec(before)?.[0].length ?? 0);
  if (!atValue) return { from, key: null };
  return key === null ? null : { from, key };
}

/** Index of the closing quote; null where there is none. */
function endOfString(text: string, quote: number): number | null {
  for (let at = quote + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return null;
}
