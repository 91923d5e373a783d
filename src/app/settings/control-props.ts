import type { Control, Setting } from '#protocol/core/settings.ts';

export interface ControlProps<K extends Control['kind'] = Control['kind']> {
  setting: Setting & { control: Extract<Control, { kind: K }> };
  /** As it is in the settings; undefined where it is not sent. */
  value: unknown;
  onChange: (value: unknown) => void;
  onUnset: () => void;
  invalid: boolean;
  /** Id of the main input, for its label. */
  inputId: string;
  /** Id of the element with the explanation and the problem. */
  describedBy: string;
}
