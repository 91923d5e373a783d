import type { Control, Setting } from '#protocol/core/settings.ts';

/** What every kind of control is given. */
export interface ControlProps<K extends Control['kind'] = Control['kind']> {
  setting: Setting & { control: Extract<Control, { kind: K }> };
  /** As it is in the settings; undefined where it is not sent. */
  value: unknown;
  onChange: (value: unknown) => void;
  /** Stop sending it. */
  onUnset: () => void;
  invalid: boolean;
  /** Of the main input, for its label. */
  inputId: string;
  /** Of the sentence that explains it and says what is wrong. */
  describedBy: string;
}
