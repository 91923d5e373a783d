import { z } from '#protocol/core/zod.ts';
import { LANGUAGES } from '#protocol/kugel/wire/settings.ts';
import type { Language } from '../../speech/languages.ts';
import type { VoiceCatalogue } from '../../speech/voices/voice-catalogue.ts';
import { describedVoice } from '../../speech/voices/voice-description.ts';
import type { EngineVoice, Voice } from '../../speech/voices/voices.ts';
import { holderSchema } from '../../state/shares.ts';

/** Values that the SDKs know, without `premade`, which are the voices of the catalogue. */
export const OWN_CATEGORIES = [
  'generated',
  'cloned',
  'designed',
  'conversational',
  'narrative',
  'narrative_story',
  'characters',
] as const;

const language = z.literal([...LANGUAGES]);

/** A voice that a client created, as it is kept, with the vendor's names. */
export const ownVoiceSchema = z.object({
  id: z.int(),
  /** Made from the first name, and stays. */
  handle: z.string(),
  name: z.string(),
  description: z.string(),
  generative_voice_description: z.string(),
  supported_languages: z.tuple([language], language),
  category: z.literal(OWN_CATEGORIES),
  sex: z.nullable(z.literal(['male', 'female', 'neutral'])),
  /** The vendor's SDKs and docs write middle age in two ways (kugel-http-5). */
  age: z.nullable(z.literal(['young', 'middle_age', 'middle_aged', 'old'])),
  quality: z.literal(['low', 'mid', 'high']),
  /** Empty: that of the voice of the catalogue it is a variant of. */
  sample_text: z.string(),
  /** Published, and waits for a verification that never comes here. */
  is_public: z.boolean(),
  /** Counts the changes, so that browsers drop their copy of the sample. */
  revision: z.int(),
  holder: holderSchema,
});

export type OwnVoice = Readonly<z.infer<typeof ownVoiceSchema>>;
export type OwnVoiceFields = Omit<OwnVoice, 'id' | 'handle' | 'is_public' | 'revision' | 'holder'>;

/** The part of a voice that speech and samples need. */
export type SpeakingVoice = EngineVoice & Pick<Voice, 'sampleText'>;

/** Steps of espeak's pitch that tell variants of one voice apart, in turn. */
const PITCH_STEPS = [9, -9, 16, -16];
const HIGHEST_PITCH = 99;

const catalogueAge = (age: OwnVoice['age']): Voice['age'] | null =>
  age === 'middle_age' ? 'middle_aged' : age;

/** The voice of the catalogue that a created voice is a variant of. */
const closestVoice = (
  catalogue: VoiceCatalogue,
  { sex, age, supported_languages: languages }: OwnVoice,
): Voice => catalogue.closest({ sex, age: catalogueAge(age), languages });

/** Returns how a created voice sounds: as its description says, otherwise a variant of the closest voice. */
export function speakingVoice(own: OwnVoice, catalogue: VoiceCatalogue): SpeakingVoice {
  const closest = closestVoice(catalogue, own);
  const { sex, supported_languages: languages, generative_voice_description, sample_text } = own;
  return {
    languages,
    sex,
    espeak:
      generative_voice_description.trim() === '' ? variantOf(closest, own.id) : described(own, languages[0]),
    sampleText:
      sample_text.trim() === '' ? closest.sampleText.replaceAll(closest.name, () => own.name) : sample_text,
  };
}

function variantOf({ espeak }: Voice, id: number): Voice['espeak'] {
  const step = PITCH_STEPS[id % PITCH_STEPS.length] ?? 0;
  const isInRange = espeak.pitch + step >= 0 && espeak.pitch + step <= HIGHEST_PITCH;
  return { ...espeak, pitch: espeak.pitch + (isInRange ? step : -step) };
}

/** Sex and age complete the description, because of two contradictory words the first counts. */
const described = (
  { generative_voice_description, sex, age }: OwnVoice,
  spoken: Language,
): EngineVoice['espeak'] =>
  describedVoice([generative_voice_description, sex, catalogueAge(age)?.replace('_', ' ')].join(', '), spoken)
    .voice.espeak;
