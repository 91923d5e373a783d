import { Check, CircleStop } from 'lucide-react';
import { count, milliseconds } from '#lib/format.ts';
import { measureOf } from '#session/measures/definitions.ts';
import { useSession } from '../../session-client/provider.tsx';
import { selectNewest } from '../../session-client/session-state.ts';
import { useSettings } from '../../stores/settings-store.ts';
import { Defined } from '../../ui/defined.tsx';
import { Elapsed } from '../../ui/elapsed.tsx';

const FIRST_TOKEN = measureOf('modelFirstTokenMs');

/** Says how far the newest answer is; before the first, where questions go. */
export function AnswerProgress() {
  const base = useSettings((state) => state.liveModel.base);
  const answer = useSession((state) => selectNewest(state)?.answer ?? null);
  if (!answer) {
    return (
      <p className="truncate text-text-subtle max-wide:hidden">
        Questions go to <span className="font-mono">{new URL(base.trim()).host}</span>.
      </p>
    );
  }
  const { state, askedMs, firstTokenMs, tokens } = answer;
  if (state === 'asked') {
    return (
      <p role="status" className="flex items-center gap-2 text-waiting">
        Waiting for the first token
        <span aria-hidden className="text-text-subtle">
          <Elapsed sinceMs={askedMs} />
        </span>
      </p>
    );
  }
  const Icon = state === 'done' ? Check : CircleStop;
  return (
    <p className="flex min-w-0 flex-wrap items-center gap-x-2">
      {state !== 'writing' && <Icon className="size-3.5 shrink-0" />}
      <span>
        <span className="font-mono text-text">{count(tokens)}</span> {tokens === 1 ? 'token' : 'tokens'}
        {state === 'stopped' && ', then stopped'}
        {state === 'failed' && ', then broken off'}
      </span>
      {firstTokenMs !== null && (
        <Defined definition={FIRST_TOKEN.definition}>
          first after <span className="font-mono text-text">{milliseconds(firstTokenMs - askedMs)}</span>
        </Defined>
      )}
    </p>
  );
}
