import { captionsOf, toSrt, toVtt } from '#lib/text/captions.ts';
import { encodeWav } from '#lib/wav.ts';
import { ONLY_CONTEXT } from '#protocol/core/speech-event.ts';
import { isOpening } from '#trace/connection.ts';
import type { RecordEntry, RecordHead, RecordingInfo } from '#trace/entry.ts';
import { writeRecording } from '#trace/files/recording-file.ts';
import {
  type NotedPlace,
  RecordedSpeech,
  type RecordedTurn,
  SOUND_LIMITS,
  type SoundLimits,
} from '#trace/recorded-speech.ts';
import type { ReferenceSource } from '#trace/words/text-search.ts';
import { sourceWords, type TimedTurn, timedWords, timingsJson } from '#trace/words/word-timings.ts';
import { writeHar } from './har-writer.ts';
import { heardSound, type RecordedSound, receivedSound } from './recorded-sound.ts';
import { timedTurns } from './timed-turns.ts';

/** A format of {@link EXPORT_FORMATS}. */
export type ExportFormatId = 'voicewire' | 'har' | 'receivedWav' | 'heardWav' | 'srt' | 'vtt' | 'words';

/** The part in a file of sound or words: one turn, or all turns of a context end to end. */
export type RecordingPart = { turn: number } | { context: string | null };

export interface ExportSource {
  info: RecordingInfo;
  /** Reads the chosen entries in order, by default all. Each call begins anew. */
  entries(choice?: EntryChoice): AsyncGenerator<RecordEntry, void, undefined>;
  /** By which words are found that have no times. */
  reference: ReferenceSource;
  /** Yields to other work of the thread. */
  pause(): Promise<void>;
}

/** Ascending indexes of entries, or a choice by their heads. */
export type EntryChoice = readonly number[] | ((head: RecordHead) => boolean);

export interface ExportPiece {
  /** End of the file's name where there are several files; empty for the first. */
  file: string;
  data: string | Uint8Array<ArrayBuffer>;
}

export interface ExportFormat {
  title: string;
  /** Its use, in one sentence. */
  hint: string;
  /** Without the leading dot. */
  extension: string;
  mediaType: string;
  /** Written for the whole recording, or for a part. */
  of: 'recording' | 'part';
  /** Number of passes over the recording, for the progress. */
  passes: number;
  /**
   * @param part ignored by formats of the whole recording
   * @throws Error that names what is missing
   */
  write(source: ExportSource, part: RecordingPart): AsyncGenerator<ExportPiece, void, undefined>;
}

export const EXPORT_FORMATS: Readonly<Record<ExportFormatId, ExportFormat>> = {
  voicewire: {
    title: 'Recording',
    hint: 'Every frame with its time, one JSON value a line. Opens here again with nothing lost.',
    extension: 'voicewire.ndjson',
    mediaType: 'application/x-ndjson',
    of: 'recording',
    passes: 1,
    async *write({ info, entries }) {
      for await (const data of writeRecording(info, entries())) yield { file: '', data };
    },
  },
  har: {
    title: 'HAR',
    hint: 'For the browser’s developer tools: Network, import. Opens here again as well.',
    extension: 'har',
    mediaType: 'application/json',
    of: 'recording',
    passes: 2,
    async *write({ info, entries }) {
      for await (const data of writeHar(info, entries)) yield { file: '', data };
    },
  },
  receivedWav: sound({
    title: 'Sound as received (WAV)',
    hint: 'Every sample that came, whether or not it was heard.',
    extension: 'wav',
    soundOf: receivedSound,
    missing: 'There is no audio in this part of the recording.',
  }),
  heardWav: sound({
    title: 'Sound as heard (WAV)',
    hint: 'What left the speakers: with the silence of underruns, without what was cut off.',
    extension: 'heard.wav',
    soundOf: heardSound,
    missing: 'Nothing in this part of the recording was recorded as heard. It may come from another program.',
  }),
  srt: words('SRT', 'Captions for video players and editors.', 'srt', 'application/x-subrip', (turns) =>
    toSrt(captionsOf(timedWords(turns))),
  ),
  vtt: words(
    'WebVTT',
    'Captions for the web: a track of an audio or video element.',
    'vtt',
    'text/vtt',
    (turns) => toVtt(captionsOf(timedWords(turns)), `Word times ${sourceWords(turns)}.`),
  ),
  words: words(
    'Word timings (JSON)',
    'Each word with its times and its place in the text, by turn and chunk.',
    'words.json',
    'application/json',
    timingsJson,
  ),
};

/** Writes a WAV file for each rate of the part's audio. */
function sound({
  soundOf,
  missing,
  ...format
}: Pick<ExportFormat, 'title' | 'hint' | 'extension'> & {
  soundOf: (turns: readonly RecordedTurn[]) => RecordedSound[];
  missing: string;
}): ExportFormat {
  return {
    ...format,
    mediaType: 'audio/wav',
    of: 'part',
    passes: 1,
    async *write(source, part) {
      // What was sent may tell a dialect how to read the audio. Audio of other parts decides only the numbers of chunks.
      const isWanted = (head: RecordHead) => isOpening(head) || head.direction === 'out' || isOf(head, part);
      const turns = await turnsIn(source, SOUND_LIMITS, isWanted);
      const pieces = soundOf(turns.filter(({ place }) => isOf(place, part)));
      if (pieces.length === 0) throw new Error(missing);
      for (const { samples, sampleRate } of pieces) {
        const file = pieces.length > 1 ? `${sampleRate} Hz` : '';
        yield { file, data: encodeWav(samples, sampleRate) };
      }
    },
  };
}

/** Times are those of {@link EXPORT_FORMATS}' `receivedWav` of the same part. */
function words(
  title: string,
  hint: string,
  extension: string,
  mediaType: string,
  textOf: (turns: readonly TimedTurn[]) => string,
): ExportFormat {
  return {
    title,
    hint,
    extension,
    mediaType,
    of: 'part',
    passes: 1,
    async *write(source, part) {
      // Some dialects derive the chunks from the frames of all turns.
      const turns = timedTurns(await turnsWithWords(source, part)).filter(({ id, context }) =>
        isOf({ turn: id, context: context === ONLY_CONTEXT ? null : context }, part),
      );
      if (!turns.some(({ chunks }) => chunks.some((chunk) => chunk.words?.length))) {
        throw new Error(
          'There are no words with times in this part of the recording, because nothing is spoken in it.',
        );
      }
      yield { file: '', data: textOf(turns) };
    },
  };
}

/** Finds words without times in their sound, where it is not too much for one file. */
async function turnsWithWords(source: ExportSource, part: RecordingPart): Promise<readonly RecordedTurn[]> {
  const counted = await turnsIn(source, null);
  const isWanted = ({ place, chunks }: RecordedTurn): boolean =>
    isOf(place, part) && chunks.some(({ text, words, measured }) => text !== null && !words && !measured);
  if (!counted.some(isWanted)) return counted;
  const turns = await turnsIn(source, SOUND_LIMITS).catch(() => counted);
  for (const turn of turns.filter(isWanted)) await turn.measure(source.reference, source.pause);
  return turns;
}

/** @param limits null: the samples are only counted */
async function turnsIn(
  { info, entries }: ExportSource,
  limits: SoundLimits | null,
  choice?: EntryChoice,
): Promise<readonly RecordedTurn[]> {
  const speech = new RecordedSpeech(info.endpoint, limits);
  for await (const entry of entries(choice)) await speech.add(entry);
  for (const { sound } of speech.turns) sound.close();
  return speech.turns;
}

/** Whether an entry or a turn belongs to the part. */
export const isOf = (head: NotedPlace, part: RecordingPart): boolean =>
  'turn' in part ? head.turn === part.turn : head.context === part.context;
