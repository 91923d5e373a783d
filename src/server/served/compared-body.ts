import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { MIMEType } from 'node:util';
import { yieldIfLong } from '#lib/loop-slice.ts';
import { isFields, MAX_MESSAGE_BYTES, parseBounded } from '#protocol/core/json-frame.ts';
import { beginningWords } from '#trace/client-steps.ts';
import { isSecretName, KEY_MARK, withoutNamedSecrets } from '#trace/secrets/named-secrets.ts';
import { addToDigest } from './added-digest.ts';
import { type FormPart, formParts } from './form-parts.ts';

/** JSON of more values is compared as text, because it takes long to parse and to compare. */
const MAX_VALUES = 10_000;
/** A longer body that is no form is compared by its bytes, as a capture records no longer text. */
const MAX_TEXT_BYTES = MAX_MESSAGE_BYTES;
/** So is a longer value of a form, such as a file. */
const MAX_VALUE_BYTES = 64 * 1024;
/** So is a longer part, because a form has up to a thousand. */
const MAX_PART_CHARS = 1000;
const MAX_KEY_CHARS = 200;

/** A body for comparison. */
export interface ComparedBody {
  /** The same for bodies that mean the same: JSON in any spelling and order, other text and forms without keys. */
  key: string;
  /** Its beginning, for people; empty for no body. */
  words: string;
}

/** Reads a body for comparison, in time linear in its bytes. @param type its content type */
export async function comparedBody(bytes: Buffer, type: string): Promise<ComparedBody> {
  const form = formParts(bytes, boundaryOf(type));
  if (form) {
    const parts: string[] = [];
    for (const part of form) parts.push(await comparedPart(part));
    return bodyOf(JSON.stringify(parts));
  }
  if (bytes.length > MAX_TEXT_BYTES) return bodyOf(JSON.stringify(await digestOf(bytes)));
  const text = textOf(bytes);
  if (type.startsWith('application/x-www-form-urlencoded'))
    return bodyOf(JSON.stringify(withoutNamedSecrets(`?${text}`).slice(1)));
  const clean = withoutNamedSecrets(text);
  await yieldIfLong();
  const parsed = parseBounded(clean, MAX_VALUES);
  if (!('fields' in parsed)) return bodyOf(JSON.stringify(clean));
  await yieldIfLong();
  return {
    key: await keyOf(JSON.stringify(sorted(parsed.fields))),
    words: beginningWords(JSON.stringify(parsed.fields)),
  };
}

const bodyOf = async (json: string): Promise<ComparedBody> => ({
  key: await keyOf(json),
  words: json === '""' ? '' : beginningWords(json),
});

/** A recording may have thousands of calls, whose bodies are kept already. */
async function keyOf(json: string): Promise<string> {
  if (json.length <= MAX_KEY_CHARS) return json;
  const digest = createHash('sha256');
  await addToDigest(digest, json);
  return digest.digest('base64url');
}

async function comparedPart({ name, head, value }: FormPart): Promise<string> {
  await yieldIfLong();
  const shown = withoutNamedSecrets(textOf(head));
  if (isSecretName(name)) return shown + KEY_MARK;
  if (value.length > MAX_VALUE_BYTES) return shown + (await digestOf(value));
  const text = shown + withoutNamedSecrets(textOf(value));
  return text.length > MAX_PART_CHARS ? digestOf(text) : text;
}

/** Other bytes than UTF-8 would all become the same character. */
const textOf = (bytes: Buffer): string => bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');

async function digestOf(payload: string | Uint8Array): Promise<string> {
  const digest = createHash('sha256');
  await addToDigest(digest, payload);
  return `${payload.length} bytes ${digest.digest('base64url')}`;
}

/** A value with the fields of its objects in order. `parseBounded` bounds its depth. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isFields(value)) return value;
  const fields = Object.keys(value)
    .sort()
    .map((name) => [name, sorted(value[name])] as const);
  // As pairs, because an object puts names of digits first, and `__proto__` nowhere.
  return { fields };
}

/** Null for another type than a form of parts. */
function boundaryOf(type: string): string | null {
  try {
    const { type: kind, params } = new MIMEType(type);
    return kind === 'multipart' ? params.get('boundary') : null;
  } catch {
    return null;
  }
}
