import { Plus, Trash2 } from 'lucide-react';
import { MAX_TEXTS, type Plan, type PlanText } from '#benchmark/plan.ts';
import { counted } from '#lib/format.ts';
import { SAMPLE_TEXTS } from '#text/samples.ts';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { editPlan } from '../benchmark-store.ts';
import { freeName, namesOf, placed, withSample } from './plan-edits.ts';
import { Section } from './section.tsx';

/** Edits the texts. Only runs of the same text are compared. */
export function TextsSection({ plan }: { plan: Plan }) {
  const change = (at: number, part: Partial<PlanText>) =>
    editPlan({
      ...plan,
      texts: plan.texts.map((text, index) => (index === at ? { ...text, ...part } : text)),
    });
  const remove = (at: number) => editPlan({ ...plan, texts: plan.texts.filter((_, index) => index !== at) });
  const addEmpty = () =>
    editPlan({ ...plan, texts: [...plan.texts, { name: freeName('Text', namesOf(plan.texts)), text: '' }] });
  return (
    <Section
      title="Texts"
      tools={
        plan.texts.length < MAX_TEXTS && (
          <Menu
            trigger={
              <Button variant="ghost" size="small" icon={Plus}>
                Add text
              </Button>
            }
            items={[
              { id: 'empty', label: 'Type one', onSelect: addEmpty },
              ...SAMPLE_TEXTS.map(({ id, title, text }) => ({
                id,
                label: title,
                hint: counted(text.length, 'character'),
                onSelect: () => editPlan(withSample(plan, id)),
              })),
            ]}
          />
        )
      }
    >
      {placed(plan.texts).map(({ item, at }) => (
        <TextCard
          key={at}
          text={item}
          number={at + 1}
          onChange={(part) => change(at, part)}
          onRemove={plan.texts.length > 1 ? () => remove(at) : null}
        />
      ))}
    </Section>
  );
}

function TextCard({
  text,
  number,
  onChange,
  onRemove,
}: {
  text: PlanText;
  number: number;
  onChange: (part: Partial<PlanText>) => void;
  onRemove: (() => void) | null;
}) {
  return (
    <div className="overflow-hidden rounded-control border border-border-strong bg-field">
      <div className="flex items-center border-b border-border">
        <input
          aria-label={`Name of text ${number}`}
          value={text.name}
          onChange={(event) => onChange({ name: event.target.value })}
          className="h-8 min-w-0 flex-1 bg-transparent px-2.5 text-12 font-medium outline-offset-[-2px] touch:h-11"
        />
        <span className="shrink-0 px-2 text-12 text-text-subtle">
          {counted(text.text.length, 'character')}
        </span>
        {onRemove && (
          <IconButton size="small" label={`Remove text ${number}`} icon={Trash2} onClick={onRemove} />
        )}
      </div>
      <textarea
        aria-label={`Text ${number}`}
        value={text.text}
        rows={2}
        onChange={(event) => onChange({ text: event.target.value })}
        className="block field-sizing-content max-h-40 min-h-14 w-full resize-none bg-transparent px-2.5 py-2 text-13 outline-offset-[-2px]"
      />
    </div>
  );
}
