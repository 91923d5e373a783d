import { FolderOpen } from 'lucide-react';
import { Group } from '../../ui/page.tsx';
import { ImportButton } from './import-button.tsx';
import { openSample } from './import-file.ts';
import { SAMPLES } from './samples.ts';

export function MoreRecordings({ onOpen }: { onOpen: () => void }) {
  return (
    <Group
      title="Samples"
      label="More recordings"
      tools={
        <span className="flex items-center gap-x-3 text-12 text-text-subtle">
          <span className="max-wide:hidden">or drop a file anywhere on the page</span>
          <ImportButton onChosen={onOpen} />
        </span>
      }
      className="min-h-32 shrink-999 overflow-y-auto border-t border-border px-5 pt-2 pb-3"
    >
      <ul aria-label="Samples" className="-mx-3 flex flex-col">
        {SAMPLES.map((sample) => (
          <li key={sample.file}>
            <button
              type="button"
              className="flex w-full cursor-default items-start gap-2.5 rounded-control px-3 py-2 text-left hover:bg-hover touch:py-3"
              onClick={() => {
                onOpen();
                void openSample(sample);
              }}
            >
              <FolderOpen className="mt-0.5 size-3.5 shrink-0 text-text-subtle" />
              <span className="min-w-0 flex-1">
                <span className="block text-13 font-medium text-text">{sample.title}</span>
                <span className="block text-12 text-text-subtle">{sample.hint}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Group>
  );
}
