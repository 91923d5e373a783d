import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';

export type BadgeTone = 'live' | 'waiting' | 'failed' | 'neutral';

const TONES: Record<BadgeTone, string> = {
  live: 'text-live',
  waiting: 'text-waiting',
  failed: 'text-failed',
  neutral: 'text-text-muted',
};

export interface BadgeProps {
  tone: BadgeTone;
  icon?: LucideIcon | undefined;
  children: ReactNode;
}

export function Badge({ tone, icon: Icon, children }: BadgeProps) {
  return (
    <span
      className={cx('inline-flex items-center gap-1.5 text-12 font-medium whitespace-nowrap', TONES[tone])}
    >
      {Icon ? (
        <Icon className="size-3.5 shrink-0" />
      ) : (
        <span
          aria-hidden
          className="mx-[3px] size-1.5 shrink-0 rounded-full bg-current ring-3 ring-current/20"
        />
      )}
      {children}
    </span>
  );
}
