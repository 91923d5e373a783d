import type { Frame } from '#protocol/core/endpoint.ts';
import { isSecretName, KEY_MARK } from '#recordings/format/named-secrets.ts';

/**
 * Matches each string of a JSON text in order, with the mark as its value where it is the name of a field. A string
 * without an end matches to the end of the text, so that each character is read once.
 */
const STRINGS = new RegExp(
  `"([^"\\\\]*(?:\\\\[\\s\\S][^"\\\\]*)*)(?:"(\\s*:\\s*)("${KEY_MARK.replace(/[[\]]/g, '\\$&')}")|"|\\\\?$)`,
  'g',
);

/**
 * Returns a frame written by hand with the key in place of its mark, in fields whose name marks a secret. The mark in
 * spoken text stays.
 */
export function withKey(frame: Frame, key: string): Frame {
  if (typeof frame !== 'string' || !frame.includes(KEY_MARK)) return frame;
  return frame.replace(STRINGS, (whole, name: string, colon?: string, mark?: string) =>
    mark !== undefined && isSecretName(name) ? `"${name}"${colon}${JSON.stringify(key)}` : whole,
  );
}
