import type { PlanConfiguration } from '#benchmark/plan.ts';
import { PROFILES } from '#text/simulated-model.ts';
import { TitledField } from '../../ui/fields/rows.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Select } from '../../ui/select.tsx';

type Source = PlanConfiguration['source'];

const WHOLE = 'whole';
const OWN = 'own';
const SEED = 7;

/** Returns `whole text at once` or `simulated model, bursty, seed 7`. */
export function sourceName(source: Source): string {
  if (source.kind === 'whole') return 'whole text at once';
  const profile = typeof source.profile === 'string' ? source.profile : 'a profile of its own';
  return `simulated model, ${profile}, seed ${source.seed}`;
}

export function SourceSelect({ source, onChange }: { source: Source; onChange: (source: Source) => void }) {
  const seed = source.kind === 'simulated' ? source.seed : SEED;
  const value = source.kind === 'whole' ? WHOLE : typeof source.profile === 'string' ? source.profile : OWN;
  return (
    <TitledField title="Text goes out" field="source">
      <div className="flex items-center gap-2">
        <Select
          label="How the text goes out"
          className="flex-1"
          value={value}
          onChange={(id) => {
            if (id !== OWN)
              onChange(id === WHOLE ? { kind: 'whole' } : { kind: 'simulated', profile: id, seed });
          }}
          options={[
            { value: WHOLE, label: 'Whole, at once', hint: 'one message, then flush' },
            ...PROFILES.map(({ id, name, explanation }) => ({
              value: id,
              label: `Simulated model: ${name}`,
              hint: explanation,
            })),
            ...(value === OWN ? [{ value: OWN, label: 'Simulated model: profile of the plan' }] : []),
          ]}
        />
        {source.kind === 'simulated' && (
          <NumberField
            label="Seed of the simulated model"
            value={seed}
            onChange={(next) => onChange({ ...source, seed: Math.max(0, Math.round(next ?? SEED)) })}
            min={0}
            digits={0}
            className="w-24"
          />
        )}
      </div>
    </TitledField>
  );
}
