import { useEffect, useRef, useState } from 'react';
import type { ExchangeOutcome } from '#recordings/files/exchange-messages.ts';
import type { ExportFormatId, RecordingPart } from '#recordings/files/export-formats.ts';
import type { RecordingInfo } from '#trace/entry.ts';
import { saveFile } from '../../browser/save-file.ts';
import { recordingsLink } from '../../recordings-client/recordings-link.ts';
import { fileStem } from './file-name.ts';

export type ExportView = ReturnType<typeof useExport>;

/** Exports a recording to files, one at a time. Unmounting cancels the export. */
export function useExport(recording: RecordingInfo) {
  const [running, setRunning] = useState<{ format: ExportFormatId; done: number } | null>(null);
  // Why the last export failed, or the notes of the exporter.
  const [report, setReport] = useState<{ severity: 'error' | 'warning'; words: string } | null>(null);
  const abort = useRef<AbortController>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const start = (format: ExportFormatId, part: RecordingPart, partName: string) => {
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

/** Returns the outcome of a query about a recording; null while it runs. */
export function useExchange({ kind, recording }: { kind: 'parts' | 'snippet'; recording: string }) {
  const [outcome, setOutcome] = useState<ExchangeOutcome | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    void recordingsLink.exchange({ kind, recording }, { signal: abort.signal }).then((answer) => {
      if (!abort.signal.aborted) setOutcome(answer);
    });
    return () => abort.abort();
  }, [kind, recording]);
  return outcome;
}
