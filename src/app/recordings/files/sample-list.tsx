import { FolderOpen } from 'lucide-react';
import { openSample } from './import-file.ts';
import { SAMPLES } from './samples.ts';

/** Recordings that come with the page. Each is fetched when it is opened. */
export function SampleList({ onOpen }: { onOpen?: () => void }) {
  return (
    <ul aria-label="Samples" className="flex flex-col">
      {SAMPLES.map((sample) => (
        <li key={sample.file}>
          <button
            type="button"
            className="flex w-full cursor-default items-start gap-2.5 rounded-control px-3 py-2 text-left hover:bg-hover touch:py-3"
            onClick={() => {
              onOpen?.();
              void openSample(sample);
            }}
          >
            <FolderOpen
              aria-hidden
              className="mt-0.5 size-3.5 shrink-0 text-text-subtle"
              strokeWidth={1.75}
            />
            <span className="min-w-0 flex-1">
              <span className="block text-13 font-medium text-text">{sample.title}</span>
              <span className="block text-12 text-text-subtle">{sample.hint}</span>
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
