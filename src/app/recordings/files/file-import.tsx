import { FileDown } from 'lucide-react';
import { useEffect, useState } from 'react';
import { later } from '../../ui/later.tsx';
import { holdsFiles } from './dropped-files.ts';
import { useImport } from './import-file.ts';

const ImportDialog = later({ name: 'The import', when: 'shown' }, () =>
  import('./import-dialog.tsx').then((module) => module.ImportDialog),
);

/** Shows that a file may be dropped, and the progress and failure of every import. */
export function FileImport() {
  const hasBegun = useImport((state) => state.hasBegun);
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    const gone = new AbortController();
    const on = (
      type: 'dragenter' | 'dragover' | 'dragleave' | 'drop',
      next: (event: DragEvent, was: boolean) => boolean,
    ) =>
      window.addEventListener(type, (event) => setIsOver((was) => next(event, was)), {
        signal: gone.signal,
      });
    on('dragenter', holdsFiles);
    on('dragover', holdsFiles);
    // A part of the page may be left for another.
    on('dragleave', ({ relatedTarget }, was) => was && relatedTarget !== null);
    on('drop', () => false);
    return () => gone.abort();
  }, []);
  return (
    <>
      {hasBegun && <ImportDialog />}
      {isOver && (
        <div className="pointer-events-none fixed inset-0 z-60 grid place-items-center bg-backdrop p-6">
          <div className="fade-in flex max-w-96 flex-col items-center gap-2 rounded-panel border-2 border-dashed border-border-strong bg-surface-raised px-10 py-8 text-center shadow-high">
            <FileDown aria-hidden className="size-7 text-text-muted" strokeWidth={1.5} />
            <p className="text-16 font-semibold">Drop it to look at its frames</p>
            <p className="text-13 text-text-muted">
              A recording of Voicewire or a HAR file with WebSockets, either also packed by gzip.
            </p>
          </div>
        </div>
      )}
    </>
  );
}
