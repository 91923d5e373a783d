import pLimit from 'p-limit';
import { count } from '#lib/format.ts';
import { encodeWav } from '#lib/wav.ts';
import type { TurnSamples } from '#session/commands.ts';
import type { TurnView } from '#session/views.ts';
import { type ApiFault, apiFault } from '#text/api/api-fault.ts';
import { MAX_COMPARED_WORDS } from '#text/spoken/alignment.ts';
import { compareWords, type WordComparison } from '#text/spoken/compare-words.ts';
import {
  type HeardText,
  MAX_SOUND_BYTES,
  type TranscriptionTarget,
  transcribe,
} from '#text/spoken/transcribe.ts';
import type { SessionClient } from '../session-client/session-client.ts';

/** The words of a text, those that were heard, and the times of the heard text in the first turn. */
export type CheckedSpeech = WordComparison & Pick<HeardText, 'times'>;

/** A server on this machine has few cores, and a page has many turns. */
const queue = pLimit(1);

/** The session's worker answers at once, unless it has stopped. */
const SOUND_WAIT_MS = 5000;

const fault = (detail: string, remedy: string): ApiFault =>
  apiFault('The words cannot be checked', detail, remedy);

/**
 * Has the sound of turns transcribed, one request of the page at a time, and compares it with their text. Resolves to the
 * reason where that fails.
 */
export const checkSpeech = (
  client: SessionClient,
  turns: readonly TurnView[],
  text: string,
  target: TranscriptionTarget,
  signal = new AbortController().signal,
): Promise<CheckedSpeech | ApiFault> =>
  queue(async () => {
    const heard: HeardText[] = [];
    for (const { id, samples } of turns) {
      if (samples * Int16Array.BYTES_PER_ELEMENT > MAX_SOUND_BYTES)
        return fault(
          `The sound of a turn has more than ${count(MAX_SOUND_BYTES)} bytes.`,
          'Speak it in parts.',
        );
      const sound = await soundOf(client, id, AbortSignal.any([signal, AbortSignal.timeout(SOUND_WAIT_MS)]));
      if (!sound) return fault('The sound of the turn is no longer kept.', 'Speak it again.');
      const transcript = await transcribe(target, encodeWav(sound.samples, sound.sampleRate), signal);
      if ('title' in transcript) return transcript;
      heard.push(transcript);
    }
    const language = target.language || (heard[0]?.language ?? '');
    const compared = await compareWords(text, heard.map((one) => one.text).join(' '), language);
    return compared
      ? { ...compared, times: heard[0]?.times ?? [] }
      : fault(`There are more than ${count(MAX_COMPARED_WORDS)} words.`, 'Speak the text in parts.');
  });

function soundOf(client: SessionClient, turn: number, signal: AbortSignal): Promise<TurnSamples | null> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    const done = (sound: TurnSamples | null) => {
      port1.close();
      resolve(sound);
    };
    port1.onmessage = ({ data }: MessageEvent<TurnSamples | null>) => done(data);
    signal.addEventListener('abort', () => done(null));
    client.takeSound(turn, port2);
  });
}
