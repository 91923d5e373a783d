import { madeOnce } from '#lib/collections/maps.ts';
import { ownText } from '#lib/format.ts';
import { endOfString } from '#lib/json-limits.ts';

/** A client that makes up more is beside every recording. */
const MAX_IDS = 10_000;
/** A longer id is mapped to none, so that a client cannot fill the memory. */
const MAX_ID_CHARS = 1000;
/** Of all ids of a client. */
const MAX_ALL_CHARS = 512 * 1024;

/** Ids in a recording that its client made up. All clients of the recording share them. */
export class RecordedIds {
  /** A quote in a text is escaped, so that no text looks like such a field. */
  readonly field: RegExp | null;
  readonly #byField = new Map<string, Set<string>>();
  #ordered: ReadonlyMap<string, readonly string[]> | null = null;

  /** @param fields names of the fields with such ids */
  constructor(fields: readonly string[]) {
    this.field = fields.length === 0 ? null : new RegExp(`"(${fields.join('|')})"\\s*:\\s*"`, 'g');
  }

  /** Takes the next frame of the recorded client. */
  learn(frame: string | Uint8Array): void {
    this.#ordered = null;
    replaced(frame, this.field, (field, id) => {
      madeOnce(this.#byField, field, () => new Set()).add(id);
      return id;
    });
  }

  /** By field, each as JSON, in the order of their first use. */
  get ordered(): ReadonlyMap<string, readonly string[]> {
    this.#ordered ??= new Map([...this.#byField].map(([field, ids]) => [field, [...ids]]));
    return this.#ordered;
  }
}

/**
 * Ids that a client makes up, mapped to those of a recording in the order of their first use, and back. They are fields of
 * JSON frames, and every other byte of a frame stays.
 */
export class ClientIds {
  readonly #recorded: RecordedIds;
  /** Number of recorded ids of a field that have one of the client. */
  readonly #taken = new Map<string, number>();
  readonly #toRecorded = new Map<string, string>();
  readonly #toClient = new Map<string, string>();
  #chars = 0;
  /** Ids with an own mark so far. */
  #marked = 0;

  constructor(recorded: RecordedIds) {
    this.#recorded = recorded;
  }

  /** A frame of the client with the ids of the recording. An id beyond those of the recording stands for none of them. */
  recorded<F extends string | Uint8Array>(frame: F): F {
    return replaced(frame, this.#recorded.field, (field, id) => {
      const known = this.#toRecorded.get(`${field} ${id}`);
      if (known !== undefined) return known;
      const isMapped = this.#toRecorded.size < MAX_IDS && this.#chars + id.length <= MAX_ALL_CHARS;
      if (!isMapped || id.length > MAX_ID_CHARS) return id;
      this.#chars += id.length;
      return this.#map(field, ownText(id));
    });
  }

  #map(field: string, id: string): string {
    const taken = this.#taken.get(field) ?? 0;
    const next = this.#recorded.ordered.get(field)?.[taken];
    if (next !== undefined) this.#taken.set(field, taken + 1);
    let recorded = next ?? id;
    // Counts on, so that a client that foresees the marks makes it try each once.
    for (; this.#toClient.has(`${field} ${recorded}`); this.#marked += 1)
      recorded = id.replace(/"$/, `+${this.#marked}"`);
    this.#toRecorded.set(`${field} ${id}`, recorded);
    this.#toClient.set(`${field} ${recorded}`, id);
    return recorded;
  }

  /** A recorded frame with the ids of the client. */
  ofClient<F extends string | Uint8Array>(frame: F): F {
    return replaced(frame, this.#recorded.field, (field, id) => this.#toClient.get(`${field} ${id}`) ?? id);
  }
}

/** Replaces the ids in a frame, reading each character once. */
function replaced<F extends string | Uint8Array>(
  frame: F,
  field: RegExp | null,
  other: (field: string, id: string) => string,
): F {
  if (typeof frame !== 'string' || !field) return frame;
  const pieces: string[] = [];
  let from = 0;
  field.lastIndex = 0;
  for (let match = field.exec(frame); match; match = field.exec(frame)) {
    const start = field.lastIndex - 1;
    const end = endOfString(frame, start + 1);
    if (end < 0) break;
    const written = frame.slice(start, end + 1);
    const id = unescaped(written);
    const put = other(withoutSpelling(match[1] ?? ''), id);
    if (put !== id) {
      pieces.push(frame.slice(from, start), put);
      from = end + 1;
    }
    field.lastIndex = end + 1;
  }
  return (from === 0 ? frame : [...pieces, frame.slice(from)].join('')) as F;
}

/** A vendor may spell a field in two ways: `turn_name` and `turnName`. */
const withoutSpelling = (field: string): string => field.replaceAll('_', '').toLowerCase();

/** The same id for all ways of writing a string in JSON, because a server writes it in its own way. */
function unescaped(written: string): string {
  if (!written.includes('\\')) return written;
  try {
    return JSON.stringify(JSON.parse(written));
  } catch {
    return written;
  }
}
