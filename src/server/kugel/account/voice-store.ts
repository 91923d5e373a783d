import { z } from '#protocol/core/zod.ts';
import type { VoiceCatalogue } from '../../speech/voices/voice-catalogue.ts';
import type { Voice } from '../../speech/voices/voices.ts';
import { holderOf, OWN_PEER, rowsInTheWay } from '../../state/shares.ts';
import type { DocumentKind } from '../../state/state.ts';
import { errorOf, invalid, notFound, refused } from '../access.ts';
import {
  type OwnVoice,
  type OwnVoiceFields,
  ownVoiceSchema,
  type SpeakingVoice,
  speakingVoice,
} from './own-voice.ts';
import { type Changes, changed, countsIds, idFrom, LAST_ID, withoutRow, withRow } from './rows.ts';

const LIMITS = { ofOne: 100, ofAll: 300 };
/** Ids above this are those of created voices. */
const LAST_CATALOGUE_ID = 100_000;
const MAX_HANDLE_CHARS = 60;

const NEW_VOICE: OwnVoiceFields = {
  name: '',
  description: '',
  generative_voice_description: '',
  supported_languages: ['en'],
  category: 'generated',
  age: null,
  sex: null,
  quality: 'mid',
  sample_text: '',
};
/** Fields that null clears. */
const CLEARABLE = ['age', 'sex'] as const;

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

/**
 * The voices of the account: the local catalogue, and those that clients created. Throws the refusal of a call that names
 * no voice, or one that cannot be changed.
 */
export class VoiceStore {
  #content: Content;
  readonly #catalogue: VoiceCatalogue;

  constructor(content: Content, catalogue: VoiceCatalogue) {
    this.#content = content;
    this.#catalogue = catalogue;
  }

  get content(): Content {
    return this.#content;
  }

  /** The catalogue, then the created voices, in order of creation. */
  get all(): readonly ListedVoice[] {
    return [...this.#catalogue.all.map(premade), ...this.#content.voices];
  }

  /** The voice with this number, handle, or number as text, as the engine speaks it; undefined if there is none. */
  find(idOrHandle: number | string): SpeakingVoice | undefined {
    const own = this.#findOwn(idOrHandle);
    return this.#catalogue.find(idOrHandle) ?? (own && speakingVoice(own, this.#catalogue));
  }

  /** The same voice as it is listed. */
  listed(idOrHandle: string): ListedVoice {
    const known = this.#catalogue.find(idOrHandle);
    const voice = known ? premade(known) : this.#findOwn(idOrHandle);
    if (!voice) throw notFound('Voice');
    return voice;
  }

  /** The description of a voice for a list. That of a created voice stays as its client wrote it. */
  describe({ id, description }: ListedVoice): string {
    const known = this.#catalogue.find(id);
    return known ? this.#catalogue.described(description, known) : description;
  }

  create(changes: Changes<OwnVoiceFields>, peer = OWN_PEER): OwnVoice {
    const { last_id, voices } = this.#content;
    const id = last_id + 1;
    const held = holderOf(peer);
    const giving = rowsInTheWay(voices, held, 1, LIMITS);
    if (giving === null || id > LAST_ID) {
      throw refused(invalid(`expected at most ${LIMITS.ofOne} created voices`));
    }
    const fields = changed(NEW_VOICE, changes, CLEARABLE);
    const handle = this.#freeHandle(fields.name, id);
    this.#content = { last_id: id, voices: voices.filter((voice) => !giving.has(voice)) };
    return this.#put({ ...fields, id, handle, is_public: false, revision: 1, ...held });
  }

  update(idOrHandle: string, changes: Changes<OwnVoiceFields & Pick<OwnVoice, 'is_public'>>): OwnVoice {
    const voice = this.#changeable(idOrHandle);
    return this.#put({ ...changed(voice, changes, CLEARABLE), revision: voice.revision + 1 });
  }

  delete(idOrHandle: string): void {
    const voices = withoutRow(this.#content.voices, this.#changeable(idOrHandle));
    this.#content = { ...this.#content, voices };
  }

  #changeable(idOrHandle: string): OwnVoice {
    const voice = this.listed(idOrHandle);
    if (isPremade(voice)) throw refused(errorOf(403, 'Forbidden'));
    return voice;
  }

  #findOwn(idOrHandle: number | string): OwnVoice | undefined {
    const { voices } = this.#content;
    const named = voices.find(({ handle }) => handle === idOrHandle);
    if (named || !/^\d{1,9}$/.test(String(idOrHandle))) return named;
    return voices.find(({ id }) => id === Number(idOrHandle));
  }

  #put(voice: OwnVoice): OwnVoice {
    this.#content = { ...this.#content, voices: withRow(this.#content.voices, voice) };
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
      .replace(/^-|-$/g, '');
    const handle = /[a-z]/.test(plain) ? plain : 'voice';
    if (handle !== 'voice' && !this.find(handle)) return handle;
    // A name may end like the handle of another voice.
    let free = `${handle}-${id}`;
    while (this.find(free)) free = `${free}-${id}`;
    return free;
  }
}

export const accountVoices = (catalogue: VoiceCatalogue): DocumentKind<Content, VoiceStore> => ({
  name: 'kugel_voices',
  schema: contentSchema,
  open: (content) => new VoiceStore(content ?? { last_id: LAST_CATALOGUE_ID, voices: [] }, catalogue),
  contentOf: ({ content }) => content,
});
