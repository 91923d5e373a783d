import { percent } from '#recordings/view/figures.ts';
import { Button } from '../../ui/button.tsx';

export interface TransferProgressProps {
  label: string;
  /** From 0 to 1. */
  done: number;
  onCancel: (() => void) | undefined;
}

export const TransferProgress = ({ label, done, onCancel }: TransferProgressProps) => (
  <>
    <progress
      aria-label={label}
      max={1}
      value={done}
      className="h-1.5 min-w-0 flex-1 appearance-none overflow-hidden rounded-full bg-selected [&::-moz-progress-bar]:bg-text [&::-webkit-progress-bar]:bg-selected [&::-webkit-progress-value]:bg-text"
    />
    <span className="w-9 text-right font-mono text-12 text-text-muted">{percent(done, 1)} %</span>
    <Button size="small" onClick={onCancel}>
      Cancel
    </Button>
  </>
);
