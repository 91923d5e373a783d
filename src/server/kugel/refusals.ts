import { describeIssues, type Issue, shown } from '#protocol/core/issue.ts';
import type { Fields } from '#protocol/core/json-frame.ts';
import type { GenerationConfig } from '#protocol/kugel/wire/client-frames.ts';
import { PROJECT_ID, selectionIssues } from '#protocol/kugel/wire/generation.ts';
import { EngineBusyError } from '../speech/engine.ts';
import { errorOf, invalid, type KugelRefusal, MODEL_UNAVAILABLE } from './access.ts';
import type { KugelStore } from './store.ts';

/** Reasons to refuse a message. A refused message changes nothing (decision 2.11). */

/** Limit of text that waits to be spoken: about two hours of speech. */
const MAX_UNSPOKEN_CHARS = 100_000;

/** Limit of waiting turns, which cost about 10 KB each. */
const MAX_WAITING_TURNS = 256;

export const invalidFields = (issues: readonly Issue[]): KugelRefusal => invalid(describeIssues(issues));

export const MISSING_VOICE: KugelRefusal = {
  error: 'voice_id is required',
  error_code: 'MISSING_VOICE_ID',
  code: 400,
};

const GENERATION_FAILED: KugelRefusal = {
  error: 'Audio generation failed',
  error_code: 'INTERNAL_ERROR',
  code: 500,
};

/** The refusal of a generation that the engine did not finish (`facts 1.8`). */
export const failureOf = (error: unknown): KugelRefusal =>
  error instanceof EngineBusyError ? MODEL_UNAVAILABLE : GENERATION_FAILED;

export const CLOSING = invalid('expected no more messages, because the connection is closing');

/** An unknown voice that a client named. The error comes once a turn, and the rest of the turn's text is dropped. */
export class UnknownVoice {
  readonly #refusal: KugelRefusal;
  #isSaid: boolean;

  constructor(refusal: KugelRefusal, endsTurn: boolean) {
    this.#refusal = refusal;
    this.#isSaid = !endsTurn;
  }

  /** The refusal of text without a voice; null where its turn was refused before. */
  get refusal(): KugelRefusal | null {
    return this.#isSaid ? null : this.#refusal;
  }

  turnEnded(): void {
    this.#isSaid = false;
  }
}

/** The unknown voice of a refused message; undefined where it was refused for another reason. */
export const unknownVoiceOf = (refusal: KugelRefusal, { flush }: Fields): UnknownVoice | undefined =>
  refusal.error_code === 'NOT_FOUND' ? new UnknownVoice(refusal, flush === true) : undefined;

/** Settings that name what an account has. */
type Names = Partial<{
  [K in 'voice_id' | 'dictionary_ids' | 'project_id']: GenerationConfig[K] | undefined;
}>;

/**
 * Refuses an unknown voice, and a selection of dictionaries that are unknown or of no or a foreign project (`facts 1.4`).
 * @param sticky settings of earlier messages, to which a selection or its project may belong
 */
export function unknownNames(
  { voices, dictionaries }: KugelStore,
  { voice_id, dictionary_ids, project_id }: Names,
  sticky: Names = {},
): KugelRefusal | null {
  if (voice_id !== undefined && !voices.current.find(voice_id)) {
    return errorOf(404, `Voice not found: ${shown(voice_id)}`);
  }
  if (dictionary_ids === undefined && project_id === undefined) return null;
  const ids = dictionary_ids ?? sticky.dictionary_ids ?? [];
  const project = project_id ?? sticky.project_id;
  const issues = selectionIssues({ dictionary_ids: ids, project_id: project });
  if (issues.length > 0) return invalidFields(issues);
  if (ids.length > 0 && project !== PROJECT_ID) return errorOf(403, `Forbidden: project ${project}`);
  const unknown = dictionaries.current.unknown(ids);
  return unknown.length > 0
    ? invalid(`dictionary_ids: expected ids of this account's dictionaries, got ${unknown.join(', ')}`)
    : null;
}

/** Refuses a message that would exceed the limits; `turns` and `characters` include the message. */
export function tooMuchWaiting(turns: number, characters: number): KugelRefusal | null {
  if (turns > MAX_WAITING_TURNS) {
    return invalid(`text: expected at most ${MAX_WAITING_TURNS} turns waiting to be spoken, got one more`);
  }
  return characters > MAX_UNSPOKEN_CHARS
    ? invalid(
        `text: expected at most ${MAX_UNSPOKEN_CHARS} characters waiting to be spoken, got ${characters}`,
      )
    : null;
}
