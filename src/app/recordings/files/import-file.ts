import { create } from 'zustand';
import { recordingsLink } from '../../recordings-client/recordings-link.ts';
import { showPanel } from '../../stores/view-store.ts';
import { baseName } from './file-name.ts';
import type { Sample } from './samples.ts';

interface ImportState {
  reading: { name: string; done: number; cancel: () => void } | null;
  /** Failure of the last import, until it is dismissed. */
  failure: { name: string; problem: string; isPlaced: boolean } | null;
  /** Notes of the importer about the last file, and the recording that it became. */
  notes: { recording: string; sentences: readonly string[] } | null;
}

export const useImport = create<ImportState>()(() => ({ reading: null, failure: null, notes: null }));

/** Imports a file and shows it. A failure is in the store. */
export const openFile = (file: File): Promise<void> => take(file.name, false, async () => file);

/** Fetches a sample and shows it. Opening it again stores no second copy. */
export const openSample = ({ title, file }: Sample): Promise<void> =>
  take(title, true, async (signal) => {
    const answer = await fetch(new URL(`recordings/${file}`, document.baseURI), { signal });
    if (!answer.ok) throw new Error(`The server has no such file: it answered ${answer.status}.`);
    return answer.blob();
  });

/** The import in progress. Another import aborts it. */
let current: AbortController | null = null;

async function take(
  name: string,
  once: boolean,
  load: (signal: AbortSignal) => Promise<Blob>,
): Promise<void> {
  current?.abort();
  const abort = new AbortController();
  current = abort;
  const cancel = () => abort.abort();
  const progress = (done: number) => {
    if (current === abort) useImport.setState({ reading: { name, done, cancel } });
  };
  useImport.setState({ failure: null, notes: null });
  progress(0);
  const outcome = await load(abort.signal).then(
    (file) =>
      recordingsLink.exchange(
        { kind: 'import', file, name: baseName(name), once },
        { progress, signal: abort.signal },
      ),
    (error: unknown) => ({
      kind: 'failed' as const,
      problem: error instanceof Error ? error.message : String(error),
      place: null,
    }),
  );
  if (current !== abort) return;
  current = null;
  useImport.setState({ reading: null });
  if (abort.signal.aborted) return;
  if (outcome.kind === 'failed') {
    const { problem, place } = outcome;
    useImport.setState({ failure: { name, problem, isPlaced: place !== null } });
  } else if (outcome.kind === 'imported') {
    const [recording] = outcome.recordings;
    if (recording === undefined) return;
    if (outcome.notes.length > 0) useImport.setState({ notes: { recording, sentences: outcome.notes } });
    recordingsLink.order(({ show }) => show(recording));
    showPanel('frames');
  }
}
