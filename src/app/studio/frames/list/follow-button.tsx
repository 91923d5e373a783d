import { ArrowDown } from 'lucide-react';
import { useRef } from 'react';
import { count } from '#lib/format.ts';
import { useRecordings } from '../../../recordings-client/recordings-store.ts';
import { Button } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import { useFrames } from '../view/frames-store.ts';

/** Brings the newest frame into view again, and says how many came since the list was left where it is. */
export function FollowButton({ className }: { className: string }) {
  const isFollowing = useFrames((state) => state.isFollowing);
  const isLive = useRecordings((state) => state.shown.isLive);
  const matches = useRecordings((state) => state.shown.matches);
  const leftAt = useRef(matches);
  if (isFollowing) leftAt.current = matches;
  if (isFollowing || !isLive || matches === 0) return null;
  const newer = Math.max(0, matches - leftAt.current);
  return (
    <Button
      size="small"
      icon={ArrowDown}
      onClick={() => useFrames.setState({ isFollowing: true })}
      className={cx('bg-surface-raised shadow-high hover:bg-surface-raised', className)}
    >
      Follow the newest
      {newer > 0 && <span className="font-mono font-normal text-text-subtle">{count(newer)} newer</span>}
    </Button>
  );
}
