import type { ComponentProps, ReactNode } from 'react';
import { cx } from './cx.ts';

interface PageProps extends Omit<ComponentProps<'div'>, 'title'> {
  title: string;
  subtitle: string;
  /** Beside the title. */
  tools?: ReactNode;
  /** Its greatest width. */
  className: string;
}

/** A page of the bar, which scrolls as a whole. */
export const Page = ({ title, subtitle, tools, className, children, ...rest }: PageProps) => (
  <div {...rest} className="relative h-full min-h-0 flex-1 scroll-pb-20 overflow-y-auto">
    <div className={cx('mx-auto flex flex-col gap-5 px-4 pt-5 pb-12 wide:px-6', className)}>
      <header className="flex flex-wrap items-center justify-between gap-3">
        <div>
          <h2 className="text-20 font-semibold tracking-[-0.01em]">{title}</h2>
          <p className="text-13 text-text-muted">{subtitle}</p>
        </div>
        {tools}
      </header>
      {children}
    </div>
  </div>
);

/** The main action of a page. On a phone it stays in view, at the bottom. */
export const PageFoot = ({ children }: { children: ReactNode }) => (
  <div className="max-wide:sticky max-wide:bottom-0 max-wide:z-1 max-wide:-mx-4 max-wide:grid max-wide:border-y max-wide:border-border max-wide:bg-surface max-wide:px-4 max-wide:py-3">
    {children}
  </div>
);

interface PanelHeadProps {
  title: string;
  /** Of the title. */
  id?: string;
  children: ReactNode;
}

/** The head of a panel beside others, with its tools. */
export const PanelHead = ({ title, id, children }: PanelHeadProps) => (
  <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-b border-border bg-surface py-1.5 pr-2 pl-4 touch:min-h-14">
    <h2 id={id} className="mr-auto min-w-0 truncate text-14 font-semibold">
      {title}
    </h2>
    {children}
  </header>
);

interface GroupProps {
  title: string;
  /** Accessible name; the title by default. */
  label?: string;
  tools?: ReactNode;
  className?: string;
  children: ReactNode;
}

/** A part of a dialog with a title of its own. */
export const Group = ({ title, label = title, tools, className, children }: GroupProps) => (
  <section aria-label={label} className={className}>
    <header className="flex min-h-7 flex-wrap items-center justify-between gap-x-3 gap-y-1 border-b border-border pb-1">
      <h3 className="text-12 font-semibold text-text-muted">{title}</h3>
      {tools}
    </header>
    {children}
  </section>
);

/** Says what a place that has nothing yet is for, and how something comes there. */
export const Empty = ({ className, children }: { className?: string; children: ReactNode }) => (
  <div
    className={cx(
      'grid place-content-center justify-items-center gap-3 p-6 text-center text-13 text-text-muted',
      className,
    )}
  >
    {children}
  </div>
);
