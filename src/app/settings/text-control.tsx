import type { ControlProps } from './control-props.ts';
import { useDraftText } from './use-draft-text.ts';
import { ValueBox } from './value-box.tsx';

/** Text that is pasted rather than written. An empty box means that it is not sent. */
export function TextControl({
  setting,
  value,
  onChange,
  onUnset,
  invalid,
  inputId,
  describedBy,
}: ControlProps<'text'>) {
  const shown = value === undefined ? '' : typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const draft = useDraftText(
    shown,
    (text) => (text.trim() === '' ? undefined : text.trim()),
    (next) => (next === undefined ? onUnset() : onChange(next)),
  );
  return (
    <ValueBox
      id={inputId}
      label={setting.title}
      draft={draft}
      invalid={invalid}
      muted={value === undefined}
      align="left"
      placeholder="none"
      describedBy={describedBy}
    />
  );
}
