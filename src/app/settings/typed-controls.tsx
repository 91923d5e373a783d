import { useState } from 'react';
import type { Control } from '#protocol/core/settings.ts';
import { Slider } from '../ui/slider.tsx';
import type { ControlProps } from './control-props.ts';
import {
  endText,
  numbersText,
  numberText,
  onStep,
  parseNumbersText,
  parseNumberText,
  plainText,
  valueRangeText,
} from './setting-value.ts';
import { ValueBox, type ValueBoxProps } from './value-box.tsx';

/**
 * Returns the props of a box for a value that is typed as text. The text stays as typed while the box has the focus.
 * Every readable state of it becomes the value at once.
 * @param shown the value as text
 * @param parse returns undefined for no value and null for unreadable text
 */
function useValueBox<K extends Control['kind'], T>(
  { setting, value, onChange, onUnset, invalid, inputId, describedBy }: ControlProps<K>,
  shown: string,
  parse: (text: string) => T | undefined | null,
): Omit<ValueBoxProps, 'className'> {
  const [draft, setDraft] = useState<string | null>(null);
  return {
    id: inputId,
    label: setting.title,
    text: draft ?? shown,
    isUnreadable: draft !== null && parse(draft) === null,
    onType: (text) => {
      setDraft(text);
      const typed = parse(text);
      if (typed === undefined) onUnset();
      else if (typed !== null) onChange(typed);
    },
    onLeave: () => setDraft(null),
    invalid,
    muted: value === undefined,
    unit: setting.unit,
    describedBy,
  };
}

function Unreadable({ box, children }: { box: Pick<ValueBoxProps, 'isUnreadable'>; children: string }) {
  return box.isUnreadable ? (
    <p role="status" className="text-12 text-failed">
      {children}
    </p>
  ) : null;
}

const NO_NUMBER = 'That is no number; the value before it stays.';

export function RangeControl(props: ControlProps<'range'>) {
  const { setting, value, onChange } = props;
  const { control, fallback, title, unit } = setting;
  const effective = value === undefined ? fallback : value;
  const number = typeof effective === 'number' ? effective : control.min;
  const box = useValueBox(props, numberText(effective, control), parseNumberText);
  return (
    <>
      <div className="flex h-7 items-center gap-2 touch:h-11">
        <span aria-hidden className="font-mono text-12 text-text-subtle">
          {endText(control.min)}
        </span>
        <Slider
          label={`${title} slider`}
          value={Math.min(control.max, Math.max(control.min, number))}
          min={control.min}
          max={control.max}
          step={control.step}
          onChange={(next) => onChange(onStep(next, control))}
          defaultTick={typeof fallback === 'number' ? fallback : undefined}
          valueText={(at) => `${numberText(onStep(at, control), control)}${unit ?? ''}`}
        />
        <span aria-hidden className="font-mono text-12 text-text-subtle">
          {endText(control.max)}
        </span>
        <ValueBox
          {...box}
          onStep={(steps) => onChange(onStep(number + steps * control.step, control))}
          className="ml-1 w-15 touch:w-20"
        />
      </div>
      <Unreadable box={box}>{NO_NUMBER}</Unreadable>
    </>
  );
}

export function NumberControl(props: ControlProps<'number'>) {
  const { setting, value, onChange } = props;
  const { control, fallback } = setting;
  const effective = value === undefined ? fallback : value;
  const box = useValueBox(props, numberText(effective, control), parseNumberText);
  const step = (steps: number) => {
    const from = typeof effective === 'number' ? effective : control.min;
    onChange(Math.min(control.max, Math.max(control.min, Math.round(from) + steps)));
  };
  return (
    <>
      <div className="flex items-center justify-between gap-3">
        <span className="text-12 text-text-subtle">{valueRangeText(setting)}</span>
        <ValueBox {...box} onStep={step} className="w-34 touch:w-40" />
      </div>
      <Unreadable box={box}>{NO_NUMBER}</Unreadable>
    </>
  );
}

export function NumbersControl(props: ControlProps<'numbers'>) {
  const { setting, value } = props;
  const box = useValueBox(
    props,
    numbersText(value === undefined ? setting.fallback : value),
    parseNumbersText,
  );
  return (
    <>
      <ValueBox {...box} align="left" placeholder="none" className="h-8 w-full" />
      <Unreadable box={box}>Every entry must be a number; the list before it stays.</Unreadable>
    </>
  );
}

/** Text in one line. An empty box is not sent. */
export function TextControl(props: ControlProps<'text'>) {
  const box = useValueBox(props, plainText(props.value), (text) => text.trim() || undefined);
  return <ValueBox {...box} align="left" placeholder="none" />;
}
