import type { Issue } from './issue.ts';

/**
 * Stands where a key does: in templates, and in whatever the recorder has kept. The session worker puts the key in its
 * place when the frame leaves, so that the page never holds a frame with a key in it.
 */
export const KEY_PLACEHOLDER = '[key]';

/** A message that the client may send, ready to be changed by hand. */
export interface FrameTemplate {
  /** Unique within the endpoint. */
  id: string;
  title: string;
  /** One sentence: what it does. */
  about: string;
  frame: Readonly<Record<string, unknown>>;
}

/**
 * Everything that breaks a rule in one text message on its own: JSON first, then what `check` finds in the object. What
 * depends on the frames before it is the linter's affair.
 */
export function frameIssues(text: string, check: (frame: object) => Issue[]): Issue[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [noObject(text.trim() === '' ? 'nothing' : 'text that is no JSON')];
  }
  if (typeof value !== 'object' || value === null)
    return [noObject(value === null ? 'null' : `a ${typeof value}`)];
  return Array.isArray(value) ? [noObject('a list')] : check(value);
}

const noObject = (found: string): Issue => ({ path: '', expected: 'a JSON object', found });
