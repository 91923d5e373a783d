import type { FilePlace } from '#trace/files/import-error.ts';
import type { ExportFormatId, RecordingPart } from './export-formats.ts';
import type { Imported, ImportOptions } from './importer.ts';
import type { SnippetSource } from './snippet-source.ts';

/** A long export, import or extraction, which can be cancelled. */
export type ExchangeTask =
  | { kind: 'export'; recording: string; format: ExportFormatId; part: RecordingPart }
  /** Own format or HAR, also gzipped. */
  | ({ kind: 'import'; file: Blob } & Pick<ImportOptions, 'name' | 'once' | 'split' | 'endpoint'>)
  | { kind: 'parts'; recording: string }
  /** Extracts the last connection for a program that repeats it. */
  | { kind: 'snippet'; recording: string };

/** A file; `ending` follows the recording's name. */
export interface ExportedFile {
  ending: string;
  blob: Blob;
}

export interface TurnPart {
  turn: number;
  context: string | null;
  /** Null where the length of some audio is unknown. */
  audioMs: number | null;
}

/** The end of a task. Notes are sentences for people about anything unexpected. */
export type ExchangeOutcome =
  | { kind: 'exported'; files: readonly ExportedFile[]; notes: readonly string[] }
  | ({ kind: 'imported' } & Imported)
  | { kind: 'parts'; turns: readonly TurnPart[] }
  /** `frames`: number of sent frames; the source has the first of them. */
  | { kind: 'snippet'; source: SnippetSource; frames: number }
  | { kind: 'failed'; problem: string; place: FilePlace | null }
  | { kind: 'cancelled' };
