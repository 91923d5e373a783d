import { isUtf8 } from 'node:buffer';
import type { Frame } from '#protocol/core/frame.ts';
import { parseBounded } from '#protocol/core/json-frame.ts';
import { isSecretName, KEY_MARK, withoutNamedSecrets } from '#record/named-secrets.ts';

const BOUNDARY = /boundary="?([^";]+)/;

/** Returns a body for comparison: JSON by its value, other text and bytes as text without keys and without the boundary of a form. */
export function comparedBody(parts: readonly Frame[], type: string): unknown {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  // Other bytes than UTF-8 would all become the same character.
  const text = bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
  if (type.startsWith('application/x-www-form-urlencoded')) return withoutNamedSecrets(`?${text}`).slice(1);
  const boundary = BOUNDARY.exec(type)?.[1];
  if (boundary) return withoutNamedSecrets(text.replaceAll(boundary, '').replace(PART, withoutSecret));
  const clean = withoutNamedSecrets(text);
  const parsed = parseBounded(clean, MAX_VALUES);
  return 'fields' in parsed ? parsed.fields : clean;
}

/** JSON of more values is compared as text, because it takes long to parse and to compare. */
const MAX_VALUES = 100_000;

/** The name of a part of a form, its further headers, and its value. */
const PART = /(; name="([^"\r\n]*)"[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n)([^\r\n]*)/g;
const withoutSecret = (all: string, head: string, name: string): string =>
  isSecretName(name) ? head + KEY_MARK : all;
