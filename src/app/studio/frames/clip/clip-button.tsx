import { Play, Square } from 'lucide-react';
import { Button, type ButtonProps } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import type { PlayedClip } from './use-clip.ts';

export function ClipButton({ clip, children, ...rest }: { clip: PlayedClip } & ButtonProps) {
  const { isPlaying, isSilenced, toggle } = clip;
  return (
    <>
      {isSilenced && <span className="text-12 text-waiting">muted</span>}
      <Button {...rest} size="small" icon={isPlaying ? Square : Play} onClick={toggle}>
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
