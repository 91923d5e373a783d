import { useEffect, useRef, useState } from 'react';
import type { ExportFormatId, RecordingPart } from '#recordings/files/export-formats.ts';
import type { RecordingInfo } from '#recordings/format/record.ts';
import { saveFile } from '../../browser/save-file.ts';
import { recordingsLink } from '../../recordings-client/recordings-link.ts';
import { fileStem } from './file-name.ts';

/** The export in progress, and the result of the last one. */
export interface ExportView {
  running: { format: ExportFormatId; done: number } | null;
  /** Message about the last export: why it failed, or the notes of the exporter. */
  report: { severity: 'error' | 'warning'; words: string } | null;
  start: (format: ExportFormatId, part: RecordingPart, partName: string) => void;
  cancel: () => void;
}

/** Exports a recording to files, one at a time. Unmounting cancels the export. */
export function useExport(recording: RecordingInfo): ExportView {
  const [running, setRunning] = useState<ExportView['running']>(null);
  const [report, setReport] = useState<ExportView['report']>(null);
  const abort = useRef<AbortController>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const start: ExportView['start'] = (format, part, partName) => {
    abort.current?.abort();
    const own = new AbortController();
    abort.current = own;
    setReport(null);
    setRunning({ format, done: 0 });
    const progress = (done: number) => {
      if (!own.signal.aborted) setRunning({ format, done });
    };
    const task = { kind: 'export', recording: recording.id, format, part } as const;
    void recordingsLink.exchange(task, { progress, signal: own.signal }).then((outcome) => {
      if (own.signal.aborted) return;
      setRunning(null);
      if (outcome.kind === 'failed') setReport({ severity: 'error', words: outcome.problem });
      if (outcome.kind !== 'exported') return;
      for (const { ending, blob } of outcome.files) saveFile(blob, fileStem(recording) + partName + ending);
      if (outcome.notes.length > 0) setReport({ severity: 'warning', words: outcome.notes.join(' ') });
    });
  };
  const cancel = () => {
    abort.current?.abort();
    setRunning(null);
  };
  return { running, report, start, cancel };
}
