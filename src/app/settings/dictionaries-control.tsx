import { Checkbox } from '@base-ui/react/checkbox';
import { Check } from 'lucide-react';
import { useId, useState } from 'react';
import { languageName } from '#lib/languages.ts';
import type { DictionaryInfo } from '#protocol/core/catalogue.ts';
import { idOf } from '#protocol/core/settings.ts';
import { Notice } from '../ui/notice.tsx';
import { Segmented } from '../ui/segmented.tsx';
import type { ControlProps } from './control-props.ts';
import type { CatalogueList } from './voices/use-catalogue.ts';

type Choice = 'all' | 'none' | 'these';

const CHOICES: { value: Choice; label: string }[] = [
  { value: 'all', label: 'All active' },
  { value: 'none', label: 'None' },
  { value: 'these', label: 'These' },
];

const EMPTY_WORDS = {
  loading: 'Reading the dictionaries…',
  unavailable: 'Listed once there is a server and a key for it.',
  ready: 'This server has no dictionaries.',
};

const NONE: CatalogueList<DictionaryInfo> = {
  items: [],
  state: 'unavailable',
  problem: null,
  retry: () => undefined,
};

/** All active dictionaries (not sent), none (an empty list), or exactly those that are ticked. */
export function DictionariesControl({
  setting,
  value,
  onChange,
  onUnset,
  dictionaries: list = NONE,
}: ControlProps<'dictionaries'> & { dictionaries?: CatalogueList<DictionaryInfo> }) {
  // An empty list means “none” on the wire, so “these” without a tick is a state of this panel alone.
  const [picking, setPicking] = useState(false);
  const chosen = Array.isArray(value) ? value : [];
  const choice: Choice | null =
    value === undefined
      ? 'all'
      : !Array.isArray(value)
        ? null
        : chosen.length > 0 || picking
          ? 'these'
          : 'none';

  const choose = (next: Choice) => {
    setPicking(next === 'these');
    if (next === 'all') onUnset();
    else if (next === 'none') onChange([]);
    else onChange(list.items.filter(({ active }) => active).map(({ id }) => id));
  };
  const toggle = (id: unknown, on: boolean) => {
    setPicking(true);
    onChange(on ? [...chosen, id] : chosen.filter((other) => other !== id && idOf(other) !== id));
  };
  const strangers = chosen.filter((value) => !list.items.some(({ id }) => id === idOf(value)));

  return (
    <>
      <Segmented
        label={setting.title}
        options={CHOICES}
        value={choice}
        onChange={choose}
        fill
        className="w-full"
      />
      {choice === 'these' && (
        <div className="mt-1 rounded-control border border-border">
          {list.state === 'failed' ? (
            <Notice
              severity="error"
              title="The dictionaries could not be read."
              action={{ label: 'Try again', onPress: list.retry }}
            >
              {list.problem}
            </Notice>
          ) : (
            list.items.length === 0 && (
              <p className="px-2.5 py-2 text-12 text-text-muted">{EMPTY_WORDS[list.state]}</p>
            )
          )}
          <ul>
            {list.items.map((item) => (
              <Tick
                key={item.id}
                name={item.name}
                note={[
                  item.id,
                  item.language === null ? null : (languageName(item.language) ?? item.language),
                  item.active ? null : 'inactive',
                ]
                  .filter(Boolean)
                  .join(' · ')}
                description={item.description}
                checked={chosen.some((value) => idOf(value) === item.id)}
                onChange={(on) => toggle(item.id, on)}
              />
            ))}
            {strangers.map((id) => (
              <Tick
                key={JSON.stringify(id)}
                name={JSON.stringify(id) ?? ''}
                note={list.state === 'ready' ? 'not in the list of this server' : ''}
                checked
                onChange={(on) => toggle(id, on)}
              />
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

interface TickProps {
  name: string;
  note: string;
  description?: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

function Tick({ name, note, description, checked, onChange }: TickProps) {
  const id = useId();
  return (
    <li className="border-b border-border last:border-0">
      <label htmlFor={id} className="flex items-start gap-2.5 px-2.5 py-2 hover:bg-hover touch:py-3">
        <Checkbox.Root
          id={id}
          aria-label={`${name}, ${note}`}
          checked={checked}
          onCheckedChange={(next) => onChange(next)}
          className="mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-mark border border-border-strong bg-field data-checked:border-inverse data-checked:bg-inverse data-checked:text-on-inverse"
        >
          <Checkbox.Indicator>
            <Check aria-hidden className="size-3" strokeWidth={2.5} />
          </Checkbox.Indicator>
        </Checkbox.Root>
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline gap-2">
            <span className="min-w-0 flex-1 truncate text-12 font-medium">{name}</span>
            <span className="shrink-0 text-12 text-text-subtle">{note}</span>
          </span>
          {description && <span className="block text-12 text-text-muted">{description}</span>}
        </span>
      </label>
    </li>
  );
}
