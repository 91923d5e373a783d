import { Segmented, type SegmentedProps } from '../ui/segmented.tsx';

const VIEWS = [
  { value: 'form', label: 'Form' },
  { value: 'json', label: 'JSON' },
] as const;

type View = (typeof VIEWS)[number]['value'];

export const FormOrJson = (props: Omit<SegmentedProps<View>, 'options' | 'size'>) => (
  <Segmented {...props} size="small" options={VIEWS} />
);
