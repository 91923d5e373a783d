import { MAX_TEXTS, type Plan, type PlanText } from '#benchmark/plan.ts';
import { counted } from '#lib/format.ts';
import { SAMPLE_TEXTS } from '#text/samples.ts';
import { editPlan } from '../benchmark-store.ts';
import { changedAt, freeName, namesOf, placed, removedAt, withSample } from './plan-edits.ts';
import { AddMenu, Card, Section } from './section.tsx';

/** Edits the texts. Only runs of the same text are compared. */
export function TextsSection({ plan }: { plan: Plan }) {
  const set = (texts: PlanText[]) => editPlan({ ...plan, texts });
  const addEmpty = () => set([...plan.texts, { name: freeName('Text', namesOf(plan.texts)), text: '' }]);
  return (
    <Section
      title="Texts"
      tools={
        plan.texts.length < MAX_TEXTS && (
          <AddMenu
            label="Add text"
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
          onChange={(part) => set(changedAt(plan.texts, at, part))}
          onRemove={plan.texts.length > 1 ? () => set(removedAt(plan.texts, at)) : null}
        />
      ))}
    </Section>
  );
}

interface TextCardProps {
  text: PlanText;
  number: number;
  onChange: (part: Partial<PlanText>) => void;
  onRemove: (() => void) | null;
}

function TextCard({ text, number, onChange, onRemove }: TextCardProps) {
  return (
    <Card
      title={`text ${number}`}
      name={text.name}
      onName={(name) => onChange({ name })}
      onRemove={onRemove}
      note={
        <span className="shrink-0 px-2 text-12 text-text-subtle">
          {counted(text.text.length, 'character')}
        </span>
      }
    >
      <textarea
        aria-label={`Text ${number}`}
        value={text.text}
        rows={2}
        onChange={(event) => onChange({ text: event.target.value })}
        className="block field-sizing-content max-h-40 min-h-14 w-full resize-none bg-field px-2.5 py-2 text-13 outline-offset-[-2px]"
      />
    </Card>
  );
}
