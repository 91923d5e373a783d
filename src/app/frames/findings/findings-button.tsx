import { CircleCheck, LoaderCircle } from 'lucide-react';
import { useRecordings } from '../../stores/recordings-store.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { useFrames } from '../frames-store.ts';
import { checkWords, isBehind, wantedGroups } from './finding-count.ts';
import { LOOKS } from './severity.ts';

/** Says what the rules have found, and opens the list of it. */
export function FindingsButton() {
  const isOpen = useFrames((state) => state.isFindingsOpen);
  const withAdvice = useFrames((state) => state.withAdvice);
  const check = useRecordings((state) => state.check);
  const isLive = useRecordings((state) => state.shown.isLive);
  const [worst] = wantedGroups(check.groups, withAdvice);
  const look = worst && LOOKS[worst.rule.severity];
  const Icon = look?.icon ?? (isBehind(check, isLive) ? LoaderCircle : CircleCheck);
  return (
    <Button
      variant="ghost"
      size="small"
      aria-pressed={isOpen}
      onClick={() => useFrames.setState({ isFindingsOpen: !isOpen })}
    >
      <Icon aria-hidden className={cx('size-3.5', look?.text)} strokeWidth={1.75} />
      {checkWords(check, isLive, withAdvice)}
    </Button>
  );
}
