import type { Control, Setting } from '#protocol/core/settings.ts';

export interface ControlProps<K extends Control['kind'] = Control['kind']> {
  setting: Setting & { control: Extract<Control, { kind: K }> };
  /** The value in the settings, of any type; undefined where none is sent. */
  value: unknown;
  onChange: (value: unknown) => void;
  onUnset: () => void;
  invalid: boolean;
  inputId: string;
  describedBy: string;
}
