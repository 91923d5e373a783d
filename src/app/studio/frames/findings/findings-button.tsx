import { CircleCheck, LoaderCircle } from 'lucide-react';
import { useRecordings } from '../../../recordings-client/recordings-store.ts';
import { Button } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import { useFrames } from '../view/frames-store.ts';
import { checkWords, isBehind, wantedGroups } from './finding-count.ts';
import { LOOKS } from './severity.ts';

/** Shows the number of findings, and opens their list. */
export function FindingsButton() {
  const isOpen = useFrames((state) => state.isFindingsOpen);
  const withAdvice = useFrames((state) => state.withAdvice);
  // Only what is said: the check goes on many times a second.
  const words = useRecordings(({ check, shown }) => checkWords(check, shown.isLive, withAdvice));
  const worst = useRecordings(({ check }) => wantedGroups(check.groups, withAdvice)[0]?.rule.severity);
  const isWaiting = useRecordings(({ check, shown }) => isBehind(check, shown.isLive));
  const look = worst && LOOKS[worst];
  const Icon = look?.icon ?? (isWaiting ? LoaderCircle : CircleCheck);
  return (
    <Button
      variant="ghost"
      size="small"
      aria-pressed={isOpen}
      onClick={() => useFrames.setState({ isFindingsOpen: !isOpen })}
    >
      <Icon aria-hidden className={cx('size-3.5', look?.text)} strokeWidth={1.75} />
      {words}
    </Button>
  );
}
