import { largest } from '#lib/collections/arrays.ts';
import { z } from '#protocol/core/zod.ts';
import { isLanguage, type Language } from '../languages.ts';
import type { EngineVoice, Voice } from '../voices/voices.ts';
import { SpeechFault } from './speech-fault.ts';
import { SpeechServer, type SpeechServerSettings } from './speech-server.ts';

/** A voice of a speech server. */
export interface ServerVoice {
  /** `voice` of its requests. */
  readonly name: string;
  /** Null where the server does not say. */
  readonly sex: Voice['sex'] | null;
  /** Empty where the server does not say. */
  readonly languages: readonly Language[];
  /** Further fields of its requests. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Kokoro's names begin with a language and a sex: `af_heart` is an American woman (its `VOICES.md`). */
const KOKORO_NAME = /^([abefhijpz])([fm])_/;
const KOKORO_LANGUAGES: Readonly<Record<string, Language>> = {
  a: 'en',
  b: 'en',
  e: 'es',
  f: 'fr',
  h: 'hi',
  i: 'it',
  j: 'ja',
  p: 'pt',
  z: 'zh',
};

/** What the name of a voice says about it. */
export function namedVoice(name: string): ServerVoice {
  const [, language = '', sex] = KOKORO_NAME.exec(name) ?? [];
  const known = KOKORO_LANGUAGES[language];
  return {
    name,
    sex: sex === undefined ? null : sex === 'f' ? 'female' : 'male',
    languages: known === undefined ? [] : [known],
    parameters: {},
  };
}

const text = z.string().check(z.minLength(1), z.maxLength(200));
/** Kokoro-FastAPI: `{id, name}`; Speaches: `{id, name, language, gender}`; vLLM-Omni and older ones: names alone. */
const listedVoice = z.union([
  text,
  z.looseObject({
    id: z.optional(text),
    name: z.optional(text),
    language: z.nullish(z.string()),
    gender: z.nullish(z.string()),
  }),
]);
const listAnswer = z.looseObject({ voices: z.array(listedVoice).check(z.maxLength(10_000)) });

const LIST = '/audio/voices';
const MAX_LIST_BYTES = 4 * 1024 * 1024;

/** The voices of `GET /v1/audio/voices`, which OpenAI itself does not have. Throws a SpeechFault. */
export async function listServerVoices(settings: SpeechServerSettings): Promise<readonly ServerVoice[]> {
  const server = new SpeechServer(settings, 0);
  const answer = await server.call(server.address(LIST), null, new AbortController().signal);
  if (answer.status !== 200) return await server.refuse(answer);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of answer.bytes) {
    bytes += part.length;
    if (bytes > MAX_LIST_BYTES) throw new SpeechFault('the speech server sent too long a list of voices');
    parts.push(part);
  }
  let body: unknown;
  try {
    body = JSON.parse(Buffer.concat(parts).toString());
  } catch {
    throw new SpeechFault('the speech server sent a list of voices that is no JSON');
  }
  const read = listAnswer.safeParse(body);
  if (!read.success) throw new SpeechFault('the speech server sent a list of voices in another form');
  const voices = new Map(read.data.voices.flatMap(listed).map((voice) => [voice.name, voice]));
  return [...voices.values()];
}

function listed(voice: z.output<typeof listedVoice>): ServerVoice[] {
  if (typeof voice === 'string') return [namedVoice(voice)];
  const name = voice.id ?? voice.name;
  if (name === undefined) return [];
  const byName = namedVoice(name);
  const [language = ''] = (voice.language ?? '').toLowerCase().split(/[-_]/);
  const gender = voice.gender === 'male' || voice.gender === 'female' ? voice.gender : byName.sex;
  return [{ ...byName, sex: gender, languages: isLanguage(language) ? [language] : byName.languages }];
}

/** Chooses the server's voice for each voice of this server: by language first, then by sex. */
export class ServerVoiceChoice {
  readonly #voices: readonly [ServerVoice, ...ServerVoice[]];
  /** By handle. */
  readonly #chosen = new Map<string, ServerVoice>();

  /** @param catalogue voices that should differ, in order of importance */
  constructor(
    voices: readonly [ServerVoice, ...ServerVoice[]],
    catalogue: readonly Pick<Voice, 'handle' | 'sex' | 'languages'>[],
  ) {
    this.#voices = voices;
    const uses = new Map<ServerVoice, number>();
    for (const { handle, sex, languages } of catalogue) {
      const best = this.#best(sex, languages[0]);
      const [first] = best.toSorted((a, b) => (uses.get(a) ?? 0) - (uses.get(b) ?? 0));
      const voice = first ?? voices[0];
      uses.set(voice, (uses.get(voice) ?? 0) + 1);
      this.#chosen.set(handle, voice);
    }
  }

  /** The same voice and language always give the same voice of the server. */
  voiceFor(voice: EngineVoice, language: Language): ServerVoice {
    const chosen = this.#chosen.get(voice.handle ?? '');
    const isSpoken = this.#voices.some((each) => speaks(each, language) > 0);
    if (chosen && (!isSpoken || speaks(chosen, language) > 0)) return chosen;
    const best = this.#best(voice.sex ?? null, language);
    return best[seedOf(voice) % best.length] ?? this.#voices[0];
  }

  /** The best voices, never none. */
  #best(sex: ServerVoice['sex'], language: Language): readonly ServerVoice[] {
    const most = largest(this.#voices.map((voice) => fitness(voice, sex, language)));
    return this.#voices.filter((voice) => fitness(voice, sex, language) === most);
  }
}

const speaks = ({ languages }: ServerVoice, language: Language): number =>
  languages.length === 0 ? 2 : languages.includes(language) ? 4 : 0;

/** A language that the voice does not speak is worse than a voice of another sex. */
function fitness(voice: ServerVoice, sex: ServerVoice['sex'], language: Language): number {
  const fits = sex === null || sex === 'neutral' || voice.sex === sex ? 1 : voice.sex === null ? 0.5 : 0;
  return speaks(voice, language) + fits;
}

/** A number that depends on how the voice sounds. */
function seedOf({ handle = '', espeak }: EngineVoice): number {
  let seed = 0;
  for (const unit of handle + JSON.stringify(espeak))
    seed = (Math.imul(seed, 31) + (unit.codePointAt(0) ?? 0)) >>> 0;
  return seed;
}
