import { create } from 'zustand';
import type { PageEndpointId } from '#protocol/core/endpoint.ts';
import type { ImportOptions } from '#recordings/files/importer.ts';
import { recordingsLink } from '../../recordings-client/recordings-link.ts';
import { showPanel } from '../../stores/view-store.ts';
import { baseName } from './file-name.ts';
import type { Sample } from './samples.ts';

interface ImportState {
  /** An import has begun since the page opened. */
  hasBegun: boolean;
  reading: { name: string; done: number; cancel: () => void } | null;
  /** Failure of the last import, until it is dismissed. */
  failure: { name: string; problem: string; isPlaced: boolean } | null;
  /** Notes of the importer about the last file, and the recording that it became. */
  notes: {
    recording: string;
    sentences: readonly string[];
    /** Imports the file again, with a recording for each address; null where that is no difference. */
    split: (() => void) | null;
    /** Imports the file again as traffic of an endpoint; null where all of it has one. */
    place: ((endpoint: PageEndpointId) => void) | null;
  } | null;
}

export const useImport = create<ImportState>()(() => ({
  hasBegun: false,
  reading: null,
  failure: null,
  notes: null,
}));

/** Imports a file and shows it. A failure is in the store. */
export const openFile = (file: File): Promise<string | null> =>
  take({ name: file.name, once: false, split: 'endpoint', load: async () => file });

/** Fetches a sample and shows it. Opening it again stores no second copy. */
export const openSample = ({ title, file }: Sample): Promise<string | null> =>
  take({
    name: title,
    once: true,
    split: 'endpoint',
    load: async (signal) => {
      const answer = await fetch(new URL(`recordings/${file}`, document.baseURI), { signal });
      if (!answer.ok) throw new Error(`The server has no such file: it answered ${answer.status}.`);
      return answer.blob();
    },
  });

/** Fetches a recording that the page's server serves, and shows it. Opening it again stores no second copy. */
export const openServedFile = (id: string, load: Taking['load']): Promise<string | null> =>
  take({ name: `Recording ${id}`, storedName: '', once: true, split: 'endpoint', load });

interface Taking extends Pick<ImportOptions, 'name' | 'once' | 'split' | 'endpoint'> {
  /** Name of a recording without one, where it is not that of the file. */
  storedName?: string;
  load: (signal: AbortSignal) => Promise<Blob>;
  /** Recordings of the same file, which are deleted once it is imported again. */
  replaced?: readonly string[];
}

/** The import in progress. Another import aborts it. */
let current: AbortController | null = null;

/** @returns the recording; null where it was not opened */
async function take(taking: Taking): Promise<string | null> {
  const { name, storedName = baseName(name), once, split, endpoint = null, load, replaced = [] } = taking;
  current?.abort();
  const abort = new AbortController();
  current = abort;
  const cancel = () => {
    abort.abort();
    // The worker may take a moment to end.
    if (current === abort) useImport.setState({ reading: null });
  };
  const progress = (done: number) => {
    if (!abort.signal.aborted) useImport.setState({ reading: { name, done, cancel } });
  };
  useImport.setState({ hasBegun: true, failure: null, notes: null });
  progress(0);
  const outcome = await load(abort.signal).then(
    (file) =>
      recordingsLink.exchange(
        { kind: 'import', file, name: storedName, once, split, endpoint },
        { progress, signal: abort.signal },
      ),
    (error: unknown) => ({
      kind: 'failed' as const,
      problem: error instanceof Error ? error.message : String(error),
      place: null,
    }),
  );
  if (abort.signal.aborted) {
    // The worker stored the file before the cancel reached it.
    if (outcome.kind === 'imported' && outcome.isNew) discard(outcome.recordings);
    return null;
  }
  current = null;
  useImport.setState({ reading: null });
  if (outcome.kind === 'failed') {
    const { problem, place } = outcome;
    useImport.setState({ failure: { name, problem, isPlaced: place !== null } });
  } else if (outcome.kind === 'imported') {
    const { recordings, notes, canSplit, hasUnknownEndpoint } = outcome;
    const [recording] = recordings;
    if (recording === undefined) return null;
    const again = (change: Partial<Taking>) => void take({ ...taking, ...change, replaced: recordings });
    const isAsked = hasUnknownEndpoint && endpoint === null;
    if (notes.length > 0 || isAsked) {
      useImport.setState({
        notes: {
          recording,
          sentences: notes,
          split: canSplit ? () => again({ split: 'address' }) : null,
          place: isAsked ? (id) => again({ endpoint: id }) : null,
        },
      });
    }
    recordingsLink.order(({ show }) => show(recording));
    showPanel('frames');
    discard(replaced);
    return recording;
  }
  return null;
}

function discard(recordings: readonly string[]): void {
  for (const id of recordings) recordingsLink.order((calls) => calls.delete(id));
}
