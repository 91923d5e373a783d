import { getLocation } from 'jsonc-parser';
import { endOfString, jsonExcess, TYPED_LIMITS } from '#lib/json-limits.ts';
import { halfInJson } from '#lib/text/halves.ts';
import type { Endpoint, Protocol } from '#protocol/core/endpoint.ts';
import { jsonProblems, type TextProblem } from '../../../editor/text-problems.ts';

export interface FrameField {
  name: string;
  /** One sentence. */
  about: string;
  /** Values to offer, as JSON. */
  values: readonly string[];
}

/** Returns every field of the endpoint's settings and templates, at any place in a frame, settings first. */
export function frameFields(
  { settings, contexts }: Pick<Endpoint, 'settings' | 'contexts'>,
  { templates }: Pick<Protocol, 'templates'>,
): FrameField[] {
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
      // A setting already lists all of its values.
      else if (!settings.some(({ field }) => field === name))
        fields.set(name, { ...known, values: [...new Set([...known.values, ...example])] });
      if (typeof value === 'object' && value !== null) add({ ...value }, about);
    }
  };
  for (const { frame, about } of templates) add(frame, about);
  return [...fields.values()];
}

/** Returns completions from `from` on: fields where a name is expected, else values; null without any. */
export function completeFrame(before: string, fields: readonly FrameField[]) {
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

const WORD = /(?<![\w.+-])[\w.+-]*$/;

/** Returns the position at the end of an unfinished JSON text: at a name, or at the value of that name. */
function placeAt(before: string): { from: number; key: string | null } | null {
  if (jsonExcess(before, TYPED_LIMITS)) return null;
  const { path, previousNode: node, isAtPropertyKey } = getLocation(before, before.length);
  const name = path.at(-1);
  // Values in a list have no name, so nothing describes them.
  if (typeof name !== 'string') return null;
  const key = isAtPropertyKey ? null : name;
  const isOpenString = before[node?.offset ?? -1] === '"' && endOfString(before, (node?.offset ?? 0) + 1) < 0;
  if (node && isOpenString) return { from: node.offset, key };
  if (/["}\]]\s*$/.test(before)) return null;
  return { from: before.length - (WORD.exec(before)?.[0].length ?? 0), key };
}

/** Returns the problems of a typed frame, none of which prevents the sending. @param known documented fields */
export function frameFindings(
  text: string,
  { checkFrame }: Pick<Protocol, 'checkFrame'>,
  known: ReadonlySet<string>,
): TextProblem[] {
  const half = halfInJson(text);
  const problems = jsonProblems(
    text,
    () => checkFrame(text),
    (field) => (known.has(field) ? null : 'not a field that is documented here, sent as written'),
  );
  if (half) problems.push({ span: half, severity: 'error', message: HALF_REPLACED });
  return problems.sort((a, b) => a.span.from - b.span.from);
}

/** The session replaces it. */
const HALF_REPLACED = 'half a character, which no frame can hold; sent as U+FFFD';
