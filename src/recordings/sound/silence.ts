import { seconds } from '#lib/format.ts';
import { overlap, type PlacedWord, type SoundFault, type Stretch, type TurnSound } from './turn-sound.ts';

const LEADING_S = 0.5;
const TRAILING_S = 0.8;
const INSIDE_S = 0.8;
const BETWEEN_S = 2;
/** Where no words show whether a sentence ends. */
const SOMEWHERE_S = 1;
/** A shorter chunk may be a breath or a mark. */
const LEAST_CHUNK_S = 0.2;
/** Pauses that the text asks for are no fault. */
const ASKS_FOR_PAUSE = /<break|<pause|\[[^\]]*pause|\(break|\.\.\.|…/i;

/** Whether a text has letters or digits outside of tags. */
const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text.replaceAll(/<[^>]*>|\[[^\]]*\]/g, ''));

type SilenceId = 'silent-turn' | 'silent-chunk' | 'leading-silence' | 'trailing-silence' | 'dead-air';

/** Silence where speech is expected. Longer ones hide the shorter ones within them. */
export function silenceFaults(sound: TurnSound): SoundFault<SilenceId>[] {
  const { samples, silences, chunks, audible, isCut } = sound;
  const all = { from: 0, to: samples.length };
  if (sound.isSilent) {
    const message = `expected audible sound, got ${seconds(sound.secondsOf(all))} of silence`;
    return hasWords(sound.text) ? [{ id: 'silent-turn', ...all, message }] : [];
  }
  const silentChunks = chunks.filter(
    (chunk) =>
      sound.secondsOf(chunk) >= LEAST_CHUNK_S &&
      hasWords(chunk.text ?? '') &&
      sound.heardIn(chunk) < LEAST_CHUNK_S / 10,
  );
  const faults: SoundFault<SilenceId>[] = silentChunks.map(({ from, to, text }) => ({
    id: 'silent-chunk',
    from,
    to,
    message: `expected the sound of ${JSON.stringify(text?.slice(0, 40))}, got ${seconds(sound.secondsOf({ from, to }))} of silence`,
  }));
  const report = (id: SilenceId, silence: Stretch, mostS: number, where: string): void => {
    const lengthS = sound.secondsOf(silence);
    if (lengthS <= mostS || silentChunks.some((chunk) => overlap(chunk, silence) > 0)) return;
    const message = `expected at most ${seconds(mostS)} of silence ${where}, got ${seconds(lengthS)}`;
    faults.push({ id, ...silence, message });
  };
  if (ASKS_FOR_PAUSE.test(sound.text) || ASKS_FOR_PAUSE.test(sound.sentText)) return faults;
  for (const silence of silences) {
    if (silence.from < audible.from) report('leading-silence', silence, LEADING_S, 'before the first sound');
    else if (silence.to > audible.to) {
      if (!isCut) report('trailing-silence', silence, TRAILING_S, 'after the last sound');
    } else {
      const before = wordBefore(sound, silence);
      if (!before) report('dead-air', silence, SOMEWHERE_S, 'inside a turn');
      else if (before.isInSentence) report('dead-air', silence, INSIDE_S, 'inside a sentence');
      else report('dead-air', silence, BETWEEN_S, 'between two sentences');
    }
  }
  return faults;
}

const wordBefore = ({ words }: TurnSound, { from, to }: Stretch): PlacedWord | undefined =>
  words.findLast((word) => word.from + word.to < from + to);
