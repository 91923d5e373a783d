import { randomBytes } from 'node:crypto';
import type { Clock } from '#lib/clock.ts';
import { z } from '#protocol/core/zod.ts';
import type { Language } from '../speech/languages.ts';
import type { VoiceCatalogue } from '../speech/voices/voice-catalogue.ts';
import type { DocumentKind } from '../state/state.ts';
import { type ClonedVoice, languageOf, promptOf, readPrompt } from './voice-prompt.ts';

/** A saved voice (`facts 7`). */
export interface SavedVoice {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly language: Language;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly cloned: ClonedVoice;
  /** Text of the preview. */
  readonly sampleText: string;
}

/** Limit of the Scale plan, which the local keys are on (`facts 7`). */
export const SAVED_LIMIT = 100;
const ID_BYTES = 6;

/** Catalogue voices that are saved at the first start, newest first. */
const FIRST_SAVED = [
  ['voice_7c1e09d4ab35', 'walter', '2026-10-19T09:12:00Z'],
  ['voice_e25f80b1c946', 'grace', '2026-10-02T15:40:00Z'],
  ['voice_31ad6bc07f58', 'greta', '2026-09-23T08:05:00Z'],
  ['voice_94f2d7e6018c', 'etienne', '2026-09-04T11:31:00Z'],
  ['voice_b80c53a9e17d', 'mateo', '2026-08-27T18:20:00Z'],
  ['voice_06e9417df2ba', 'haruka', '2026-08-11T06:54:00Z'],
] as const;

const firstVoices = (catalogue: VoiceCatalogue): readonly SavedVoice[] =>
  FIRST_SAVED.flatMap(([id, handle, createdAt]) => {
    const voice = catalogue.find(handle);
    if (!voice) return [];
    const { name, description, languages, sampleText } = voice;
    const cloned = { catalogue: voice };
    return [{ id, name, description, language: languages[0], createdAt, cloned, sampleText }];
  });

/** Rows of the data file. */
const rows = z
  .array(
    z.object({
      id: z.string().check(z.regex(/^voice_[0-9a-f]{12}$/)),
      name: z.string(),
      description: z.string(),
      created_at: z.iso.datetime(),
      prompt: z.base64(),
      sample_text: z.string(),
    }),
  )
  .check(z.maxLength(SAVED_LIMIT));

/** The saved voices, which all keys share. */
export class SavedVoices {
  readonly #clock: Clock;
  #all: readonly SavedVoice[];

  constructor(all: readonly SavedVoice[], clock: Clock) {
    this.#clock = clock;
    this.#all = all;
  }

  /** Newest first. */
  get all(): readonly SavedVoice[] {
    return this.#all;
  }

  get isFull(): boolean {
    return this.#all.length >= SAVED_LIMIT;
  }

  find(id: string): SavedVoice | undefined {
    return this.#all.find((voice) => voice.id === id);
  }

  add(voice: Omit<SavedVoice, 'id' | 'createdAt'>): SavedVoice {
    const id = `voice_${randomBytes(ID_BYTES).toString('hex')}`;
    const saved = { ...voice, id, createdAt: new Date(this.#clock.nowMs()).toISOString() };
    this.#all = [saved, ...this.#all];
    return saved;
  }

  /** Removes a voice and returns it. Its prompt still speaks. */
  remove(removed: SavedVoice): SavedVoice {
    this.#all = this.#all.filter((voice) => voice.id !== removed.id);
    return removed;
  }
}

export const savedVoices = (
  clock: Clock,
  catalogue: VoiceCatalogue,
): DocumentKind<z.output<typeof rows>, SavedVoices> => ({
  name: 'murmr_voices',
  schema: rows,
  open: (content) =>
    new SavedVoices(content?.flatMap((row) => voiceOf(row, catalogue)) ?? firstVoices(catalogue), clock),
  contentOf: ({ all }) => all.map(rowOf),
});

const rowOf = ({ id, name, description, createdAt, cloned, sampleText }: SavedVoice) => ({
  id,
  name,
  description,
  created_at: createdAt,
  prompt: promptOf(cloned),
  sample_text: sampleText,
});

function voiceOf(row: z.output<typeof rows>[number], catalogue: VoiceCatalogue): SavedVoice[] {
  const { id, name, description, created_at: createdAt, prompt, sample_text: sampleText } = row;
  const read = readPrompt(prompt, catalogue);
  // A voice that has left the catalogue is dropped.
  if (!('voice' in read)) return [];
  return [
    { id, name, description, language: languageOf(read.voice), createdAt, cloned: read.voice, sampleText },
  ];
}
