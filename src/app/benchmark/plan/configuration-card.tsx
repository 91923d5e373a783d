import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import type { PlanConfiguration } from '#benchmark/plan.ts';
import { endpointOf } from '#protocol/registry.ts';
import { AddressField } from '../../settings/address-field.tsx';
import { EndpointSelect } from '../../settings/endpoint-select.tsx';
import { KeyField } from '../../settings/key-field.tsx';
import { useKeys } from '../../stores/key-store.ts';
import { castOf, useScene } from '../../stores/scene-store.ts';
import { CUSTOM_SERVER } from '../../stores/settings-store.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/select.tsx';
import { serverOptions } from '../../wording/server-options.ts';
import { ConfigurationDialog } from './configuration-dialog.tsx';
import { lacksKey, planKey, planKeySlot } from './plan-target.ts';
import { Card } from './section.tsx';
import { sourceName } from './source-select.tsx';

export interface ConfigurationCardProps {
  configuration: PlanConfiguration;
  number: number;
  /** Differences from the first configuration, empty if there are none; null for the first itself. */
  changes: string | null;
  onChange: (change: Partial<PlanConfiguration>) => void;
  onRemove: (() => void) | null;
}

export function ConfigurationCard({
  configuration,
  number,
  changes,
  onChange,
  onRemove,
}: ConfigurationCardProps) {
  const [isOpen, setOpen] = useState(false);
  const endpoint = endpointOf(configuration.endpoint);
  const { name, server } = configuration;
  const known = endpoint.servers.some(({ id }) => id === server);
  const chooseEndpoint = (id: string) => {
    const next = endpointOf(id);
    const [speaker] = castOf(useScene.getState(), next);
    onChange({
      endpoint: next.id,
      server: 'local',
      settings: { ...next.initialSettings },
      speaker: { ...speaker?.settings },
    });
  };
  return (
    <Card
      title={`configuration ${number}`}
      name={name}
      onName={(next) => onChange({ name: next })}
      onRemove={onRemove}
    >
      <div className="flex flex-col gap-2 p-2.5">
        <div className="flex min-w-0 flex-wrap items-center gap-1.5">
          <EndpointSelect
            label={`Endpoint of ${name}`}
            size="small"
            value={endpoint.id}
            onChange={chooseEndpoint}
          />
          <span className="text-12 text-text-subtle">on</span>
          <Select
            label={`Server of ${name}`}
            size="small"
            value={known ? server : CUSTOM_SERVER}
            onChange={(id) => onChange({ server: id === CUSTOM_SERVER ? 'wss://' : id })}
            options={serverOptions(endpoint.servers, { label: 'Address…' })}
          />
        </div>
        {!known && (
          <AddressField
            title={`Address of ${name}`}
            value={server}
            onChange={(address) => onChange({ server: address })}
          />
        )}
        <PlanKeyField configuration={configuration} />
        <p className="text-12 break-words text-text-muted">
          {changes === null
            ? summary(configuration)
            : changes === ''
              ? 'The same as the first. Change one thing on it.'
              : `Differs by ${changes}.`}
        </p>
        <Button
          size="small"
          icon={SlidersHorizontal}
          aria-label={`Voice and settings of ${name}`}
          className="self-start"
          onClick={() => setOpen(true)}
        >
          Voice and settings
        </Button>
      </div>
      {isOpen && (
        <ConfigurationDialog
          configuration={configuration}
          onChange={onChange}
          onClose={() => setOpen(false)}
        />
      )}
    </Card>
  );
}

const summary = ({ settings, speaker, source }: PlanConfiguration): string => {
  const set = Object.entries({ ...settings, ...speaker }).map(
    ([field, value]) => `${field} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [...set, sourceName(source)].join(', ');
};

/** Shown where a key is needed or already entered. Keys are never part of a plan. */
function PlanKeyField({ configuration }: Pick<ConfigurationCardProps, 'configuration'>) {
  const keys = useKeys();
  const slot = planKeySlot(configuration);
  const entered = keys.keys[slot] !== undefined;
  const lacks = lacksKey(configuration, keys);
  if (!lacks && !entered) return null;
  const endpoint = endpointOf(configuration.endpoint);
  const server = endpoint.servers.find(({ id }) => id === configuration.server);
  return (
    <KeyField
      slot={slot}
      value={planKey(configuration, keys)}
      server={configuration.keyFrom ?? server?.title ?? 'The server'}
      required={lacks}
    />
  );
}
