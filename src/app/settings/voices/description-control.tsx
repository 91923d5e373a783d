import { Sparkles } from 'lucide-react';
import { useId } from 'react';
import { toggleWord, wordIn } from '#protocol/core/describing-words.ts';
import type { DescribingWords } from '#protocol/core/settings.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Menu } from '../../ui/popups/menu.tsx';
import type { ControlProps } from '../control-props.ts';
import { plainText } from '../setting-value.ts';

export function DescriptionControl({
  setting,
  value,
  onChange,
  onUnset,
  invalid,
  inputId,
  describedBy,
}: ControlProps<'description'>) {
  const { control, title } = setting;
  const text = plainText(value);
  const write = (next: string) => (next === '' ? onUnset() : onChange(next));
  return (
    <div className="flex flex-col gap-2">
      <textarea
        id={inputId}
        aria-label={title}
        aria-invalid={invalid || undefined}
        aria-describedby={describedBy}
        dir="auto"
        spellCheck={false}
        value={text}
        placeholder="Who speaks, in words"
        onChange={(event) => write(event.target.value)}
        className={cx(
          'field-sizing-content max-h-40 min-h-[54px] w-full resize-none rounded-control border bg-field px-2.5 py-1.5 text-13 text-text',
          invalid ? 'border-failed' : 'border-border-strong',
        )}
      />
      <div className="flex items-center justify-between text-12 text-text-subtle">
        <Menu
          align="start"
          trigger={
            <Button variant="ghost" size="small" icon={Sparkles} className="-ml-2">
              Descriptions
            </Button>
          }
          items={control.samples.map((sample) => ({
            id: sample,
            label: sample,
            onSelect: () => onChange(sample),
          }))}
        />
        <span className={cx('font-mono', text.length > control.maxChars && 'text-failed')}>
          {text.length} / {control.maxChars}
        </span>
      </div>
      <div className="mb-1 flex flex-col gap-1.5 text-12">
        {control.words.map((trait) => (
          <Trait key={trait.title} trait={trait} description={text} onChange={write} />
        ))}
      </div>
    </div>
  );
}

interface TraitProps {
  trait: DescribingWords;
  description: string;
  onChange: (description: string) => void;
}

function Trait({ trait, description, onChange }: TraitProps) {
  const id = useId();
  const present = wordIn(description, trait);
  return (
    <fieldset
      aria-labelledby={id}
      className="grid min-w-0 grid-cols-[48px_minmax(0,1fr)] items-baseline gap-x-3"
    >
      <span id={id} className="text-text-subtle">
        {trait.title}
      </span>
      <span className="flex flex-wrap gap-1 touch:gap-2">
        {trait.words.map((word) => (
          <button
            key={word}
            type="button"
            aria-pressed={word === present}
            onClick={() => onChange(toggleWord(description, trait, word))}
            className={cx(
              'h-6 cursor-default rounded-inner px-2 ring-1 ring-inset touch:h-11 touch:px-3',
              word === present
                ? 'bg-selected font-medium text-text ring-border-strong'
                : 'text-text-muted ring-border hover:bg-hover hover:text-text',
            )}
          >
            {word}
          </button>
        ))}
      </span>
    </fieldset>
  );
}
