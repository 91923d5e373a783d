import { ImportButton } from './import-button.tsx';
import { SampleList } from './sample-list.tsx';

/** Recordings that are not in this browser yet: those that come with the page, and files. */
export function MoreRecordings({ onOpen }: { onOpen: () => void }) {
  return (
    <section
      aria-label="More recordings"
      className="min-h-32 shrink overflow-y-auto border-t border-border px-2 pt-2 pb-3"
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 pb-1">
        <h3 className="flex-1 text-12 font-semibold text-text-muted">Samples</h3>
        <p className="text-12 text-text-subtle max-wide:hidden">or drop a file anywhere on the page</p>
        <ImportButton onChosen={onOpen} />
      </header>
      <SampleList onOpen={onOpen} />
    </section>
  );
}
