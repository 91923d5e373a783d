import { PcmStore } from '#player/pcm-store.ts';
import { isCompressed, type UncompressedFormat } from '#protocol/core/audio-format.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { fieldsOf } from '#protocol/core/json-frame.ts';
import type { AudioEvent, SpeechEvent, SpokenWord } from '#protocol/core/speech-event.ts';
import { endpointNamed } from '#protocol/registry.ts';
import { encodeSamples } from '#server/audio/output.ts';
import type { NewEntry } from '#trace/entry.ts';
import { byteLength } from '#trace/frame-size.ts';
import { Trace } from '#trace/trace.ts';
import { joinedWords } from '#trace/words/word-timings.ts';
import type { CleanSession } from './corpus.ts';

/** A chunk of a decoded turn. */
export interface Chunk {
  id: number;
  /** The samples of each of its audio frames. */
  frames: Int16Array[];
  /** Times in ms from the start of the chunk. Empty where the endpoint sends none. */
  words: readonly SpokenWord[];
}

/** New times of a word in ms; null drops it. */
export type Retime = (startMs: number, endMs: number) => { startMs: number; endMs: number } | null;

/** A decoded turn that can be changed and written back. */
export interface DecodedTurn {
  session: CleanSession;
  /** Number of the turn in its recording. */
  id: number;
  format: UncompressedFormat;
  chunks: readonly Chunk[];
  /** Changes of word times by chunk. */
  retimes: Map<number, Retime>;
  /** Changes the encoded bytes of all frames, in their order; the number of frames stays. */
  rewrite: ((frames: Uint8Array[]) => Uint8Array[]) | null;
}

interface Place {
  entry: NewEntry;
  events: readonly SpeechEvent[];
  audio: AudioEvent | undefined;
}

function placesOf({ endpoint, entries }: CleanSession, turn: number): Place[] {
  const trace = new Trace(endpointNamed(endpoint));
  return entries.flatMap((entry) => {
    const { events } = trace.decode(entry);
    const audio = events.find((event) => event.type === 'audio');
    return entry.turn === turn && entry.direction === 'in' ? [{ entry, events, audio }] : [];
  });
}

export const turnsOf = ({ entries }: CleanSession): number[] =>
  [...new Set(entries.flatMap(({ turn }) => turn ?? []))].sort((a, b) => a - b);

/** Decodes one turn; null where it has no audio of uncompressed samples. */
export function decodeTurn(session: CleanSession, id: number): DecodedTurn | null {
  const chunks = new Map<number, Chunk>();
  const chunkOf = (number: number): Chunk => {
    const chunk = chunks.get(number) ?? { id: number, frames: [], words: [] };
    chunks.set(number, chunk);
    return chunk;
  };
  let format: UncompressedFormat | null = null;
  for (const { events } of placesOf(session, id)) {
    for (const event of events) {
      if (event.type === 'words') {
        const chunk = chunkOf(event.chunk);
        chunk.words = joinedWords(chunk.words, event.words, null) ?? [];
      }
      if (event.type !== 'audio') continue;
      const { encoding, sampleRate, payload, chunk } = event;
      if (isCompressed(encoding)) return null;
      format ??= { encoding, sampleRate };
      const store = new PcmStore(sampleRate);
      store.appendPayload(payload, encoding);
      chunkOf(chunk).frames.push(store.slice());
    }
  }
  return format && { session, id, format, chunks: [...chunks.values()], retimes: new Map(), rewrite: null };
}

/** All samples of a turn, or of a chunk. */
export function samplesOf({ chunks }: Pick<DecodedTurn, 'chunks'>): Int16Array {
  const frames = chunks.flatMap((chunk) => chunk.frames);
  const all = new Int16Array(frames.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const frame of frames) {
    all.set(frame, at);
    at += frame.length;
  }
  return all;
}

/** Cuts the samples of a chunk into frames as long as its longest one. */
export function cut(samples: Int16Array, like: readonly Int16Array[]): Int16Array[] {
  const size = Math.max(1, ...like.map(({ length }) => length));
  const first = like[0]?.length ?? size;
  const frames = [samples.slice(0, first)];
  for (let at = first; at < samples.length; at += size) frames.push(samples.slice(at, at + size));
  return frames;
}

/** Writes a turn into the frames of its recording. @param alone without the entries of other turns */
export function writeTurn(turn: DecodedTurn, alone: boolean): NewEntry[] {
  const places = new Map(placesOf(turn.session, turn.id).map((place) => [place.entry, place]));
  const encoded = turn.chunks.map(({ id, frames }) => ({
    id,
    frames: frames.map((samples) => encodeSamples(turn.format.encoding, samples)),
  }));
  if (turn.rewrite) {
    const all = turn.rewrite(encoded.flatMap(({ frames }) => frames));
    let at = 0;
    for (const chunk of encoded) {
      chunk.frames = chunk.frames.map((bytes) => all[at++] ?? bytes) as typeof chunk.frames;
    }
  }
  const left = new Map(encoded.map(({ id, frames }) => [id, [...frames]]));
  const waiting = new Map<number, number>();
  for (const { audio } of places.values()) {
    if (audio) waiting.set(audio.chunk, (waiting.get(audio.chunk) ?? 0) + 1);
  }
  const written: NewEntry[] = [];
  let idx = 0;
  const perSample = turn.format.encoding === 'pcm_s16le' ? 2 : turn.format.encoding === 'pcm_f32le' ? 4 : 1;
  const add = (entry: NewEntry, bytes: Uint8Array, isExtra: boolean): void => {
    const payload = withAudio(entry.payload, bytes, Math.floor(bytes.length / perSample), idx, isExtra);
    const audioMs = (1000 * bytes.length) / perSample / turn.format.sampleRate;
    written.push({ ...entry, payload, bytes: byteLength(payload), audioMs });
    idx += 1;
  };
  for (const entry of turn.session.entries) {
    const place = places.get(entry);
    if (!place) {
      if (!alone || entry.turn === null || entry.turn === turn.id) written.push(entry);
      continue;
    }
    const retimed = retimedEntry(entry, place, turn);
    const { audio } = place;
    if (!audio) {
      written.push(retimed);
      continue;
    }
    const frames = left.get(audio.chunk) ?? [];
    const still = waiting.get(audio.chunk) ?? 0;
    waiting.set(audio.chunk, still - 1);
    const next = frames.shift();
    if (next) add(retimed, next, false);
    // Words that travel in an audio frame stay without it.
    else if (place.events.some(({ type }) => type === 'words')) add(retimed, new Uint8Array(), false);
    if (still === 1) for (const bytes of frames.splice(0)) add(entry, bytes, true);
  }
  return written;
}

/** @param isExtra a frame that repeats another one's fields but its words */
function withAudio(payload: Frame, bytes: Uint8Array, samples: number, idx: number, isExtra: boolean): Frame {
  if (typeof payload !== 'string') return Uint8Array.from(bytes);
  const fields = fieldsOf(payload) ?? {};
  const base64 = Buffer.from(bytes).toString('base64');
  return JSON.stringify({
    ...fields,
    ...('chunk' in fields ? { chunk: base64 } : { audio: base64 }),
    ...('samples' in fields && { samples }),
    ...('idx' in fields && { idx }),
    ...(isExtra && 'alignment' in fields && { alignment: null, normalizedAlignment: null }),
  });
}

interface TimedCharacters {
  chars: string[];
  charStartTimesMs: number[];
  charDurationsMs: number[];
}

function retimedEntry(entry: NewEntry, { events }: Place, { retimes }: DecodedTurn): NewEntry {
  const words = events.find((event) => event.type === 'words');
  const retime = words && retimes.get(words.chunk);
  if (!retime || typeof entry.payload !== 'string') return entry;
  const fields = { ...fieldsOf(entry.payload) };
  if (Array.isArray(fields.word_timestamps)) {
    fields.word_timestamps = fields.word_timestamps.flatMap((word: { start_ms: number; end_ms: number }) => {
      const times = retime(word.start_ms, word.end_ms);
      return times ? [{ ...word, start_ms: Math.round(times.startMs), end_ms: Math.round(times.endMs) }] : [];
    });
  }
  for (const name of ['alignment', 'normalizedAlignment']) {
    if (fields[name]) fields[name] = retimedCharacters(fields[name] as TimedCharacters, retime);
  }
  return { ...entry, payload: JSON.stringify(fields) };
}

function retimedCharacters(timed: TimedCharacters, retime: Retime): TimedCharacters {
  const kept = timed.chars.flatMap((char, at) => {
    const startMs = timed.charStartTimesMs[at] ?? 0;
    const times = retime(startMs, startMs + (timed.charDurationsMs[at] ?? 0));
    return times ? [{ char, ...times }] : [];
  });
  return {
    chars: kept.map(({ char }) => char),
    charStartTimesMs: kept.map(({ startMs }) => Math.round(startMs)),
    charDurationsMs: kept.map(({ startMs, endMs }) => Math.max(0, Math.round(endMs - startMs))),
  };
}

/** The length of all audio in a recording, in seconds. */
export const soundSeconds = (entries: readonly NewEntry[]): number =>
  entries.reduce((sum, { direction, audioMs }) => sum + (direction === 'in' ? (audioMs ?? 0) / 1000 : 0), 0);
