import pLimit from 'p-limit';
import { count } from '#lib/format.ts';
import { encodeWav } from '#lib/wav.ts';
import type { TurnView } from '#session/views.ts';
import { type ApiFault, apiFault } from '#text/api/api-fault.ts';
import { compareWords, MAX_COMPARED_WORDS, type WordComparison } from '#text/spoken/compare-words.ts';
import { type HeardText, type TranscriptionTarget, transcribe } from '#text/spoken/transcribe.ts';
import type { SessionClient } from '../session-client/session-client.ts';
import { apiTarget } from '../stores/api-target.ts';
import { keySlot, useKeys } from '../stores/key-store.ts';

/** A server on this machine has few cores, and a page has many turns. */
const queue = pLimit(1);

const fault = (detail: string, remedy: string): ApiFault =>
  apiFault('The words cannot be checked', detail, remedy);

/** A server as typed. `keyFrom` is the name of a plan's key, in place of that of the address. */
type TypedTranscription = Omit<TranscriptionTarget, 'key'> & { keyFrom?: string | null };

/**
 * Has the sound of turns transcribed, one request of the page at a time, and compares it with their text. Resolves to the
 * reason where that fails.
 */
export const checkSpeech = (
  client: SessionClient,
  turns: readonly TurnView[],
  text: string,
  { keyFrom, ...typed }: TypedTranscription,
  signal = new AbortController().signal,
): Promise<WordComparison | ApiFault> =>
  queue(async () => {
    const slot = keyFrom ? keySlot('plan', keyFrom) : undefined;
    const language = typed.language.trim();
    const target = { ...apiTarget('transcription', typed, useKeys.getState(), slot), language };
    const heard: HeardText[] = [];
    for (const { id, sampleRate } of turns) {
      const samples = await client.samplesOf(id);
      if (!samples || sampleRate === null)
        return fault('The sound of the turn is no longer kept.', 'Speak it again.');
      const transcript = await transcribe(target, encodeWav(samples, sampleRate), signal);
      if ('title' in transcript) return transcript;
      heard.push(transcript);
    }
    const heardText = heard.map((one) => one.text).join(' ');
    return (
      (await compareWords(text, heardText, language || (heard[0]?.language ?? ''))) ??
      fault(`There are more than ${count(MAX_COMPARED_WORDS)} words.`, 'Speak the text in parts.')
    );
  });
