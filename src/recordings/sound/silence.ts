import { seconds } from '#lib/format.ts';
import { hasWords } from '#protocol/core/text-words.ts';
import {
  durationS,
  faultAt,
  heardIn,
  overlap,
  type SoundFault,
  type Stretch,
  type TurnSound,
} from './turn-sound.ts';

/** The longest silence of each place. */
const LEADING = { id: 'leading-silence', mostS: 0.5, where: 'before the first sound' } as const;
const TRAILING = { id: 'trailing-silence', mostS: 0.8, where: 'after the last sound' } as const;
const INSIDE = { id: 'dead-air', mostS: 0.8, where: 'inside a sentence' } as const;
const BETWEEN = { id: 'dead-air', mostS: 2, where: 'between two sentences' } as const;
/** Where no words show whether a sentence ends. */
const SOMEWHERE = { id: 'dead-air', mostS: 1, where: 'inside a turn' } as const;
/** A shorter chunk may be a breath or a mark. */
const LEAST_CHUNK_S = 0.2;
/** Pauses that the text asks for are no fault. Linear, because a bracket ends where another one begins. */
const ASKS_FOR_PAUSE = /<break|<pause|\[[^[\]]*pause|\(break|\.\.\.|…/i;

/** Silence where speech is expected. Longer ones hide the shorter ones within them. */
export function silenceFaults(sound: TurnSound): SoundFault[] {
  const { samples, silences, chunks } = sound;
  const all = { from: 0, to: samples.length };
  if (sound.isSilent)
    return hasWords(sound.text)
      ? [faultAt('silent-turn', all, 'audible sound', silenceText(all, sound))]
      : [];
  const silentChunks = chunks.filter(
    (chunk) =>
      durationS(chunk, sound) >= LEAST_CHUNK_S &&
      hasWords(chunk.text ?? '') &&
      heardIn(chunk, sound) < LEAST_CHUNK_S / 10,
  );
  const faults = silentChunks.map((chunk) => {
    const text = JSON.stringify(chunk.text?.slice(0, 40));
    return faultAt('silent-chunk', chunk, `the sound of ${text}`, silenceText(chunk, sound));
  });
  if (ASKS_FOR_PAUSE.test(sound.text) || ASKS_FOR_PAUSE.test(sound.sentText)) return faults;
  for (const silence of silences) {
    const limit = limitOf(silence, sound);
    const lengthS = durationS(silence, sound);
    if (!limit || lengthS <= limit.mostS || silentChunks.some((chunk) => overlap(chunk, silence) > 0))
      continue;
    const expected = `at most ${seconds(limit.mostS)} of silence ${limit.where}`;
    faults.push(faultAt(limit.id, silence, expected, seconds(lengthS)));
  }
  return faults;
}

export const silenceText = (stretch: Stretch, sound: TurnSound): string =>
  `${seconds(durationS(stretch, sound))} of silence`;

function limitOf({ from, to }: Stretch, { audible, words, isCut }: TurnSound) {
  if (from < audible.from) return LEADING;
  if (to > audible.to) return isCut ? null : TRAILING;
  const before = words.findLast((word) => word.from + word.to < from + to);
  if (!before) return SOMEWHERE;
  return before.isInSentence ? INSIDE : BETWEEN;
}
