import type { TranscriptionTarget } from '#text/spoken/transcribe.ts';
import { keySlot, type useKeys } from '../stores/key-store.ts';
import { addressProblem, apiBase, normalBase } from '../stores/server-address.ts';
import type { PageSettings } from '../stores/settings-store.ts';

/** A key belongs to one address, so that it never reaches another. */
export const transcriptionKeySlot = (base: string): string => keySlot('transcription', normalBase(base));

/** Returns the server under an address, which is valid, with its key. @param slot of the key, by default that of the address */
export const transcriptionTarget = (
  { base, model, language }: Omit<TranscriptionTarget, 'key'>,
  { keys }: Pick<ReturnType<typeof useKeys.getState>, 'keys'>,
  slot = transcriptionKeySlot(base),
): TranscriptionTarget => ({
  base: apiBase(base, '/audio/transcriptions'),
  key: keys[slot]?.trim() ?? '',
  model: model.trim(),
  language: language.trim(),
});

/** Whether a server and a model are chosen. */
export const selectCanTranscribe = ({ transcription }: Pick<PageSettings, 'transcription'>): boolean =>
  transcription.model.trim() !== '' && addressProblem(transcription.base, 'http') === null;
