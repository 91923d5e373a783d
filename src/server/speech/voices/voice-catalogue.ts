import { type EngineVoice, VOICES, type Voice } from './voices.ts';

/** The wishes for a voice, as its creator states them. */
export type VoiceTraits = Pick<Voice, 'languages'> & {
  readonly sex: Voice['sex'] | null;
  readonly age: Voice['age'] | null;
};

/** The voices that this server offers by number and by handle. */
export class VoiceCatalogue {
  readonly all: readonly [Voice, ...Voice[]];
  /** Names the engine that speaks in a voice and its own name for it; null while espeak speaks in all of them. */
  readonly speakerOf: (voice: EngineVoice) => string | null;
  readonly #byId: ReadonlyMap<number, Voice>;
  readonly #byHandle: ReadonlyMap<string, Voice>;

  constructor(all: VoiceCatalogue['all'], speakerOf: VoiceCatalogue['speakerOf'] = () => null) {
    this.all = all;
    this.speakerOf = speakerOf;
    this.#byId = new Map(all.map((voice) => [voice.id, voice]));
    this.#byHandle = new Map(all.map((voice) => [voice.handle, voice]));
  }

  /** A voice by number, by handle, or by its number as text; undefined if there is none. */
  find(idOrHandle: number | string): Voice | undefined {
    if (typeof idOrHandle === 'number') return this.#byId.get(idOrHandle);
    const named = this.#byHandle.get(idOrHandle);
    if (named !== undefined) return named;
    return /^\d{1,9}$/.test(idOrHandle) ? this.#byId.get(Number(idOrHandle)) : undefined;
  }

  /** The closest voice: sex first, then the language it is made for, then age. */
  closest({ sex, age, languages }: VoiceTraits): Voice {
    const closeness = (voice: Voice): number => {
      const [first] = languages;
      const own = voice.languages[0] === first ? 20 : voice.languages.includes(first) ? 15 : 0;
      const shared = languages.filter((each) => voice.languages.includes(each)).length;
      return (voice.sex === sex ? 100 : 0) + own + (voice.age === age ? 10 : 0) + Math.min(shared, 4);
    };
    return this.all.reduce((best, voice) => (closeness(voice) > closeness(best) ? voice : best));
  }

  /** A description for a list, which names the speaker where there are several engines. */
  described(description: string, voice: EngineVoice): string {
    const speaker = this.speakerOf(voice);
    return speaker === null ? description : `${description} (${speaker})`.trimStart();
  }
}

/** The voices of `voices.json`, in which espeak speaks. */
export const LOCAL_CATALOGUE = new VoiceCatalogue(VOICES);
