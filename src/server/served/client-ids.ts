/** A client that makes up more is beside every recording. */
const MAX_IDS = 10_000;
/** A longer id is mapped to none, so that a client cannot fill the memory. */
const MAX_ID_CHARS = 1000;

/**
 * Ids that a client makes up, mapped to those of a recording in the order of their first use, and back. They are fields of
 * JSON frames, and every other byte of a frame stays.
 */
export class ClientIds {
  readonly #field: RegExp | null;
  /** By field, each as JSON. Recorded ids that no client's id stands for. */
  readonly #free = new Map<string, Set<string>>();
  readonly #toRecorded = new Map<string, string>();
  readonly #toClient = new Map<string, string>();

  /**
   * @param fields names of the fields with such ids
   * @param recorded the frames of the recorded client, in their order
   */
  constructor(fields: readonly string[], recorded: Iterable<string | Uint8Array>) {
    // A quote in a text is escaped, so that no text looks like such a field.
    this.#field =
      fields.length === 0
        ? null
        : new RegExp(`("(${fields.join('|')})"\\s*:\\s*)("(?:[^"\\\\]|\\\\.)*")`, 'g');
    for (const frame of recorded) {
      this.#replace(frame, (field, id) => {
        this.#free.set(field, (this.#free.get(field) ?? new Set<string>()).add(id));
        return id;
      });
    }
  }

  /** A frame of the client with the ids of the recording. An id beyond those of the recording stands for none of them. */
  recorded<F extends string | Uint8Array>(frame: F): F {
    return this.#replace(frame, (field, id) => {
      const known = this.#toRecorded.get(`${field} ${id}`);
      if (known !== undefined) return known;
      if (this.#toRecorded.size >= MAX_IDS || id.length > MAX_ID_CHARS) return id;
      const [next] = this.#free.get(field) ?? [];
      if (next !== undefined) this.#free.get(field)?.delete(next);
      let recorded = next ?? id;
      while (this.#toClient.has(`${field} ${recorded}`)) recorded = recorded.replace(/"$/, '+"');
      this.#toRecorded.set(`${field} ${id}`, recorded);
      this.#toClient.set(`${field} ${recorded}`, id);
      return recorded;
    });
  }

  /** A recorded frame with the ids of the client. */
  ofClient<F extends string | Uint8Array>(frame: F): F {
    return this.#replace(frame, (field, id) => this.#toClient.get(`${field} ${id}`) ?? id);
  }

  #replace<F extends string | Uint8Array>(frame: F, replaced: (field: string, id: string) => string): F {
    if (typeof frame !== 'string' || !this.#field) return frame;
    return frame.replace(this.#field, (_, name: string, field: string, written: string) => {
      const id = unescaped(written);
      const other = replaced(withoutSpelling(field), id);
      return name + (other === id ? written : other);
    }) as F;
  }
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
