import type { ReactNode } from 'react';

export interface FieldLabelProps {
  title: string;
  /** Name on the wire. */
  field?: string | undefined;
  htmlFor?: string | undefined;
  /** At the right edge: whether it is sent, a switch, a note. */
  trailing?: ReactNode;
}

export function FieldLabel({ title, field, htmlFor, trailing }: FieldLabelProps) {
  return (
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
  );
}
