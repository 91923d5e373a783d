import type { Frame, Intent, Settings } from './endpoint.ts';

/** A client's text message as an object; null where it is none, so that it says nothing. */
export function clientObject(frame: Frame): Settings | null {
  if (typeof frame !== 'string') return null;
  try {
    const value: unknown = JSON.parse(frame);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Settings) : null;
  } catch {
    return null;
  }
}

/** The fields that are not among these names. */
export const without = (fields: Settings, names: ReadonlySet<string>): Settings =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));

/** Those of the intents that the frame has. */
export const intentsIn = (...intents: readonly (Intent | null | false)[]): Intent[] =>
  intents.filter((intent): intent is Intent => intent !== null && intent !== false);

/** A field that holds an object, such as settings inside of settings; null where it does not. */
export const objectIn = (value: unknown): Settings | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Settings) : null;
