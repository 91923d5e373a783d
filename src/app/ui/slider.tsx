import { type CSSProperties, useEffect, useRef } from 'react';
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
  const { value, min, max } = range;
  const shareOf = (at: number): number => (at - min) / (max - min || 1);
  const input = useRef<HTMLInputElement>(null);
  // React calls the event of each movement `change`.
  useEffect(() => {
    const node = input.current;
    const commit = () => node && onCommit?.(node.valueAsNumber);
    node?.addEventListener('change', commit);
    return () => node?.removeEventListener('change', commit);
  }, [onCommit]);
  return (
    <span
      className={cx('relative flex h-7 min-w-0 flex-1 items-center touch:h-11', className)}
      style={{ '--share': shareOf(value) } as CSSProperties}
    >
      {defaultTick !== undefined && (
        <span
          aria-hidden
          className="slider-place absolute top-1/2 h-2.5 w-px -translate-y-1/2 bg-text-subtle"
          style={{ '--share': shareOf(defaultTick) } as CSSProperties}
        />
      )}
      <input
        ref={input}
        type="range"
        aria-label={label}
        aria-valuetext={valueText?.(value)}
        {...range}
        onChange={({ target }) => onChange(target.valueAsNumber)}
        className="slider relative size-full"
      />
    </span>
  );
}
