import { z } from '#protocol/core/zod.ts';
import type { VoiceCatalogue } from '../../speech/voices/voice-catalogue.ts';
import type { Voice } from '../../speech/voices/voices.ts';
import type { DocumentKind } from '../../state/state.ts';
import { countsIds, idFrom, LAST_ID } from './ids.ts';
import {
  type OwnVoice,
  type OwnVoiceFields,
  ownVoiceSchema,
  type SpeakingVoice,
  speakingVoice,
} from './own-voice.ts';

export const MAX_OWN_VOICES = 100;
/** Ids above this are those of created voices. */
const LAST_CATALOGUE_ID = 100_000;
const MAX_HANDLE_CHARS = 60;

const contentSchema = z
  .object({
    /** Ids are never used twice. */
    last_id: idFrom(LAST_CATALOGUE_ID),
    voices: z.readonly(z.array(z.extend(ownVoiceSchema, { id: idFrom(LAST_CATALOGUE_ID + 1) }))),
  })
  .check(countsIds('last_id', ({ voices }) => voices.map(({ id }) => id)));

type Content = z.output<typeof contentSchema>;

type PremadeVoice = Omit<OwnVoice, 'category'> & { readonly category: 'premade' };
/** A voice of the account as the vendor lists it. */
export type ListedVoice = PremadeVoice | OwnVoice;

/** Created voices have other categories. */
export const isPremade = (voice: ListedVoice): voice is PremadeVoice => voice.category === 'premade';

const premade = ({ espeak: _, languages, sampleText, ...voice }: Voice): PremadeVoice => ({
  ...voice,
  generative_voice_description: '',
  supported_languages: languages,
  sample_text: sampleText,
  category: 'premade',
  quality: 'mid',
  is_public: true,
  revision: 0,
});

/** The voices of the account: the local catalogue, and those that clients created. */
export class VoiceStore {
  /** By id, in order of creation. */
  readonly #own: Map<number, OwnVoice>;
  #lastId: number;
  readonly #catalogue: VoiceCatalogue;
  readonly #premade: readonly PremadeVoice[];

  constructor({ last_id, voices }: Content, catalogue: VoiceCatalogue) {
    this.#catalogue = catalogue;
    this.#premade = catalogue.all.map(premade);
    this.#lastId = last_id;
    this.#own = new Map(voices.map((own) => [own.id, own]));
  }

  get content(): Content {
    return { last_id: this.#lastId, voices: [...this.#own.values()] };
  }

  /** The catalogue, then the created voices. */
  get all(): readonly ListedVoice[] {
    return [...this.#premade, ...this.#own.values()];
  }

  get isFull(): boolean {
    return this.#own.size >= MAX_OWN_VOICES || this.#lastId >= LAST_ID;
  }

  /** A voice by number, by handle, or by its number as text; undefined if there is none. */
  find(idOrHandle: number | string): SpeakingVoice | undefined {
    const own = this.#findOwn(idOrHandle);
    return this.#catalogue.find(idOrHandle) ?? (own && speakingVoice(own, this.#catalogue));
  }

  /** The same voice as it is listed. */
  listed(idOrHandle: number | string): ListedVoice | undefined {
    const known = this.#catalogue.find(idOrHandle);
    return known ? this.#premade.find(({ id }) => id === known.id) : this.#findOwn(idOrHandle);
  }

  /** The description of a voice for a list. That of a created voice stays as its client wrote it. */
  describe({ id, description }: ListedVoice): string {
    const known = this.#catalogue.find(id);
    return known ? this.#catalogue.described(description, known) : description;
  }

  create(fields: OwnVoiceFields): OwnVoice {
    this.#lastId += 1;
    const id = this.#lastId;
    return this.#put({
      ...fields,
      id,
      handle: this.#freeHandle(fields.name, id),
      is_public: false,
      revision: 1,
    });
  }

  update(voice: OwnVoice, changes: Partial<OwnVoiceFields & Pick<OwnVoice, 'is_public'>>): OwnVoice {
    return this.#put({ ...voice, ...changes, revision: voice.revision + 1 });
  }

  delete({ id }: OwnVoice): void {
    this.#own.delete(id);
  }

  #findOwn(idOrHandle: number | string): OwnVoice | undefined {
    const named = [...this.#own.values()].find(({ handle }) => handle === idOrHandle);
    return named ?? (/^\d{1,9}$/.test(String(idOrHandle)) ? this.#own.get(Number(idOrHandle)) : undefined);
  }

  #put(voice: OwnVoice): OwnVoice {
    this.#own.set(voice.id, voice);
    return voice;
  }

  /** A handle of letters, digits and hyphens, never a number alone, which would be an id. */
  #freeHandle(name: string, id: number): string {
    const plain = name
      .normalize('NFKD')
      .toLowerCase()
      .replace(/\p{M}/gu, '')
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, MAX_HANDLE_CHARS)
      .replace(/^-+|-+$/g, '');
    const handle = /[a-z]/.test(plain) ? plain : 'voice';
    if (handle !== 'voice' && !this.listed(handle)) return handle;
    // A name may end like the handle of another voice.
    let free = `${handle}-${id}`;
    while (this.listed(free)) free = `${free}-${id}`;
    return free;
  }
}

export const accountVoices = (catalogue: VoiceCatalogue): DocumentKind<Content, VoiceStore> => ({
  name: 'kugel_voices',
  schema: contentSchema,
  open: (content) => new VoiceStore(content ?? { last_id: LAST_CATALOGUE_ID, voices: [] }, catalogue),
  contentOf: ({ content }) => content,
});
