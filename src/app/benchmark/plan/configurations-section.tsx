import { Plus } from 'lucide-react';
import { MAX_CONFIGURATIONS, type Plan } from '#benchmark/plan.ts';
import { useSettings } from '../../stores/settings-store.ts';
import { Button } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { editPlan } from '../benchmark-store.ts';
import { ConfigurationCard } from './configuration-card.tsx';
import {
  changesFrom,
  currentConfiguration,
  namesOf,
  placed,
  withConfiguration,
  withCopy,
} from './plan-edits.ts';
import { Section } from './section.tsx';

export function ConfigurationsSection({ plan }: { plan: Plan }) {
  const [first] = plan.configurations;
  const addCurrent = () => {
    const current = currentConfiguration(useSettings.getState(), namesOf(plan.configurations));
    editPlan({ ...plan, configurations: [...plan.configurations, current] });
  };
  return (
    <Section
      title="Configurations"
      tools={
        plan.configurations.length < MAX_CONFIGURATIONS && (
          <Menu
            trigger={
              <Button variant="ghost" size="small" icon={Plus}>
                Add configuration
              </Button>
            }
            items={[
              ...placed(plan.configurations).map(({ item, at }) => ({
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
            ]}
          />
        )
      }
    >
      {placed(plan.configurations).map(({ item, at }) => (
        <ConfigurationCard
          key={at}
          configuration={item}
          number={at + 1}
          changes={at === 0 || !first ? null : (changesFrom(first, item) ?? '')}
          onChange={(change) => editPlan(withConfiguration(plan, at, change))}
          onRemove={
            plan.configurations.length > 1
              ? () =>
                  editPlan({
                    ...plan,
                    configurations: plan.configurations.filter((_, index) => index !== at),
                  })
              : null
          }
        />
      ))}
    </Section>
  );
}
