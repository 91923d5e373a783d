import type { ReactNode } from 'react';
import { MAX_RUNS, type Plan } from '../../session/benchmark/plan.ts';
import { NumberField } from '../ui/number-field.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { Switch } from '../ui/switch.tsx';
import { editPlan } from './benchmark-store.ts';
import { Section } from './section.tsx';

/** How often, how and within what limits. */
export function ConductSection({ plan }: { plan: Plan }) {
  const set = (change: Partial<Plan>) => editPlan({ ...plan, ...change });
  const limit = (name: keyof Plan['budget'], value: number | null) => {
    const { [name]: _, ...others } = plan.budget;
    set({ budget: value === null ? others : { ...others, [name]: value } });
  };
  return (
    <>
      <Section title="Runs">
        <Row title="Runs" hint="of each text under each configuration">
          <NumberField
            label="Runs"
            value={plan.runs}
            onChange={(runs) => set({ runs: whole(runs, 1) })}
            min={1}
            max={MAX_RUNS}
            digits={0}
            className="w-24"
          />
        </Row>
        <Row title="Connections" hint="warm: open before the run; cold: opened by it">
          <Segmented
            label="Connections"
            size="small"
            value={plan.connections}
            onChange={(connections) => set({ connections })}
            options={[
              { value: 'warm', label: 'Warm' },
              { value: 'cold', label: 'Cold' },
              { value: 'both', label: 'Both' },
            ]}
          />
        </Row>
        <Row title="Warm-ups" hint="of each configuration, at the beginning; not counted">
          <NumberField
            label="Warm-ups"
            value={plan.warmUps}
            onChange={(warmUps) => set({ warmUps: whole(warmUps, 0) })}
            min={0}
            max={10}
            digits={0}
            className="w-24"
          />
        </Row>
        <Row title="Pause between runs" hint="on average">
          <NumberField
            label="Pause between runs"
            value={plan.pauseMs}
            onChange={(pauseMs) => set({ pauseMs: pauseMs ?? 0 })}
            min={0}
            max={60_000}
            step={50}
            digits={0}
            unit="ms"
            className="w-24"
          />
        </Row>
        <Row title="Seed" hint="of the order; the same seed gives the same order">
          <NumberField
            label="Seed of the order"
            value={plan.seed}
            onChange={(seed) => set({ seed: whole(seed, 0) })}
            min={0}
            digits={0}
            className="w-24"
          />
        </Row>
        <Switch checked={plan.aloud} onChange={(aloud) => set({ aloud })} className="self-start">
          Play aloud
        </Switch>
      </Section>
      <Section title="Budget">
        <p className="-mt-1 text-12 text-text-muted">
          It stops before a run that would exceed one of these. Empty: no limit.
        </p>
        <Row title="Cost" hint="in one currency; it also stops before a second">
          <NumberField
            label="Budget in cents"
            value={plan.budget.cents ?? null}
            onChange={(cents) => limit('cents', cents)}
            min={0}
            unit="cents"
            placeholder="none"
            className="w-32"
          />
        </Row>
        <Row title="Audio">
          <NumberField
            label="Budget in seconds of audio"
            value={plan.budget.audioSeconds ?? null}
            onChange={(seconds) => limit('audioSeconds', seconds)}
            min={0}
            unit="s"
            placeholder="none"
            className="w-32"
          />
        </Row>
        <Row title="Characters">
          <NumberField
            label="Budget in characters"
            value={plan.budget.characters ?? null}
            onChange={(characters) => limit('characters', characters)}
            min={0}
            digits={0}
            placeholder="none"
            className="w-32"
          />
        </Row>
      </Section>
    </>
  );
}

const whole = (value: number | null, least: number): number => Math.max(least, Math.round(value ?? least));

function Row({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <div className="flex min-h-8 flex-wrap items-center justify-between gap-x-3 gap-y-1">
      <span className="min-w-0 text-13">
        {title}
        {hint && <span className="block text-12 text-text-subtle">{hint}</span>}
      </span>
      {children}
    </div>
  );
}
