import { Slider } from '../ui/slider.tsx';
import type { ControlProps } from './control-props.ts';
import {
  endText,
  numbersText,
  numberText,
  onStep,
  parseNumbersText,
  parseNumberText,
  rangeText,
} from './setting-value.ts';
import { useDraftText } from './use-draft-text.ts';
import { ValueBox } from './value-box.tsx';

const UNREADABLE = 'That is no number; the value before it stays.';
const UNREADABLE_LIST = 'Every entry must be a number; the list before it stays.';

/** Shown while what was typed cannot be a value yet. */
function Unreadable({ children }: { children: string }) {
  return (
    <p role="status" className="text-12 text-failed">
      {children}
    </p>
  );
}

/** Slider and box for one number, the default marked on the track. */
export function RangeControl({
  setting,
  value,
  onChange,
  onUnset,
  invalid,
  inputId,
  describedBy,
}: ControlProps<'range'>) {
  const { control, fallback, title, unit } = setting;
  const sent = value !== undefined;
  const effective = sent ? value : fallback;
  const numeric = typeof effective === 'number' ? effective : control.min;
  const inRange = Math.min(control.max, Math.max(control.min, numeric));
  const draft = useDraftText(numberText(effective, control), parseNumberText, (next) =>
    next === undefined ? onUnset() : onChange(next),
  );
  return (
    <>
      <div className="flex h-7 items-center gap-2 touch:h-11">
        <span aria-hidden className="font-mono text-12 text-text-subtle">
          {endText(control.min)}
        </span>
        <Slider
          label={`${title} slider`}
          value={inRange}
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
          id={inputId}
          label={title}
          draft={draft}
          invalid={invalid}
          muted={!sent}
          unit={unit}
          describedBy={describedBy}
          onStep={(steps) => onChange(onStep(numeric + steps * control.step, control))}
          className="ml-1 w-15 touch:w-20"
        />
      </div>
      {draft.unreadable && <Unreadable>{UNREADABLE}</Unreadable>}
    </>
  );
}

/** One number typed into a box, its range beside it. */
export function NumberControl({
  setting,
  value,
  onChange,
  onUnset,
  invalid,
  inputId,
  describedBy,
}: ControlProps<'number'>) {
  const { control, fallback, title, unit } = setting;
  const sent = value !== undefined;
  const effective = sent ? value : fallback;
  const draft = useDraftText(numberText(effective, control), parseNumberText, (next) =>
    next === undefined ? onUnset() : onChange(next),
  );
  const step = (steps: number) => {
    const from = typeof effective === 'number' ? effective : control.min;
    onChange(Math.min(control.max, Math.max(control.min, Math.round(from) + steps)));
  };
  return (
    <>
      <div className="flex items-center justify-between gap-3">
        <span className="text-12 text-text-subtle">{rangeText(setting)}</span>
        <ValueBox
          id={inputId}
          label={title}
          draft={draft}
          invalid={invalid}
          muted={!sent}
          unit={unit}
          describedBy={describedBy}
          onStep={step}
          className="w-34 touch:w-40"
        />
      </div>
      {draft.unreadable && <Unreadable>{UNREADABLE}</Unreadable>}
    </>
  );
}

/** A list of numbers typed as text. */
export function NumbersControl({
  setting,
  value,
  onChange,
  onUnset,
  invalid,
  inputId,
  describedBy,
}: ControlProps<'numbers'>) {
  const sent = value !== undefined;
  const draft = useDraftText(numbersText(sent ? value : setting.fallback), parseNumbersText, (next) =>
    next === undefined ? onUnset() : onChange(next),
  );
  return (
    <>
      <ValueBox
        id={inputId}
        label={setting.title}
        draft={draft}
        invalid={invalid}
        muted={!sent}
        unit={setting.unit}
        align="left"
        placeholder="none"
        describedBy={describedBy}
        className="h-8 w-full"
      />
      {draft.unreadable && <Unreadable>{UNREADABLE_LIST}</Unreadable>}
    </>
  );
}
