import type { ReactNode } from 'react';
import { cx } from './cx.ts';

export interface FieldLabelProps {
  title: ReactNode;
  /** Name on the wire. */
  field?: string | undefined;
  /** Makes it a label of that element. */
  htmlFor?: string | undefined;
  id?: string | undefined;
  /** At the right edge: whether it is sent, a switch, a note. */
  trailing?: ReactNode;
  className?: string;
}

/** First row of a setting: its name, the field it fills, and at the right edge whether it is sent. */
export function FieldLabel({ title, field, htmlFor, id, trailing, className }: FieldLabelProps) {
  const name = <span className="truncate">{title}</span>;
  return (
    <div className={cx('flex min-h-5 items-baseline gap-2 text-13', className)}>
      {htmlFor ? (
        <label id={id} htmlFor={htmlFor} className="flex font-medium whitespace-nowrap">
          {name}
        </label>
      ) : (
        <span id={id} className="font-medium whitespace-nowrap">
          {name}
        </span>
      )}
      <code className="min-w-0 flex-1 truncate text-12 text-text-subtle">{field}</code>
      {trailing && <span className="shrink-0 self-center text-12 text-text-subtle">{trailing}</span>}
    </div>
  );
}
