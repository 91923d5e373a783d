import { Check, CircleStop } from 'lucide-react';
import { seconds } from '#lib/format.ts';
import { NO_SOURCE } from '#session/views.ts';
import { useSession } from '../../session-client/provider.tsx';
import { selectDraft, selectPreset, useSettings } from '../../stores/settings-store.ts';
import { Elapsed } from '../../ui/elapsed.tsx';
import { textCount } from './text-rules.ts';
import { TextLength } from './text-status.tsx';

export function SimulationProgress({ limit }: { limit: number }) {
  const { state, sent, total, startedMs, finishedMs } = useSession(({ source }) =>
    source.model === 'live' ? NO_SOURCE : source,
  );
  const draft = useSettings(selectDraft);
  const preset = useSettings(selectPreset);
  if (textCount(draft, limit).problem) return <TextLength text={draft} limit={limit} />;
  if (state === 'idle') {
    return <p className="truncate text-text-subtle max-wide:hidden">{preset.explanation}</p>;
  }
  const Icon = state === 'done' ? Check : CircleStop;
  return (
    <p className="flex items-center gap-2">
      {state !== 'running' && <Icon className="size-3.5 shrink-0" />}
      <span>
        <span className="font-mono text-text">
          {sent} of {total}
        </span>{' '}
        tokens sent
        {state === 'running' && startedMs !== null && (
          <span className="text-text-subtle">
            {' '}
            · <Elapsed sinceMs={startedMs} />
          </span>
        )}
        {state === 'stopped' && ', then stopped'}
        {state === 'done' && ', flushed'}
        {state === 'done' && startedMs !== null && finishedMs !== null && (
          <>
            {' '}
            after <span className="font-mono text-text">{seconds((finishedMs - startedMs) / 1000)}</span>
          </>
        )}
      </span>
    </p>
  );
}
