import type { DictionaryInfo, VoiceInfo } from '#protocol/core/catalogue.ts';
import type { Settings } from '#protocol/core/endpoint.ts';
import type { Issue } from '#protocol/core/issue.ts';
import type { Setting } from '#protocol/core/settings.ts';
import { DictionariesControl } from './dictionaries-control.tsx';
import { SettingRow, type SettingRowProps } from './setting-row.tsx';
import { issueOf } from './setting-value.ts';
import type { CatalogueList } from './voices/use-catalogue.ts';
import { VoiceControl } from './voices/voice-control.tsx';
import { broughtBy, withoutBrought } from './voices/voice-search.ts';

export interface SettingRowsProps {
  settings: readonly Setting[];
  values: Settings;
  issues: readonly Issue[];
  /** Fields whose value is not sent yet. */
  pending?: ReadonlySet<string>;
  voices: CatalogueList<VoiceInfo>;
  dictionaries: CatalogueList<DictionaryInfo>;
  /** Gets the changed fields; `undefined` unsets one. */
  onChange: (fields: Settings) => void;
}

/** A row for each setting, drawn from its description. Choosing a voice also sets the fields that belong to it. */
export function SettingRows({
  settings,
  values,
  issues,
  pending,
  voices,
  dictionaries,
  onChange,
}: SettingRowsProps) {
  const special: SettingRowProps['special'] = {
    voice: (props) => (
      <VoiceControl
        {...props}
        list={voices}
        onChange={(id) =>
          onChange({ [props.setting.field]: id, ...broughtBy(voices.items, id, props.setting) })
        }
      />
    ),
    dictionaries: (props) => {
      const { control } = props.setting;
      return control.kind === 'dictionaries' ? (
        <DictionariesControl {...props} setting={{ ...props.setting, control }} list={dictionaries} />
      ) : null;
    },
  };
  return settings.map((setting) => (
    <SettingRow
      key={setting.field}
      setting={setting}
      value={values[setting.field]}
      issue={issueOf(setting.field, issues)}
      pending={pending?.has(setting.field) ?? false}
      onChange={(value) => onChange({ [setting.field]: value })}
      onUnset={() => onChange({ [setting.field]: undefined, ...withoutBrought(setting) })}
      special={special}
    />
  ));
}
