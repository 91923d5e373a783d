import { NumberField as Base } from '@base-ui/react/number-field';
import { cx } from './cx.ts';

export interface NumberFieldProps extends Pick<Base.Root.Props, 'min' | 'max' | 'step'> {
  label: string;
  value: number | null;
  onChange: (value: number | null) => void;
  digits?: number;
  unit?: string | undefined;
  placeholder?: string;
  className?: string;
}

/** A number typed into a box, with its unit inside. Arrow keys step; a typed value may be out of range. */
export function NumberField({
  label,
  onChange,
  digits = 2,
  unit,
  placeholder,
  className,
  ...range
}: NumberFieldProps) {
  return (
    <Base.Root
      {...range}
      onValueChange={(next) => onChange(next)}
      locale="en"
      format={{ maximumFractionDigits: digits, useGrouping: false }}
      className={cx(
        'inline-flex h-7 items-center rounded-control border border-border-strong bg-field has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-text touch:h-11',
        className,
      )}
    >
      <Base.Input
        aria-label={label}
        placeholder={placeholder}
        className="w-full min-w-0 flex-1 bg-transparent px-2 text-right font-mono text-12 text-text outline-none"
      />
      {unit && <span className="shrink-0 pr-2 text-12 text-text-subtle">{unit}</span>}
    </Base.Root>
  );
}
