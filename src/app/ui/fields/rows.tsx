import type { ComponentProps, ReactNode } from 'react';
import { cx } from '../cx.ts';
import { Defined } from '../defined.tsx';
import { Slider, type SliderProps } from '../slider.tsx';

interface TitledFieldProps extends ComponentProps<'div'> {
  title: string;
  /** Name on the wire. */
  field?: string | undefined;
  htmlFor?: string | undefined;
  /** At the right edge of the title: whether it is sent, a switch, a note. */
  trailing?: ReactNode;
}

/** A field below its title. */
export function TitledField({
  title,
  field,
  htmlFor,
  trailing,
  className,
  children,
  ...rest
}: TitledFieldProps) {
  return (
    <div {...rest} className={cx('flex min-w-0 flex-col gap-1', className)}>
      <div className="flex min-h-5 items-baseline gap-2 text-13">
        {htmlFor ? (
          <label htmlFor={htmlFor} className="flex font-medium whitespace-nowrap">
            <span className="truncate">{title}</span>
          </label>
        ) : (
          <span className="truncate font-medium whitespace-nowrap">{title}</span>
        )}
        <code className="min-w-0 flex-1 truncate text-12 text-text-subtle">{field}</code>
        {trailing && <span className="shrink-0 self-center text-12 text-text-subtle">{trailing}</span>}
      </div>
      {children}
    </div>
  );
}

interface FieldRowProps {
  title: string;
  definition?: string;
  hint?: string | undefined;
  children: ReactNode;
}

/** A small field at the right of its title. */
export const FieldRow = ({ title, definition, hint, children }: FieldRowProps) => (
  <div className="flex min-h-8 flex-wrap items-center justify-between gap-x-3 gap-y-1">
    <span className="min-w-32 flex-1 text-13">
      {definition === undefined ? title : <Defined definition={definition}>{title}</Defined>}
      {hint && <span className="block text-12 text-text-subtle">{hint}</span>}
    </span>
    {children}
  </div>
);

interface SliderRowProps extends Omit<SliderProps, 'label' | 'valueText'> {
  title: string;
  definition?: string;
  /** Accessible name; the title by default. */
  label?: string;
  words: (value: number) => string;
}

/** A slider between its title and its value in words. */
export const SliderRow = ({ title, definition, label = title, words, ...slider }: SliderRowProps) => (
  <div className="flex items-center gap-3 text-13">
    <span className="w-22 shrink-0">
      {definition === undefined ? title : <Defined definition={definition}>{title}</Defined>}
    </span>
    <Slider {...slider} label={label} valueText={words} />
    <span className="w-20 shrink-0 text-right font-mono text-12 text-text-muted">{words(slider.value)}</span>
  </div>
);
