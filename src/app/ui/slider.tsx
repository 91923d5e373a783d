import { Slider as Base } from '@base-ui/react/slider';
import { cx } from './cx.ts';

export interface SliderProps {
  label: string;
  value: number;
  min: number;
  max: number;
  step: number;
  onChange: (value: number) => void;
  /** Called when the thumb is released or a key has moved it. */
  onCommit?: (value: number) => void;
  defaultTick?: number | undefined;
  /** The value in words for those who do not see it. */
  valueText?: (value: number) => string;
  className?: string | undefined;
}

export function Slider({
  label,
  onChange,
  onCommit,
  defaultTick,
  valueText,
  className,
  ...range
}: SliderProps) {
  const { min, max } = range;
  const tickPercent = defaultTick === undefined ? null : ((defaultTick - min) / (max - min)) * 100;
  return (
    <Base.Root
      {...range}
      onValueChange={(next) => onChange(next)}
      onValueCommitted={(next) => onCommit?.(next)}
      className={cx('min-w-0 flex-1', className)}
    >
      <Base.Control className="flex h-7 touch-none items-center select-none touch:h-11">
        <Base.Track className="relative h-0.5 w-full rounded-full bg-border-strong">
          <Base.Indicator className="rounded-full bg-text-muted" />
          {tickPercent !== null && (
            <span
              aria-hidden
              className="absolute top-1/2 h-2.5 w-px -translate-y-1/2 bg-text-subtle"
              style={{ left: `${tickPercent}%` }}
            />
          )}
          <Base.Thumb
            getAriaLabel={() => label}
            {...(valueText ? { getAriaValueText: (_: string, at: number) => valueText(at) } : {})}
            className="size-3.5 rounded-full border-2 border-surface bg-inverse has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-text touch:size-5"
          />
        </Base.Track>
      </Base.Control>
    </Base.Root>
  );
}
