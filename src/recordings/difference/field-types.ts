import type { Frame } from '#protocol/core/frame.ts';

/** JSON types by the path of the field, such as `.words[].start`; the empty path is the whole frame. */
export type FieldTypes = Map<string, Set<string>>;

/** Further ones are ignored, because a server may name fields by ids. */
const MAX_PATHS = 10_000;
const MAX_LEVELS = 32;

/** Adds the types of a frame to those of others. */
export function typesOf(frame: Frame, types: FieldTypes = new Map()): FieldTypes {
  const value = jsonOf(frame);
  if (value === undefined) addType('', typeof frame === 'string' ? 'text' : 'bytes', types);
  else addTypes(value, '', types, MAX_LEVELS);
  return types;
}

function addTypes(value: unknown, path: string, types: FieldTypes, levels: number): void {
  const isList = Array.isArray(value);
  addType(path, value === null ? 'null' : isList ? 'list' : typeof value, types);
  if (typeof value !== 'object' || value === null || levels === 0) return;
  for (const [name, item] of Object.entries(value)) {
    addTypes(item, isList ? `${path}[]` : `${path}.${name}`, types, levels - 1);
  }
}

function addType(path: string, type: string, types: FieldTypes): void {
  const known = types.get(path);
  if (known) known.add(type);
  else if (types.size < MAX_PATHS) types.set(path, new Set([type]));
}

/** The lines before the data of a server-sent event. */
const EVENT_LINES = /^(?:(?:event|id|retry):.*\n)*data: ?/;

/** Parses a frame, or the data of a server-sent event; undefined for anything but JSON. */
export function jsonOf(frame: Frame): unknown {
  if (typeof frame !== 'string') return undefined;
  try {
    return JSON.parse(frame.replace(EVENT_LINES, ''));
  } catch {
    return undefined;
  }
}
