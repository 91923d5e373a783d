import { createHash } from 'node:crypto';
import { elevenLabsStream } from '#protocol/elevenlabs/stream.ts';
import type { VoiceCatalogue } from '../speech/voices/voice-catalogue.ts';
import type { Voice } from '../speech/voices/voices.ts';

/** Public voices of the vendor under whose ids local voices speak, by handle, so that one id works at both. */
const PREMADE: ReadonlyMap<string, string> = new Map(
  Object.entries(elevenLabsStream.exampleVoices).map(([name, id]) => [name.toLowerCase(), id]),
);

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_CHARS = 20;

/** An id in the vendor's form, the same on every server. */
function derivedId(handle: string): string {
  let rest = BigInt(`0x${createHash('sha256').update(handle).digest('hex')}`);
  let id = '';
  for (let place = 0; place < ID_CHARS; place += 1) {
    id += DIGITS.charAt(Number(rest % 62n));
    rest /= 62n;
  }
  return id;
}

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
