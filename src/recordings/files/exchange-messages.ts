import type { FilePlace } from '../format/import-error.ts';
import type { ExportFormatId, RecordingPart } from './export-formats.ts';
import type { SnippetSource } from './snippet-source.ts';

/** What leaves the recordings and what comes into them: each a task that takes its time, and can be called off. */
export type ExchangeTask =
  | { kind: 'export'; recording: string; format: ExportFormatId; part: RecordingPart }
  /** A file of ours or a HAR file, also gzipped. `once`: where it was taken in before, that is shown. */
  | { kind: 'import'; file: Blob; name: string; once: boolean }
  /** What of a recording there can be files of. */
  | { kind: 'parts'; recording: string }
  /** What a program has to do to have its last connection once more. */
  | { kind: 'snippet'; recording: string };

/** A file that was made, with what its name ends with beside what the recording is called. */
export interface ExportedFile {
  ending: string;
  blob: Blob;
}

/** A turn with audio. */
export interface TurnPart {
  turn: number;
  context: string | null;
  audioMs: number;
}

/** How a task ended. Notes are sentences for people: what is not as one may expect. */
export type ExchangeOutcome =
  | { kind: 'exported'; files: readonly ExportedFile[]; notes: readonly string[] }
  /** Their ids, in the order of the file. */
  | { kind: 'imported'; recordings: readonly string[]; notes: readonly string[] }
  | { kind: 'parts'; turns: readonly TurnPart[] }
  /** `frames`: how many were sent, of which the first are in the source. */
  | { kind: 'snippet'; source: SnippetSource; frames: number }
  /** It could not be done. `place`: where in the file. */
  | { kind: 'failed'; problem: string; place: FilePlace | null }
  | { kind: 'cancelled' };
