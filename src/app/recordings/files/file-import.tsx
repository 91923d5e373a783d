import { FileDown } from 'lucide-react';
import { useEffect, useState } from 'react';
import { later } from '../../ui/later.tsx';
import { openFile, useImport } from './import-file.ts';

const ImportDialog = later({ name: 'The import', when: 'shown' }, () =>
  import('./import-dialog.tsx').then((module) => module.ImportDialog),
);

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;

/** Opens a file that is dropped anywhere on the page, and shows the progress and failure of every import. */
export function FileImport() {
  const hasBegun = useImport((state) => state.hasBegun);
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    // Entering a part of the page comes before leaving the one around it, so both are counted.
    let depth = 0;
    const leaves = new AbortController();
    const on = (type: 'dragenter' | 'dragover' | 'dragleave' | 'drop', act: (event: DragEvent) => void) =>
      window.addEventListener(
        type,
        (event) => {
          if (!hasFiles(event)) return;
          // Otherwise the browser opens the file in place of the page.
          event.preventDefault();
          act(event);
        },
        { signal: leaves.signal },
      );
    const enter = (by: number) => {
      depth = Math.max(0, depth + by);
      setIsOver(depth > 0);
    };
    on('dragenter', () => enter(1));
    on('dragleave', () => enter(-1));
    on('dragover', ({ dataTransfer }) => {
      if (dataTransfer) dataTransfer.dropEffect = 'copy';
    });
    on('drop', ({ dataTransfer }) => {
      enter(Number.NEGATIVE_INFINITY);
      const [file] = dataTransfer?.files ?? [];
      if (file) void openFile(file);
    });
    return () => leaves.abort();
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
