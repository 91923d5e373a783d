import { findVoice, VOICES, type Voice } from '../../speech/voices/voices.ts';

/** The voices of the account: the local catalogue. */
export class VoiceStore {
  readonly all: readonly Voice[] = VOICES;

  /** A voice by number, by handle, or by its number as text; undefined if there is none. */
  find(idOrHandle: number | string): Voice | undefined {
    return findVoice(idOrHandle);
  }
}
