import { randomBytes } from 'node:crypto';
import type { Clock } from '#lib/clock.ts';
import { z } from '#protocol/core/zod.ts';
import type { VoiceCatalogue } from '../speech/voices/voice-catalogue.ts';
import { holderOf, holderSchema, OWN_PEER, type Peer, rowsHeldBy, rowsInTheWay } from '../state/shares.ts';
import type { DocumentKind } from '../state/state.ts';
import { refusal } from './access.ts';
import { type ClonedVoice, promptOf, readPrompt } from './voice-choice.ts';

/** Limit of the Scale plan, which the local keys are on (murmr-http-9), and of all clients. */
const LIMITS = { ofOne: 100, ofAll: 300 };
export const SAVED_LIMIT = LIMITS.ofOne;
const ID_BYTES = 6;

const row = z.object({
  id: z.string().check(z.regex(/^voice_[0-9a-f]{12}$/)),
  name: z.string(),
  description: z.string(),
  created_at: z.iso.datetime(),
  prompt: z.base64(),
  /** Text of the preview. */
  sample_text: z.string(),
  holder: holderSchema,
});
const rows = z.array(row).check(z.maxLength(LIMITS.ofAll));
type Row = z.output<typeof row>;

/** A saved voice, with the voice of its prompt. */
export type SavedVoice = Readonly<Row> & { readonly cloned: ClonedVoice };

/** Catalogue voices that are saved at the first start, newest first. */
const FIRST_SAVED = [
  ['voice_7c1e09d4ab35', 'walter', '2026-10-19T09:12:00Z'],
  ['voice_e25f80b1c946', 'grace', '2026-10-02T15:40:00Z'],
  ['voice_31ad6bc07f58', 'greta', '2026-09-23T08:05:00Z'],
  ['voice_94f2d7e6018c', 'etienne', '2026-09-04T11:31:00Z'],
  ['voice_b80c53a9e17d', 'mateo', '2026-08-27T18:20:00Z'],
  ['voice_06e9417df2ba', 'haruka', '2026-08-11T06:54:00Z'],
] as const;

const firstRows = (catalogue: VoiceCatalogue): Row[] =>
  FIRST_SAVED.flatMap(([id, handle, created_at]) => {
    const voice = catalogue.find(handle);
    if (!voice) return [];
    const { name, description, sampleText: sample_text } = voice;
    return [{ id, name, description, created_at, prompt: promptOf({ catalogue: voice }), sample_text }];
  });

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

  find(id: string): SavedVoice | undefined {
    return this.#all.find((voice) => voice.id === id);
  }

  /** How many count against the limit of a client: its own, and those of the server. */
  countOf(peer: Peer): number {
    return rowsHeldBy(this.#all, holderOf(peer));
  }

  /** Adds a voice. Throws the refusal of one beyond the limit. */
  add(
    { name, description, sample_text, cloned }: Omit<SavedVoice, 'id' | 'created_at' | 'prompt' | 'holder'>,
    peer = OWN_PEER,
  ): SavedVoice {
    const held = holderOf(peer);
    const giving = rowsInTheWay(this.#all.toReversed(), held, 1, LIMITS);
    if (giving === null) {
      throw refusal(409, `Saved voice limit reached: at most ${SAVED_LIMIT} voices`);
    }
    const id = `voice_${randomBytes(ID_BYTES).toString('hex')}`;
    const created_at = new Date(this.#clock.nowMs()).toISOString();
    const saved = {
      id,
      name,
      description,
      created_at,
      prompt: promptOf(cloned),
      sample_text,
      ...held,
      cloned,
    };
    this.#all = [saved, ...this.#all.filter((voice) => !giving.has(voice))];
    return saved;
  }

  /** Removes a voice and returns it. Its prompt still speaks. */
  remove(removed: SavedVoice): SavedVoice {
    this.#all = this.#all.filter((voice) => voice.id !== removed.id);
    return removed;
  }
}

export const savedVoices = (clock: Clock, catalogue: VoiceCatalogue): DocumentKind<Row[], SavedVoices> => ({
  name: 'murmr_voices',
  schema: rows,
  open(content) {
    const all = (content ?? firstRows(catalogue)).flatMap((each) => {
      const read = readPrompt(each.prompt, catalogue);
      // A voice that has left the catalogue is dropped.
      return 'voice' in read ? [{ ...each, cloned: read.voice }] : [];
    });
    return new SavedVoices(all, clock);
  },
  contentOf: ({ all }) => all.map(({ cloned: _, ...each }) => each),
});
