import type { Endpoint } from '#protocol/core/endpoint.ts';
import { MAX_PAUSE_MS, useScene } from '../../stores/scene-store.ts';
import { FieldRow } from '../../ui/fields/rows.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Switch } from '../../ui/switch.tsx';
import { keepsContexts } from './keeps-contexts.ts';

export function SceneSettings({ endpoint }: { endpoint: Endpoint }) {
  const pauseMs = useScene((state) => state.pauseMs);
  const closeAfter = useScene((state) => state.closeAfter);
  const set = useScene((state) => state.set);
  return (
    <div className="flex flex-col gap-1.5 px-4 pt-1.5 text-12 text-text-muted">
      <FieldRow title="Pause between lines">
        <NumberField
          label="Pause between lines"
          value={pauseMs}
          onChange={(next) => set({ pauseMs: Math.min(MAX_PAUSE_MS, Math.max(0, Math.round(next ?? 0))) })}
          min={0}
          max={MAX_PAUSE_MS}
          step={50}
          digits={0}
          unit="ms"
          className="w-24"
        />
      </FieldRow>
      {keepsContexts(endpoint) && (
        <Switch checked={closeAfter} onChange={(next) => set({ closeAfter: next })}>
          Close each context after its last line
          {endpoint.billing === 'context' && ', which is when it is billed'}
        </Switch>
      )}
    </div>
  );
}
