import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';

export interface TabsProps<V extends string> {
  label: string;
  tabs: readonly { value: V; label: ReactNode; panel: ReactNode }[];
  value: V;
  onChange: (value: V) => void;
  /** At the right edge of the row of tabs. */
  tools?: ReactNode;
  collapsed?: boolean;
  /** Style of the list of tabs. */
  className?: string | undefined;
}

export const TabCount = ({ children }: { children: ReactNode }) => (
  <span className="ml-1.5 font-mono text-12 font-normal text-text-subtle">{children}</span>
);

/** Panels under a 40 px row of tabs. */
export function Tabs<V extends string>({
  label,
  tabs,
  value,
  onChange,
  tools,
  collapsed,
  className,
}: TabsProps<V>) {
  return (
    <Base.Root value={value} onValueChange={onChange} className="flex h-full min-h-0 flex-col">
      <div className="flex h-10 shrink-0 items-center gap-1 border-b border-border pr-2 pl-2 touch:h-12">
        <Base.List aria-label={label} activateOnFocus className={cx('flex h-full', className)}>
          {tabs.map((tab) => (
            <Base.Tab
              key={tab.value}
              value={tab.value}
              className="relative inline-flex cursor-default items-center px-3 text-13 font-medium text-text-muted transition-colors duration-100 outline-offset-[-4px] hover:text-text data-active:text-text data-active:after:absolute data-active:after:inset-x-3 data-active:after:-bottom-px data-active:after:h-0.5 data-active:after:rounded-full data-active:after:bg-text"
            >
              {tab.label}
            </Base.Tab>
          ))}
        </Base.List>
        <div className="flex flex-1 items-center justify-end gap-1">{tools}</div>
      </div>
      {tabs.map((tab) => (
        <Base.Panel
          key={tab.value}
          value={tab.value}
          className={cx('min-h-0 flex-1 outline-offset-[-2px]', collapsed && 'hidden')}
        >
          {tab.panel}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
