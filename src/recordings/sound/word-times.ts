import { largest } from '#lib/collections/arrays.ts';
import { milliseconds, seconds } from '#lib/format.ts';
import { jumpAt } from './seams.ts';
import { silenceText } from './silence.ts';
import {
  durationS,
  faultAt,
  heardIn,
  overlap,
  type SoundFault,
  type Stretch,
  type TurnSound,
  WINDOW_S,
} from './turn-sound.ts';

/** Shorter pauses are in words too. */
const LEAST_PAUSE_S = 0.15;
/** Times that run on through a pause show nothing. */
const LEAST_GAP_S = 0.05;
const MOST_OFF_S = 0.12;
/** Times that are further off belong to another pause. */
const FARTHEST_S = 0.65;
/** Beyond that, two pauses may agree by chance. */
const FAR_S = 0.5;
/** Times of one voice agree with its sound to this extent. Sound fades out behind its word, which may end early by more. */
const JITTER_S = 0.06;
const FADE_S = 0.15;
/** Times are off where half of the pauses agree with that, and less than half as many with the times as they are. */
const AGREEING = 0.5;
const AGAINST = 0.4;

const LEAST_SKIP_S = 0.05;
/** Lengths of frames that the server rounds. */
const ROUNDING_S = 0.004;

const LEAST_WORD_S = 0.08;
/** The sound of its neighbours may reach into the time of a word. */
const HEARD_SHARE = 0.2;
const LEAST_UNCOVERED_S = 0.25;

/** Word times and lengths that the sound contradicts. Times that are all off explain all others. */
export function wordFaults(sound: TurnSound): SoundFault[] {
  const skipped = skips(sound);
  if (sound.words.length === 0) return skipped;
  const off = wordsOff(sound, skipped.length === 1 ? 0 : AGAINST);
  return off ? [off] : [...skipped, ...wordsInSilence(sound), ...uncovered(sound)];
}

/** Chunks that are shorter than the server says. */
function skips(sound: TurnSound): SoundFault[] {
  return sound.chunks.flatMap((chunk) => {
    const missingS = (chunk.statedSeconds ?? 0) - durationS(chunk, sound);
    if (missingS < LEAST_SKIP_S) return [];
    const expected = `${seconds(chunk.statedSeconds)} of speech as the server says`;
    const place = placeOfSkip(sound, chunk, missingS * sound.sampleRate);
    return [faultAt('skip-at-seam', place, expected, `${milliseconds(1000 * missingS)} less`)];
  });
}

/** A frame that is shorter by as much, or else the seam with the largest jump. */
function placeOfSkip(
  { samples, sampleRate, seams }: TurnSound,
  { from, to }: Stretch,
  missing: number,
): Stretch {
  const inner = seams.filter((sample) => sample > from && sample < to);
  const frames = [from, ...inner].map((start, at) => ({ from: start, to: inner[at] ?? to }));
  const usual = largest(frames.map((frame) => frame.to - frame.from));
  const isShort = (frame: Stretch): boolean =>
    Math.abs(usual - missing - (frame.to - frame.from)) <= ROUNDING_S * sampleRate;
  const short = frames.slice(0, -1).filter(isShort);
  const places = short.length > 0 ? short : inner.map((place) => ({ from: place, to: place + 1 }));
  const jumpOf = (place: number): number => jumpAt(samples, sampleRate, place).ratio;
  const jumps = places.map((place) => Math.max(jumpOf(place.from), jumpOf(place.to)));
  return places[jumps.indexOf(largest(jumps))] ?? { from, to };
}

/** Times that are all off by as much, judged by the pauses of the sound and by its begin and end. */
function wordsOff(sound: TurnSound, mostAgainst: number): SoundFault | null {
  const { words, sampleRate, samples, audible, silences } = sound;
  const [first] = words;
  const last = words.at(-1);
  if (!first || !last) return null;
  const gaps = gapsOf({ from: first.from, to: last.to }, words).filter(
    (gap) => durationS(gap, sound) >= LEAST_GAP_S,
  );
  const pauses = silences.filter(
    (silence) =>
      silence.from > audible.from && silence.to < audible.to && durationS(silence, sound) >= LEAST_PAUSE_S,
  );
  const late = (at: number, soundAt: number): number => (at - soundAt) / sampleRate;
  const isNear = (lateS: number): boolean => Math.abs(lateS) <= FARTHEST_S + FADE_S;
  const edges: Edge[] = pauses.map((pause) => ({
    begins: gaps.map((gap) => late(gap.to, pause.to)).filter(isNear),
    ends: gaps.map((gap) => late(gap.from, pause.from)).filter(isNear),
  }));
  // No time is before the first sample, or behind the last one.
  if (first.from > 0) edges.push({ begins: [late(first.from, audible.from)], ends: [] });
  if (last.to < samples.length) edges.push({ begins: [], ends: [late(last.to, audible.to)], isEnd: true });
  const offsets = new Map(
    edges
      .flatMap(({ begins, ends }) => [...begins, ...ends])
      .map((offS) => [Math.round(offS / WINDOW_S), offS]),
  );
  const [best] = [...offsets.values()]
    .filter((offS) => Math.abs(offS) > MOST_OFF_S && Math.abs(offS) <= FARTHEST_S)
    .map((offS) => ({ offS, ...votesFor(offS, edges) }))
    .filter(({ begun, offS }) => begun > 0 || Math.abs(offS) > FADE_S)
    .sort((a, b) => b.agreeing - a.agreeing || Math.abs(a.offS) - Math.abs(b.offS));
  const least = best && Math.abs(best.offS) > FAR_S ? 3 : 2;
  if (
    !best ||
    best.agreeing < Math.max(least, AGREEING * best.of) ||
    best.against > mostAgainst * best.agreeing
  )
    return null;
  const { offS } = best;
  const got = `times that run ${milliseconds(1000 * Math.abs(offS))} ${offS < 0 ? 'ahead' : 'behind'}`;
  return faultAt('words-off', { from: first.from, to: samples.length }, 'words at their sound', got);
}

/** Seconds by which the times near a pause are later than its sound. */
interface Edge {
  /** Of words that begin behind it. */
  begins: readonly number[];
  /** Of words that end before it. Times may run on through a pause, so that late ones show nothing. */
  ends: readonly number[];
  /** The end of the turn, behind which no word begins. */
  isEnd?: true;
}

/** Counts the edges that agree with times that are off by this much, and those that agree with the times as they are. */
function votesFor(
  offS: number,
  edges: readonly Edge[],
): { agreeing: number; begun: number; against: number; of: number } {
  const judged = edges.filter((edge) => offS < 0 || !edge.isEnd);
  const begins = (edge: Edge, atS: number): boolean =>
    edge.begins.some((lateS) => Math.abs(lateS - atS) <= JITTER_S);
  const ends = (edge: Edge): boolean =>
    offS < 0 && edge.ends.some((lateS) => lateS - offS <= JITTER_S && offS - lateS <= FADE_S);
  return {
    agreeing: judged.filter((edge) => begins(edge, offS) || ends(edge)).length,
    begun: judged.filter((edge) => begins(edge, offS)).length,
    against: judged.filter((edge) => begins(edge, 0) && !ends(edge)).length,
    of: judged.length,
  };
}

function wordsInSilence(sound: TurnSound): SoundFault[] {
  const { words, samples, isCut } = sound;
  return words
    .filter(
      (word) =>
        word.isSpoken &&
        // The rest of a turn that was cut is not expected.
        !(isCut && word.to >= samples.length) &&
        durationS(word, sound) >= LEAST_WORD_S &&
        heardIn(word, sound) < HEARD_SHARE * durationS(word, sound),
    )
    .map((word) =>
      faultAt('word-in-silence', word, `the sound of ${JSON.stringify(word.word)}`, silenceText(word, sound)),
    );
}

function uncovered(sound: TurnSound): SoundFault[] {
  const { words, chunks, isCut } = sound;
  return chunks
    .filter((chunk) => chunk.words !== null || !isCut)
    .flatMap((chunk) => gapsOf(chunk, words))
    .map((gap) => ({ ...gap, heardS: heardIn(gap, sound) }))
    .filter(({ heardS }) => heardS >= LEAST_UNCOVERED_S)
    .map((gap) =>
      faultAt('words-uncovered', gap, 'a word for all speech', `${seconds(gap.heardS)} without one`),
    );
}

/** Returns the parts of a stretch that no word is in. */
function gapsOf(chunk: Stretch, words: readonly Stretch[]): Stretch[] {
  const gaps: Stretch[] = [];
  let from = chunk.from;
  for (const word of words.filter((one) => overlap(one, chunk) > 0).toSorted((a, b) => a.from - b.from)) {
    if (word.from > from) gaps.push({ from, to: word.from });
    from = Math.max(from, word.to);
  }
  return from < chunk.to ? [...gaps, { from, to: chunk.to }] : gaps;
}
