import type { Chunk } from '#trace/chunks.ts';
import { playedRangesOf } from '#trace/player-entry.ts';
import type { RecordedTurn } from '#trace/recorded-speech.ts';
import { continued, estimateWords, SpeechPace } from '#trace/words/estimated-words.ts';
import type { TimedChunk, TimedTurn } from '#trace/words/word-timings.ts';

/** Returns the numbered turns of a recording with their words. Times are the server's, measured, or estimated as on the page. */
export function timedTurns(turns: readonly RecordedTurn[]): TimedTurn[] {
  const pace = new SpeechPace();
  return turns.flatMap(({ place, id, context, sound, samples, chunks, heard, heardByServer }) => {
    if (place.turn === null || chunks.length === 0) return [];
    const sampleRate = sound.audio?.sampleRate ?? null;
    const timed = chunks.map((chunk) => timedChunk(chunk, sampleRate ?? 0, pace));
    const turn = { id, context, sampleRate, samples, chunks: timed };
    if (heardByServer === null) return [turn];
    const playedSamples = heard ? playedRangesOf(heard).end : null;
    return [{ ...turn, heard: { server: heardByServer, playedSamples } }];
  });
}

/** Returns a chunk with the server's word times, those that were found in its sound, or estimates of the words that it contains. */
function timedChunk(
  { samples, completedMs, ...chunk }: Readonly<Chunk>,
  sampleRate: number,
  pace: SpeechPace,
): TimedChunk {
  if (chunk.text === null || samples === 0) return chunk;
  const receivedMs = (samples / sampleRate) * 1000;
  if (completedMs !== null) pace.learn(chunk.text, receivedMs);
  if (chunk.words) return chunk;
  const totalMs = completedMs !== null ? receivedMs : Math.max(receivedMs, pace.expectedMs(chunk.text));
  const estimated = estimateWords(chunk.text, totalMs);
  const words = chunk.measured ? continued(chunk.measured, estimated, totalMs) : estimated;
  const wordSource = chunk.measured ? 'measured' : 'estimated';
  return { ...chunk, words: words.filter(({ endMs }) => endMs <= receivedMs), wordSource };
}
