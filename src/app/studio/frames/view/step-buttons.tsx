import { ChevronDown, ChevronUp } from 'lucide-react';
import { IconButton, type IconButtonProps } from '../../../ui/icon-button.tsx';

interface StepButtonsProps extends Pick<IconButtonProps, 'size'> {
  labels: readonly [before: string, next: string];
  onStep: (step: 1 | -1) => void;
}

export const StepButtons = ({ labels: [before, next], size = 'small', onStep }: StepButtonsProps) => (
  <>
    <IconButton size={size} icon={ChevronUp} label={before} onClick={() => onStep(-1)} />
    <IconButton size={size} icon={ChevronDown} label={next} onClick={() => onStep(1)} />
  </>
);
