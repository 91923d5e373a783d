import { createHash } from 'node:crypto';
import type { VoiceCatalogue } from './voice-catalogue.ts';
import type { Voice } from './voices.ts';

interface VendorIds {
  /** Public voices of the vendor under whose ids local voices speak, by name, so that one id works at both. */
  exampleVoices: Readonly<Record<string, string>>;
  /** Makes an id in the vendor's form. */
  form(digest: Buffer): string;
}

/** The voices of the catalogue by a vendor's ids, which are the same on every server. */
export class VoiceIds {
  readonly all: readonly Voice[];
  readonly #catalogue: VoiceCatalogue;
  readonly #form: VendorIds['form'];
  readonly #public: ReadonlyMap<string, string>;
  readonly #byId: ReadonlyMap<string, Voice>;

  constructor(catalogue: VoiceCatalogue, { exampleVoices, form }: VendorIds) {
    this.#catalogue = catalogue;
    this.all = catalogue.all;
    this.#form = form;
    this.#public = new Map(Object.entries(exampleVoices).map(([name, id]) => [name.toLowerCase(), id]));
    this.#byId = new Map(catalogue.all.map((voice) => [this.idOf(voice), voice]));
  }

  idOf({ handle }: Pick<Voice, 'handle'>): string {
    return this.#public.get(handle) ?? this.#form(createHash('sha256').update(handle).digest());
  }

  /** A voice by id; also by handle, name or number of the local catalogue. */
  find(id: string): Voice | undefined {
    return this.#byId.get(id) ?? this.#catalogue.find(id) ?? this.#catalogue.find(id.toLowerCase());
  }
}
