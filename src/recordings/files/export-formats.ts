import { captionsOf, toSrt, toVtt } from '#lib/captions.ts';
import type { RecordEntry, RecordHead, RecordingInfo } from '../format/record.ts';
import { type TimedTurn, timedWords, timingsJson } from '../format/word-timings.ts';
import { writeHar } from './har-writer.ts';
import { HeardAudioCollector } from './heard-audio.ts';
import { type ReceivedAudio, ReceivedAudioCollector, wavOf } from './received-audio.ts';
import { RecordedTurns } from './recorded-turns.ts';
import { writeRecording } from './recording-file.ts';

/** Every kind of file that a recording can be turned into: another one is an entry in {@link EXPORT_FORMATS}. */
export type ExportFormatId = 'voicewire' | 'har' | 'receivedWav' | 'heardWav' | 'srt' | 'vtt' | 'words';

/** What of a recording a file of sound or words is about: one turn, or all turns of a context end to end. */
export type RecordingPart = { turn: number } | { context: string | null };

/** A recording as it is read for a file. */
export interface ExportSource {
  info: RecordingInfo;
  /**
   * Entries from one index up to another, which is not included; each call begins anew.
   * @param wanted entries that are needed; all without it
   */
  entries(
    from: number,
    to: number,
    wanted?: (head: RecordHead) => boolean,
  ): AsyncGenerator<RecordEntry, void, undefined>;
}

/** Some of a file. */
export interface ExportPiece {
  /** Which file, where there are several: what its name ends with. Empty for the first. */
  file: string;
  data: string | Uint8Array<ArrayBuffer>;
}

export interface ExportFormat {
  title: string;
  /** One sentence that says what it is good for. */
  hint: string;
  /** Of the name, without the dot before it. */
  extension: string;
  mediaType: string;
  /** Whether there is one of the whole recording, or one of each part. */
  of: 'recording' | 'part';
  /** How often the recording is gone through, for the progress. */
  passes: number;
  /**
   * @param part what it is of; a format of the whole recording does not look at it
   * @throws Error that says what is missing, where the recording holds nothing for such a file
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
      for await (const data of writeRecording(info, entries(0, Number.POSITIVE_INFINITY)))
        yield { file: '', data };
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
  receivedWav: {
    title: 'Sound as received (WAV)',
    hint: 'Every sample that came, whether or not it was heard.',
    extension: 'wav',
    mediaType: 'audio/wav',
    of: 'part',
    passes: 1,
    async *write({ info, entries }, part) {
      const collector = new ReceivedAudioCollector(info.endpoint);
      const isWanted = (head: RecordHead) => head.kind === 'audio' && isOf(head, part);
      for await (const entry of entries(0, Number.POSITIVE_INFINITY, isWanted)) collector.add(entry);
      const pieces = 'turn' in part ? collector.turns() : collector.contexts();
      if (pieces.length === 0) throw new Error('There is no audio in this part of the recording.');
      yield* wavFiles(pieces);
    },
  },
  heardWav: {
    title: 'Sound as heard (WAV)',
    hint: 'What left the speakers: with the silence of underruns, without what was cut off.',
    extension: 'heard.wav',
    mediaType: 'audio/wav',
    of: 'part',
    passes: 1,
    async *write({ info, entries }, part) {
      const collector = new HeardAudioCollector(info.endpoint);
      const isWanted = (head: RecordHead) =>
        (head.kind === 'audio' || head.direction === 'player') && isOf(head, part);
      for await (const entry of entries(0, Number.POSITIVE_INFINITY, isWanted)) collector.add(entry);
      const options = { withSilence: true };
      const pieces = 'turn' in part ? collector.turns(options) : collector.contexts(options);
      if (pieces.length === 0) {
        throw new Error(
          'Nothing in this part of the recording tells that it was heard. It may come from elsewhere.',
        );
      }
      yield* wavFiles(pieces);
    },
  },
  srt: words('SRT', 'Captions for video players and editors.', 'srt', 'application/x-subrip', (turns) =>
    toSrt(captionsOf(timedWords(turns))),
  ),
  vtt: words(
    'WebVTT',
    'Captions for the web: a track of an audio or video element.',
    'vtt',
    'text/vtt',
    (turns) => toVtt(captionsOf(timedWords(turns))),
  ),
  words: words(
    'Word timings (JSON)',
    'Each word with its times and its place in the text, by turn and chunk.',
    'words.json',
    'application/json',
    (turns) => timingsJson(turns),
  ),
};

/** A WAV file has one rate. */
function* wavFiles(pieces: readonly ReceivedAudio[]): Generator<ExportPiece> {
  for (const piece of pieces) {
    yield { file: pieces.length > 1 ? `${piece.sampleRate} Hz` : '', data: wavOf(piece) };
  }
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
    async *write({ info, entries }, part) {
      const collector = new RecordedTurns(info.endpoint);
      const isWanted = (head: RecordHead) =>
        collector.wants(head) && (collector.areEstimated || isOf(head, part));
      for await (const entry of entries(0, Number.POSITIVE_INFINITY, isWanted)) collector.add(entry);
      const turns = collector
        .turns()
        .filter(({ id, context }) => isOf({ turn: id, context: context === '' ? null : context }, part));
      if (!turns.some(({ chunks }) => chunks.some((chunk) => chunk.words?.length))) {
        throw new Error(
          'There are no word timings in this part of the recording. Switch on word timestamps in Set-up and speak again.',
        );
      }
      yield { file: '', data: textOf(turns) };
    },
  };
}

const isOf = (head: Pick<RecordHead, 'turn' | 'context'>, part: RecordingPart): boolean =>
  'turn' in part ? head.turn === part.turn : head.context === part.context;
