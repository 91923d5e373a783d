import { NumberField as Base } from '@base-ui/react/number-field';
import { cx } from './cx.ts';

export interface NumberFieldProps {
  label: string;
  /** Null: empty. */
  value: number | null;
  onChange: (value: number | null) => void;
  min?: number;
  max?: number;
  step?: number;
  /** Digits after the point, at most. */
  digits?: number;
  unit?: string | undefined;
  invalid?: boolean;
  disabled?: boolean;
  placeholder?: string | undefined;
  className?: string;
  /** Id of the element with the problem or the expected value. */
  describedBy?: string | undefined;
}

/** A number typed into a box, with its unit inside. Arrow keys step; a typed value may be out of range. */
export function NumberField({
  label,
  value,
  onChange,
  min,
  max,
  step = 1,
  digits = 2,
  unit,
  invalid = false,
  disabled = false,
  placeholder,
  className,
  describedBy,
}: NumberFieldProps) {
  return (
    <Base.Root
      value={value}
      onValueChange={(next) => onChange(next)}
      min={min}
      max={max}
      step={step}
      locale="en"
      format={{ maximumFractionDigits: digits, useGrouping: false }}
      disabled={disabled}
      className={cx(
        'inline-flex h-7 items-center rounded-control border bg-field has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-text touch:h-11',
        invalid ? 'border-failed' : 'border-border-strong',
        className,
      )}
    >
      <Base.Input
        aria-label={label}
        aria-invalid={invalid || undefined}
        aria-describedby={describedBy}
        placeholder={placeholder}
        className="w-full min-w-0 flex-1 bg-transparent px-2 text-right font-mono text-12 text-text outline-none disabled:text-text-subtle"
      />
      {unit && <span className="shrink-0 pr-2 text-12 text-text-subtle">{unit}</span>}
    </Base.Root>
  );
}
