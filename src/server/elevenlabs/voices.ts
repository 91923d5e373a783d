import { createHash } from 'node:crypto';
import { elevenLabsStream } from '#protocol/elevenlabs/stream.ts';
import type { VoiceCatalogue } from '../speech/voices/voice-catalogue.ts';
import type { Voice } from '../speech/voices/voices.ts';

/** Public voices of the vendor under whose ids local voices speak, by handle, so that one id works at both. */
const PREMADE: ReadonlyMap<string, string> = new Map(
  Object.entries(elevenLabsStream.exampleVoices).map(([name, id]) => [name.toLowerCase(), id]),
);

const ID_CHARS = 20;

/** An id in the vendor's form, the same on every server. */
const derivedId = (handle: string): string =>
  createHash('sha256')
    .update(handle)
    .digest('base64')
    .replace(/[^\dA-Za-z]/g, '')
    .slice(0, ID_CHARS);

/** The voices of the catalogue by the vendor's ids. */
export class VoiceIds {
  readonly all: readonly Voice[];
  readonly #catalogue: VoiceCatalogue;
  readonly #byId: ReadonlyMap<string, Voice>;

  constructor(catalogue: VoiceCatalogue) {
    this.#catalogue = catalogue;
    this.all = catalogue.all;
    this.#byId = new Map(catalogue.all.map((voice) => [this.idOf(voice), voice]));
  }

  idOf({ handle }: Pick<Voice, 'handle'>): string {
    return PREMADE.get(handle) ?? derivedId(handle);
  }

  /** A voice by id; also by handle, name or number of the local catalogue. */
  find(id: string): Voice | undefined {
    return this.#byId.get(id) ?? this.#catalogue.find(id) ?? this.#catalogue.find(id.toLowerCase());
  }
}
