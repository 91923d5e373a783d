import type { Frame } from '#protocol/core/endpoint.ts';
import { isSecretName, KEY_MARK } from '#recordings/format/named-secrets.ts';

/**
 * Each string of a JSON text, one after the other, with the mark as its value where it is the name of a field. A string
 * without an end takes the rest, so that every character is looked at once.
 */
const STRINGS = new RegExp(
  `"([^"\\\\]*(?:\\\\[\\s\\S][^"\\\\]*)*)(?:"(\\s*:\\s*)("${KEY_MARK.replace(/[[\]]/g, '\\$&')}")|"|\\\\?$)`,
  'g',
);

/**
 * A frame written by hand as it goes onto the wire: as it is, but with the key where the mark stands for it, in fields
 * that carry a secret by their name. Text to speak that happens to hold the mark stays what it is.
 */
export function withKey(frame: Frame, key: string): Frame {
  if (typeof frame !== 'string' || !frame.includes(KEY_MARK)) return frame;
  return frame.replace(STRINGS, (whole, name: string, colon?: string, mark?: string) =>
    mark !== undefined && isSecretName(name) ? `"${name}"${colon}${JSON.stringify(key)}` : whole,
  );
}
