import type { PlanConfiguration } from '#benchmark/plan.ts';
import { endpointOf } from '#protocol/registry.ts';
import { SettingRows } from '../../settings/setting-rows.tsx';
import { withFields } from '../../settings/setting-value.ts';
import { useSettingLists } from '../../settings/voices/use-catalogue.ts';
import { useKeys } from '../../stores/key-store.ts';
import { addressProblem, httpBase } from '../../stores/server-address.ts';
import { Dialog } from '../../ui/popups/dialog.tsx';
import { lacksKey, planRunConfig } from './plan-target.ts';
import { SourceSelect } from './source-select.tsx';

export interface ConfigurationDialogProps {
  configuration: PlanConfiguration;
  onChange: (change: Partial<PlanConfiguration>) => void;
  onClose: () => void;
}

export function ConfigurationDialog({ configuration, onChange, onClose }: ConfigurationDialogProps) {
  const endpoint = endpointOf(configuration.endpoint);
  const keys = useKeys();
  const { base, key } = planRunConfig(configuration, keys, location.origin);
  const source =
    addressProblem(base) === null && !lacksKey(configuration, keys) ? { base: httpBase(base), key } : null;
  const lists = useSettingLists(endpoint, source);
  return (
    <Dialog
      onClose={onClose}
      title={`Settings of ${configuration.name}`}
      description="What is not sent is left to the server."
    >
      <div className="flex flex-col gap-4">
        {endpoint.contexts && (
          <SettingRows
            settings={endpoint.contexts.settings}
            values={configuration.speaker}
            issues={endpoint.contexts.checkSettings(configuration.speaker)}
            onChange={(fields) => onChange({ speaker: withFields(configuration.speaker, fields) })}
            {...lists}
          />
        )}
        <SettingRows
          settings={endpoint.settings}
          values={configuration.settings}
          issues={endpoint.checkSettings(configuration.settings)}
          onChange={(fields) => onChange({ settings: withFields(configuration.settings, fields) })}
          {...lists}
        />
        <SourceSelect source={configuration.source} onChange={(next) => onChange({ source: next })} />
      </div>
    </Dialog>
  );
}
