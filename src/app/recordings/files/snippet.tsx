import { useState } from 'react';
import { SNIPPETS, type SnippetLanguage } from '#recordings/files/snippets.ts';
import type { RecordingInfo } from '#trace/entry.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { useExchange } from './use-export.ts';

const LANGUAGES: readonly { value: SnippetLanguage; label: string }[] = [
  { value: 'typescript', label: 'TypeScript' },
  { value: 'python', label: 'Python' },
  { value: 'shell', label: 'websocat' },
];

export function SnippetSection({ recording }: { recording: RecordingInfo }) {
  const [isWanted, setIsWanted] = useState(false);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2">
      <p className="min-w-48 flex-1">
        <span className="text-13 font-medium">TypeScript, Python or command line</span>
        <span className="block text-12 text-text-subtle">
          Connects, sends the same frames at the same times, and prints what comes back. Your key comes from
          the environment.
        </span>
      </p>
      {!isWanted && (
        <Button size="small" onClick={() => setIsWanted(true)}>
          Show
        </Button>
      )}
      {isWanted && <Program recording={recording.id} />}
    </div>
  );
}

function Program({ recording }: { recording: string }) {
  const [language, setLanguage] = useState<SnippetLanguage>('typescript');
  const outcome = useExchange({ kind: 'snippet', recording });
  if (outcome === null) return <p className="basis-full text-12 text-text-muted">Reading what was sent …</p>;
  if (outcome.kind !== 'snippet' || outcome.frames === 0) {
    const why = outcome.kind === 'failed' ? outcome.problem : 'Nothing was sent in this recording.';
    return <p className="basis-full text-12 text-text-muted">{why}</p>;
  }
  const { source, frames } = outcome;
  const { title, write } = SNIPPETS[language];
  const text = write(source);
  return (
    <div className="min-w-0 basis-full">
      <div className="flex items-center justify-between gap-2">
        <Segmented
          label="Language"
          size="small"
          value={language}
          onChange={setLanguage}
          options={LANGUAGES}
        />
        <CopyButton what={`the program, ${title}`} text={() => text} />
      </div>
      <ScrollRegion
        label={`Program, ${title}`}
        className="mt-2 max-h-72 overflow-auto rounded-control border border-border bg-canvas p-3 font-mono text-12 whitespace-pre"
      >
        {text}
      </ScrollRegion>
      {frames > source.frames.length && (
        <p className="mt-1 text-12 text-text-muted">
          The first {source.frames.length} of {frames.toLocaleString('en')} frames that were sent.
        </p>
      )}
    </div>
  );
}
