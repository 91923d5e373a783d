import { Plus, Trash2 } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu } from '../../ui/popups/menu.tsx';
import type { MenuProps } from '../../ui/popups/menu-parts.tsx';

interface SectionProps {
  title: string;
  tools?: ReactNode;
  children: ReactNode;
}

export function Section({ title, tools, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex flex-col gap-3 border-t border-border px-4 pt-3 pb-4">
      <div className="flex min-h-7 items-center gap-2">
        <h3 id={id} className="mr-auto text-13 font-semibold">
          {title}
        </h3>
        {tools}
      </div>
      {children}
    </section>
  );
}

export const AddMenu = ({ label, items }: { label: string } & Pick<MenuProps, 'items'>) => (
  <Menu
    trigger={
      <Button variant="ghost" size="small" icon={Plus}>
        {label}
      </Button>
    }
    items={items}
  />
);

export interface CardProps {
  /** As in `configuration 2`. */
  title: string;
  name: string;
  onName: (name: string) => void;
  /** Null for the only item. */
  onRemove: (() => void) | null;
  note?: ReactNode;
  children: ReactNode;
}

export const Card = ({ title, name, onName, onRemove, note, children }: CardProps) => (
  <div className="overflow-hidden rounded-control border border-border-strong">
    <div className="flex items-center border-b border-border bg-field pr-1">
      <input
        aria-label={`Name of ${title}`}
        value={name}
        onChange={(event) => onName(event.target.value)}
        className="h-9 min-w-0 flex-1 bg-transparent px-2.5 text-13 font-medium outline-offset-[-2px] touch:h-11"
      />
      {note}
      {onRemove && <IconButton size="small" label={`Remove ${title}`} icon={Trash2} onClick={onRemove} />}
    </div>
    {children}
  </div>
);
