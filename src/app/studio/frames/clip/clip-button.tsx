import { Play, Square } from 'lucide-react';
import { Button, type ButtonProps } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import type { PlayedClip } from './use-clip.ts';

/** @param label the accessible name while nothing plays, where the text is too short */
export function ClipButton({
  clip,
  label,
  children,
  ...rest
}: { clip: PlayedClip; label?: string } & ButtonProps) {
  const { isPlaying, isSilenced, toggle } = clip;
  return (
    <>
      {isSilenced && <span className="text-12 text-waiting">muted</span>}
      <Button
        {...rest}
        aria-label={isPlaying ? undefined : label}
        size="small"
        icon={isPlaying ? Square : Play}
        onClick={toggle}
      >
        {isPlaying ? 'Stop' : children}
      </Button>
    </>
  );
}

export const ClipFailure = ({ clip: { failure } }: { clip: PlayedClip }) =>
  failure !== null && (
    <Notice severity="error" title="This cannot be played">
      {failure}
    </Notice>
  );
