import { FieldLabel } from '../ui/fields/field-label.tsx';
import { Segmented, type SegmentedProps } from '../ui/segmented.tsx';

type TitledChoiceProps<V extends string> = Pick<SegmentedProps<V>, 'options' | 'value' | 'onChange'> & {
  title: string;
  /** Accessible name; the title by default. */
  label?: string;
};

/** A choice with its title above. */
export const TitledChoice = <V extends string>({ title, label = title, ...choice }: TitledChoiceProps<V>) => (
  <div className="flex min-w-0 flex-col gap-1">
    <FieldLabel title={title} />
    <Segmented label={label} size="small" {...choice} />
  </div>
);
