import { createHash } from 'node:crypto';
import { type PublishedSex, standInFor } from './stand-in.ts';
import type { VoiceCatalogue } from './voice-catalogue.ts';
import type { Voice } from './voices.ts';

/** Public voices of a vendor, by sex: names and ids in turn, in one text. An underscore stands for a space. */
export type PublishedNames = Readonly<Partial<Record<Voice['sex'], string>>>;

interface VendorIds {
  /** Ids under which scenes name local voices, by name, so that one id works at both. */
  exampleVoices: Readonly<Record<string, string>>;
  /** All of them speak English, and local voices speak for them. */
  published: PublishedNames;
  /** Makes an id in the vendor's form. */
  form(digest: Buffer): string;
}

interface PublishedVoice {
  id: string;
  name: string;
  sex: Voice['sex'];
}

/** The voices of the catalogue and those that the vendor publishes, by the vendor's ids, which are the same on every server. */
export class VoiceIds {
  readonly all: readonly Voice[];
  readonly #catalogue: VoiceCatalogue;
  readonly #byId: ReadonlyMap<string, Voice>;
  readonly #ids: ReadonlyMap<Voice, string>;
  /** Voices under public ids, by the local voices that speak for them. */
  readonly #renamed: ReadonlyMap<Voice, Voice>;

  constructor(catalogue: VoiceCatalogue, { exampleVoices, published, form }: VendorIds) {
    this.#catalogue = catalogue;
    const publicIds = new Map(Object.entries(exampleVoices).map(([name, id]) => [name.toLowerCase(), id]));
    const known = new Map(publishedVoices(published).map((voice) => [voice.id, voice]));
    const local = catalogue.all.map((voice): [string, Voice] => {
      const digest = createHash('sha256').update(voice.handle).digest();
      return [publicIds.get(voice.handle) ?? form(digest), voice];
    });
    const named = new Map(
      local.map(([id, voice]) => {
        const by = `${PUBLIC}, spoken here by ${voice.name}`;
        return [voice, speakingFor(known.get(id), voice, by, catalogue)];
      }),
    );
    const taken = new Set(local.map(([id]) => id));
    const others = [...known.values()].filter(({ id }) => !taken.has(id));
    const entries: [string, Voice][] = [
      ...local.map(([id, voice]): [string, Voice] => [id, named.get(voice) ?? voice]),
      ...others.map((voice): [string, Voice] => [
        voice.id,
        speakingFor(voice, standIn(voice, catalogue), PUBLIC, catalogue),
      ]),
    ];
    this.all = entries.map(([, voice]) => voice);
    this.#byId = new Map(entries);
    this.#ids = new Map(entries.map(([id, voice]) => [voice, id]));
    this.#renamed = named;
  }

  /** The id of a voice of {@link all}. */
  idOf(voice: Voice): string {
    return this.#ids.get(voice) ?? '';
  }

  /** A voice by id; also by handle, name or number of the local catalogue. */
  find(id: string): Voice | undefined {
    const local = () => this.#catalogue.find(id) ?? this.#catalogue.find(id.toLowerCase());
    const found = this.#byId.get(id) ?? local();
    return found && (this.#renamed.get(found) ?? found);
  }
}

function publishedVoices(names: PublishedNames): PublishedVoice[] {
  return (['female', 'male', 'neutral'] as const).flatMap((sex) => {
    const words = (names[sex] ?? '').split(/\s+/).filter((word) => word !== '');
    return words.flatMap((word, at) =>
      at % 2 === 0 ? [{ id: words[at + 1] ?? '', name: word.replaceAll('_', ' '), sex }] : [],
    );
  });
}

const PUBLIC = 'A public voice of the vendor';

const speaksEnglish = ({ languages: [first] }: Voice): boolean => first === 'en';

const englishOf = ({ all }: VoiceCatalogue): readonly Voice[] => {
  const english = all.filter(speaksEnglish);
  return english.length > 0 ? english : all;
};

const standIn = ({ id, sex }: { id: string; sex: PublishedSex }, catalogue: VoiceCatalogue): Voice =>
  standInFor(id, sex, englishOf(catalogue), (voice) => voice.sex) ?? catalogue.all[0];

/** A local voice as the published one for which it speaks; as it is without one. */
function speakingFor(
  known: PublishedVoice | undefined,
  voice: Voice,
  description: string,
  catalogue: VoiceCatalogue,
): Voice {
  if (!known) return voice;
  const { sampleText } = speaksEnglish(voice) ? voice : standIn(known, catalogue);
  return {
    ...voice,
    name: known.name,
    sex: known.sex,
    languages: ['en', ...voice.languages.filter((code) => code !== 'en')],
    description,
    sampleText,
  };
}
