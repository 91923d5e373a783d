import { Check, CircleStop } from 'lucide-react';
import { seconds } from '#lib/format.ts';
import { useSession } from '../../session-client/provider.tsx';
import { selectDraft, selectPreset, useSettings } from '../../stores/settings-store.ts';
import { Elapsed } from '../../ui/elapsed.tsx';
import { textCount } from './text-rules.ts';
import { TextLength } from './text-status.tsx';

/** How far the simulated model is: `12 of 49 tokens sent`. */
export function SimulationProgress({ limit }: { limit: number }) {
  const source = useSession((state) => state.source);
  const draft = useSettings(selectDraft);
  const preset = useSettings(selectPreset);
  if (source.state === 'idle' || textCount(draft, limit).problem) {
    return textCount(draft, limit).problem ? (
      <TextLength text={draft} limit={limit} />
    ) : (
      <p className="truncate text-text-subtle max-wide:hidden">{preset.explanation}</p>
    );
  }
  const figures = (
    <>
      <span className="font-mono text-text">
        {source.sent} of {source.total}
      </span>{' '}
      tokens sent
    </>
  );
  const lasted =
    source.startedMs !== null && source.finishedMs !== null
      ? seconds((source.finishedMs - source.startedMs) / 1000)
      : null;
  switch (source.state) {
    case 'running':
      return (
        <p>
          {figures}
          {source.startedMs !== null && (
            <span className="text-text-subtle">
              {' '}
              · <Elapsed sinceMs={source.startedMs} />
            </span>
          )}
        </p>
      );
    case 'done':
      return (
        <p className="flex items-center gap-2">
          <Check aria-hidden className="size-3.5 shrink-0" strokeWidth={1.75} />
          <span>
            {figures}, flushed
            {lasted && (
              <>
                {' '}
                after <span className="font-mono text-text">{lasted}</span>
              </>
            )}
          </span>
        </p>
      );
    case 'stopped':
      return (
        <p className="flex items-center gap-2">
          <CircleStop aria-hidden className="size-3.5 shrink-0" strokeWidth={1.75} />
          <span>{figures}, then stopped</span>
        </p>
      );
  }
}
