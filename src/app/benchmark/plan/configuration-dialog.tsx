import type { PlanConfiguration } from '#benchmark/plan.ts';
import type { DictionaryInfo, VoiceInfo } from '#protocol/core/catalogue.ts';
import type { Settings } from '#protocol/core/endpoint.ts';
import type { Issue } from '#protocol/core/issue.ts';
import type { Setting } from '#protocol/core/settings.ts';
import { endpointOf } from '#protocol/registry.ts';
import { issueOf } from '../../editor/text-problems.ts';
import { DictionariesControl } from '../../settings/dictionaries-control.tsx';
import { SettingRow } from '../../settings/setting-row.tsx';
import { type CatalogueList, useDictionaries, useVoices } from '../../settings/voices/use-catalogue.ts';
import { VoiceControl } from '../../settings/voices/voice-control.tsx';
import { findVoice } from '../../settings/voices/voice-search.ts';
import { useKeys } from '../../stores/key-store.ts';
import { addressProblem, httpBase } from '../../stores/server-address.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { lacksKey, planRunConfig } from './plan-target.ts';
import { SourceSelect } from './source-select.tsx';

export interface ConfigurationDialogProps {
  configuration: PlanConfiguration;
  onChange: (change: Partial<PlanConfiguration>) => void;
  onClose: () => void;
}

/** Everything that can be set for a configuration, as in the studio's set-up. */
export function ConfigurationDialog({ configuration, onChange, onClose }: ConfigurationDialogProps) {
  const endpoint = endpointOf(configuration.endpoint);
  const keys = useKeys();
  const { base, key } = planRunConfig(configuration, keys, location.origin);
  const source =
    addressProblem(base) === null && !lacksKey(configuration, keys) ? { base: httpBase(base), key } : null;
  const voices = useVoices(endpoint, source);
  const dictionaries = useDictionaries(endpoint, source);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Settings of ${configuration.name}`}
      description="What is not sent is left to the server."
    >
      <div className="flex flex-col gap-4">
        {endpoint.contexts && (
          <Rows
            settings={endpoint.contexts.settings}
            values={configuration.speaker}
            issues={endpoint.contexts.checkSettings(configuration.speaker)}
            onChange={(speaker) => onChange({ speaker })}
            voices={voices}
            dictionaries={dictionaries}
          />
        )}
        <Rows
          settings={endpoint.settings}
          values={configuration.settings}
          issues={endpoint.checkSettings(configuration.settings)}
          onChange={(settings) => onChange({ settings })}
          voices={voices}
          dictionaries={dictionaries}
        />
        <SourceSelect source={configuration.source} onChange={(next) => onChange({ source: next })} />
      </div>
    </Dialog>
  );
}

interface RowsProps {
  settings: readonly Setting[];
  values: Settings;
  issues: readonly Issue[];
  onChange: (values: Record<string, unknown>) => void;
  voices: CatalogueList<VoiceInfo>;
  dictionaries: CatalogueList<DictionaryInfo>;
}

function Rows({ settings, values, issues, onChange, voices, dictionaries }: RowsProps) {
  const change = (fields: Settings) => {
    const next = Object.entries({ ...values, ...fields }).filter(([, value]) => value !== undefined);
    onChange(Object.fromEntries(next));
  };
  return settings.map((setting) => (
    <SettingRow
      key={setting.field}
      setting={setting}
      value={values[setting.field]}
      issue={issueOf(setting.field, issues)}
      pending={false}
      onChange={(value) => change({ [setting.field]: value })}
      onUnset={() => change({ [setting.field]: undefined, ...withoutBrought(setting) })}
      special={{
        voice: (props) => (
          <VoiceControl
            {...props}
            list={voices}
            onChange={(id) =>
              change({
                [setting.field]: id,
                ...withoutBrought(setting),
                ...findVoice(voices.items, id)?.settings,
              })
            }
          />
        ),
        dictionaries: (props) =>
          setting.control.kind === 'dictionaries' ? (
            <DictionariesControl
              {...props}
              setting={{ ...setting, control: setting.control }}
              list={dictionaries}
            />
          ) : null,
      }}
    />
  ));
}

/** Nothing is left of the voice before: the fields that it brought along go with it. */
const withoutBrought = ({ control }: Setting): Settings =>
  Object.fromEntries(
    (control.kind === 'voice' ? control.brings : []).map((field) => [field, undefined] as const),
  );
