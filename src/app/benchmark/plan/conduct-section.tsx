import { useState } from 'react';
import { MAX_RUNS, type Plan } from '#benchmark/plan.ts';
import { ApiServerDialog } from '../../settings/api-server-dialog.tsx';
import { useSettings } from '../../stores/settings-store.ts';
import { FieldRow } from '../../ui/fields/rows.tsx';
import { NumberField, type NumberFieldProps } from '../../ui/number-field.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Switch } from '../../ui/switch.tsx';
import { editPlan } from '../benchmark-store.ts';
import { Section } from './section.tsx';

export function ConductSection({ plan }: { plan: Plan }) {
  const set = (change: Partial<Plan>) => editPlan({ ...plan, ...change });
  const [isOpen, setOpen] = useState(false);
  const close = () => {
    setOpen(false);
    const { transcription } = useSettings.getState();
    if (transcription.model.trim() !== '') set({ transcription: { ...transcription, keyFrom: null } });
  };
  const limit = (name: keyof Plan['budget']) => ({
    value: plan.budget[name] ?? null,
    onChange: (value: number | null) => {
      const { [name]: _, ...others } = plan.budget;
      set({ budget: value === null ? others : { ...others, [name]: value } });
    },
    min: 0,
    placeholder: 'none',
    className: 'w-32',
  });
  const whole = (name: 'runs' | 'warmUps' | 'seed', min: number) => ({
    value: plan[name],
    onChange: (value: number | null) => set({ [name]: Math.max(min, Math.round(value ?? min)) }),
    min,
    digits: 0,
  });
  return (
    <>
      <Section title="Runs">
        <NumberRow
          title="Runs"
          hint="of each text under each configuration"
          max={MAX_RUNS}
          {...whole('runs', 1)}
        />
        <FieldRow title="Connections" hint="warm: open before the run; cold: opened by it">
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
        </FieldRow>
        <NumberRow
          title="Warm-ups"
          hint="of each configuration, at the beginning; not counted"
          max={10}
          {...whole('warmUps', 0)}
        />
        <NumberRow
          title="Pause between runs"
          hint="on average"
          value={plan.pauseMs}
          onChange={(pauseMs) => set({ pauseMs: pauseMs ?? 0 })}
          min={0}
          max={60_000}
          step={50}
          digits={0}
          unit="ms"
        />
        <NumberRow
          title="Seed"
          label="Seed of the order"
          hint="of the order; the same seed gives the same order"
          {...whole('seed', 0)}
        />
        <Switch checked={plan.aloud} onChange={(aloud) => set({ aloud })} className="self-start">
          Play aloud
        </Switch>
        <Switch
          checked={plan.transcription !== undefined}
          onChange={(isChecked) => (isChecked ? setOpen(true) : set({ transcription: undefined }))}
          className="self-start"
        >
          Check the words with a transcription server
        </Switch>
        {isOpen && <ApiServerDialog use="transcription" onClose={close} />}
      </Section>
      <Section title="Budget">
        <p className="-mt-1 text-12 text-text-muted">
          It stops before a run that would exceed one of these. Empty: no limit.
        </p>
        <NumberRow
          title="Cost"
          label="Budget in cents"
          hint="in one currency; it also stops before a second"
          unit="cents"
          {...limit('cents')}
        />
        <NumberRow title="Audio" label="Budget in seconds of audio" unit="s" {...limit('audioSeconds')} />
        <NumberRow title="Characters" label="Budget in characters" digits={0} {...limit('characters')} />
      </Section>
    </>
  );
}

interface NumberRowProps extends Omit<NumberFieldProps, 'label'> {
  title: string;
  hint?: string;
  /** Accessible name of the field; the title by default. */
  label?: string;
}

const NumberRow = ({ title, hint, label = title, ...field }: NumberRowProps) => (
  <FieldRow title={title} hint={hint}>
    <NumberField label={label} className="w-24" {...field} />
  </FieldRow>
);
