import { CircleAlert, Info, type LucideIcon, TriangleAlert, X } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { Button } from './button.tsx';
import { cx } from './cx.ts';
import { IconButton } from './icon-button.tsx';

type Severity = 'error' | 'warning' | 'info';

export interface NoticeProps {
  severity: Severity;
  title: ReactNode;
  children?: ReactNode;
  remedy?: ReactNode;
  /** How often it happened. */
  times?: number;
  action?: { label: string; onPress: () => void } | undefined;
  onDismiss?: (() => void) | undefined;
  className?: string;
}

const LOOKS = {
  error: { icon: CircleAlert, text: 'text-failed', tint: 'bg-failed/10', word: 'Error' },
  warning: { icon: TriangleAlert, text: 'text-waiting', tint: 'bg-waiting/10', word: 'Warning' },
  info: { icon: Info, text: 'text-text-muted', tint: 'bg-selected', word: 'Note' },
};

/** A message: `title` says what happened, `children` why, `remedy` what to do. */
export function Notice({
  severity,
  title,
  children,
  remedy,
  times = 1,
  action,
  onDismiss,
  className,
}: NoticeProps) {
  const { icon: Icon, text, tint, word } = LOOKS[severity];
  return (
    <div
      role={severity === 'error' ? 'alert' : 'status'}
      className={cx('flex gap-2.5 rounded-control py-2.5 pr-2 pl-3', tint, className)}
    >
      <Icon className={cx('mt-0.5 size-4 shrink-0', text)} />
      <div className="min-w-0 flex-1 py-px">
        <p className="text-13 font-semibold break-words text-text">
          <span className="sr-only">{word}: </span>
          {title}
          {times > 1 && (
            // A live region is announced again with each change that is not hidden.
            <span aria-hidden className="ml-2 text-12 font-normal whitespace-nowrap text-text-muted">
              {times} times
            </span>
          )}
        </p>
        {children && <div className="mt-0.5 text-12 break-words text-text-muted">{children}</div>}
        {remedy && <p className="mt-0.5 text-12 break-words text-text-muted">{remedy}</p>}
      </div>
      {action && (
        <Button size="small" onClick={action.onPress} className="self-center">
          {action.label}
        </Button>
      )}
      {onDismiss && <IconButton label="Dismiss" icon={X} size="tiny" onClick={onDismiss} />}
    </div>
  );
}

export interface NoteLineProps extends Omit<ComponentProps<'p'>, 'className'> {
  icon?: LucideIcon;
  /** A remark, in a quieter colour than a failure. */
  isMuted?: boolean;
}

/** A line with an icon: what is wrong with a field, or a remark on it. */
export const NoteLine = ({ icon: Icon = CircleAlert, isMuted = false, children, ...rest }: NoteLineProps) => (
  <p {...rest} className={cx('flex gap-1.5 text-12', isMuted ? 'text-text-muted' : 'text-failed')}>
    <Icon className="mt-px size-3.5 shrink-0" />
    <span className="min-w-0 break-words">{children}</span>
  </p>
);
