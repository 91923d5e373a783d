import { type KeyboardEvent, type ReactNode, useId } from 'react';
import { cx } from './cx.ts';

interface TabListProps<V extends string> {
  /** Prefix of the ids, by which a tab and its panel name each other. */
  id: string;
  label: string;
  tabs: readonly { value: V; label: ReactNode; className?: string | undefined }[];
  value: V;
  onChange: (value: V) => void;
  className?: string | undefined;
  tabClassName: string;
}

const tabId = (id: string, value: string): string => `${id}-${value}-tab`;
const panelId = (id: string, value: string): string => `${id}-${value}-panel`;

/** A row of tabs. Arrow keys go to the next one and show its panel. */
export function TabList<V extends string>(props: TabListProps<V>) {
  const { id, label, tabs, value, onChange, className, tabClassName } = props;
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const at = tabs.findIndex((tab) => tab.value === value);
    const places: Partial<Record<string, number>> = {
      ArrowLeft: at - 1,
      ArrowRight: (at + 1) % tabs.length,
      Home: 0,
      End: -1,
    };
    const next = tabs.at(places[event.key] ?? tabs.length);
    if (!next || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    onChange(next.value);
    document.getElementById(tabId(id, next.value))?.focus();
  };
  return (
    <div role="tablist" aria-label={label} onKeyDown={press} className={className}>
      {tabs.map((tab) => {
        const isActive = tab.value === value;
        return (
          <button
            key={tab.value}
            type="button"
            role="tab"
            id={tabId(id, tab.value)}
            aria-selected={isActive}
            aria-controls={panelId(id, tab.value)}
            tabIndex={isActive ? 0 : -1}
            onClick={() => onChange(tab.value)}
            className={cx(tabClassName, tab.className)}
          >
            {tab.label}
          </button>
        );
      })}
    </div>
  );
}

interface TabPanelProps<V extends string> {
  id: string;
  value: V;
  hidden?: boolean;
  className?: string | undefined;
  children: ReactNode;
}

export const TabPanel = <V extends string>({ id, value, ...rest }: TabPanelProps<V>) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: from its tab, the next stop of the keyboard is the panel.
  <div role="tabpanel" id={panelId(id, value)} aria-labelledby={tabId(id, value)} tabIndex={0} {...rest} />
);

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
  tabs,
  value,
  tools,
  collapsed = false,
  className,
  ...list
}: TabsProps<V>) {
  const id = useId();
  const shown = tabs.find((tab) => tab.value === value);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex h-10 shrink-0 items-center gap-1 border-b border-border pr-2 pl-2 touch:h-12">
        <TabList
          id={id}
          tabs={tabs}
          value={value}
          {...list}
          className={cx('flex h-full', className)}
          tabClassName="relative inline-flex cursor-default items-center px-3 text-13 font-medium text-text-muted transition-colors duration-100 outline-offset-[-4px] hover:text-text aria-selected:text-text aria-selected:after:absolute aria-selected:after:inset-x-3 aria-selected:after:-bottom-px aria-selected:after:h-0.5 aria-selected:after:rounded-full aria-selected:after:bg-text"
        />
        <div className="flex flex-1 items-center justify-end gap-1">{tools}</div>
      </div>
      <TabPanel
        key={value}
        id={id}
        value={value}
        className={cx('min-h-0 flex-1 outline-offset-[-2px]', collapsed && 'hidden')}
      >
        {shown?.panel}
      </TabPanel>
    </div>
  );
}
