import { MAX_CONFIGURATIONS, type Plan, type PlanConfiguration } from '#benchmark/plan.ts';
import { useSettings } from '../../stores/settings-store.ts';
import { editPlan } from '../benchmark-store.ts';
import { ConfigurationCard } from './configuration-card.tsx';
import {
  changedAt,
  changesFrom,
  currentConfiguration,
  namesOf,
  placed,
  removedAt,
  withAllEndpoints,
  withCopy,
} from './plan-edits.ts';
import { AddMenu, Section } from './section.tsx';

export function ConfigurationsSection({ plan }: { plan: Plan }) {
  const known = plan.configurations;
  const [first] = known;
  const set = (configurations: PlanConfiguration[]) => editPlan({ ...plan, configurations });
  const addCurrent = () => set([...known, currentConfiguration(useSettings.getState(), namesOf(known))]);
  return (
    <Section
      title="Configurations"
      tools={
        known.length < MAX_CONFIGURATIONS && (
          <AddMenu
            label="Add configuration"
            items={[
              ...placed(known).map(({ item, at }) => ({
                id: String(at),
                label: `Copy of ${item.name}`,
                hint: 'to change one thing on',
                onSelect: () => editPlan(withCopy(plan, at)),
              })),
              {
                id: 'current',
                label: 'What the studio is set to',
                hint: 'endpoint, server, voice and settings',
                onSelect: addCurrent,
              },
              {
                id: 'endpoints',
                label: 'Every other endpoint',
                hint: 'each as it is set up in the studio',
                onSelect: () => editPlan(withAllEndpoints(plan, useSettings.getState())),
              },
            ]}
          />
        )
      }
    >
      {placed(known).map(({ item, at }) => (
        <ConfigurationCard
          key={at}
          configuration={item}
          number={at + 1}
          changes={at === 0 || !first ? null : (changesFrom(first, item) ?? '')}
          onChange={(change) => set(changedAt(known, at, change))}
          onRemove={known.length > 1 ? () => set(removedAt(known, at)) : null}
        />
      ))}
    </Section>
  );
}
