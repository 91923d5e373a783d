import type { ReactNode } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { PROFILES } from '#text/simulated-model.ts';
import { selectPreset, selectProfile, useSettings } from '../../stores/settings-store.ts';
import { NumberField } from '../../ui/number-field.tsx';
import { Select } from '../../ui/select.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';

export function SimulationKnobs() {
  const simulation = useSettings((state) => state.simulation);
  const preset = useSettings(selectPreset);
  const profile = useSettings(useShallow(selectProfile));
  const change = (part: Partial<typeof simulation>) =>
    useSettings.setState({ simulation: { ...simulation, ...part } });
  return (
    <>
      <Select
        label="How the simulated model delivers"
        size="small"
        className="max-wide:ml-auto"
        value={preset.id}
        onChange={(id) => change({ preset: id, tokensPerSecond: null, jitter: null })}
        options={PROFILES.map(({ id, name, explanation }) => ({ value: id, label: name, hint: explanation }))}
      />
      <Knob title="Rate" explanation="Mean tokens a second after the first one.">
        <NumberField
          label="Tokens a second"
          className="w-18 max-wide:w-15"
          value={profile.tokensPerSecond}
          onChange={(value) => change({ tokensPerSecond: value })}
          min={0.5}
          max={1000}
          digits={1}
          unit="/s"
        />
      </Knob>
      <Knob
        title="Jitter"
        explanation="0 % is perfectly even; at 100 % a step takes anything up to twice its time."
      >
        <NumberField
          label="Jitter in per cent"
          className="w-16 max-wide:w-13"
          value={Math.round(profile.jitter * 100)}
          onChange={(value) => change({ jitter: value === null ? null : value / 100 })}
          min={0}
          max={100}
          step={5}
          digits={0}
          unit="%"
        />
      </Knob>
      <Knob title="Seed" explanation="The same seed gives the same times.">
        <NumberField
          label="Seed"
          className="w-16 max-wide:w-12"
          value={simulation.seed}
          onChange={(value) => change({ seed: Math.round(value ?? 0) })}
          min={0}
          max={999_999}
          digits={0}
        />
      </Knob>
    </>
  );
}

function Knob({ title, explanation, children }: { title: string; explanation: string; children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-2 text-12 max-wide:flex-1 max-wide:justify-between max-wide:gap-1.5 text-text-subtle">
      <Tooltip content={explanation}>
        <span>{title}</span>
      </Tooltip>
      {children}
    </span>
  );
}
