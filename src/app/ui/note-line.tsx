import { CircleAlert, type LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cx } from './cx.ts';

export interface NoteLineProps extends Omit<ComponentProps<'p'>, 'className'> {
  icon?: LucideIcon;
  /** Not a failure. */
  isMuted?: boolean;
}

/** A line with an icon: what is wrong with a field, or a remark on it. */
export const NoteLine = ({ icon: Icon = CircleAlert, isMuted = false, children, ...rest }: NoteLineProps) => (
  <p {...rest} className={cx('flex gap-1.5 text-12', isMuted ? 'text-text-muted' : 'text-failed')}>
    <Icon className="mt-px size-3.5 shrink-0" />
    <span className="min-w-0 break-words">{children}</span>
  </p>
);
