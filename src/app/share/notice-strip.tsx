import { CircleAlert, Info, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '../ui/cx.ts';
import { IconButton } from '../ui/icon-button.tsx';

interface StripProps {
  title: string;
  children: ReactNode;
  isError?: boolean;
  actions?: ReactNode;
  onDismiss?: () => void;
}

/** A notice across the page. */
export function NoticeStrip({ title, children, isError = false, actions, onDismiss }: StripProps) {
  const Icon = isError ? CircleAlert : Info;
  return (
    <div
      role={isError ? 'alert' : 'status'}
      className={cx(
        'flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-border py-1 pr-2 pl-4 text-12 text-text-muted',
        isError ? 'bg-failed/10' : 'bg-selected',
      )}
    >
      <p className="flex min-w-60 flex-1 gap-2 py-1">
        <Icon className={cx('mt-px size-3.5 shrink-0', isError && 'text-failed')} />
        <span className="min-w-0">
          <strong className="font-semibold text-text">{title}</strong> {children}
        </span>
      </p>
      <span className="ml-auto flex min-w-0 items-center gap-1">
        {actions}
        {onDismiss && <IconButton label="Dismiss" icon={X} size="small" onClick={onDismiss} />}
      </span>
    </div>
  );
}
