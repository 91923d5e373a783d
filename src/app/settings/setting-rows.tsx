import type { Settings } from '#protocol/core/endpoint.ts';
import type { Issue } from '#protocol/core/issue.ts';
import type { Setting } from '#protocol/core/settings.ts';
import { SettingRow, type SettingRowProps } from './setting-row.tsx';
import { issueOf } from './setting-value.ts';
import type { SettingLists } from './voices/use-catalogue.ts';

export interface SettingRowsProps extends SettingLists, Pick<SettingRowProps, 'spoken' | 'onChange'> {
  settings: readonly Setting[];
  values: Settings;
  issues: readonly Issue[];
  /** Fields whose value is not sent yet. */
  pending?: ReadonlySet<string>;
}

export const SettingRows = ({ settings, values, issues, pending, ...rest }: SettingRowsProps) =>
  settings.map((setting) => (
    <SettingRow
      key={setting.field}
      setting={setting}
      value={values[setting.field]}
      issue={issueOf(setting.field, issues)}
      pending={pending?.has(setting.field) ?? false}
      {...rest}
    />
  ));
