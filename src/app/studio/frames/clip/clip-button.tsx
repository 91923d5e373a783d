import { Play, Square } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useListening } from '../../../stores/listening-store.ts';
import { useSettings } from '../../../stores/settings-store.ts';
import { Button, type ButtonProps } from '../../../ui/button.tsx';
import { type Clip, type ClipSound, playClip } from './play-clip.ts';

/** Plays a sound at the page's volume, until its end, another press, or the press of another clip. */
export function useClip(load: () => Promise<ClipSound>) {
  const [clip, setClip] = useState<Clip | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const level = useSettings((state) => (state.muted ? 0 : state.volume));
  useEffect(() => () => clip?.stop(), [clip]);
  useEffect(() => clip?.setLevel(level), [clip, level]);
  const ended = (problem: string | null) => {
    setClip(null);
    setFailure(problem);
  };
  const toggle = () => {
    ended(null);
    const { as, device } = useListening.getState();
    // A browser that cannot choose a device ignores the option.
    const options: AudioContextOptions & { sinkId: string } = { sinkId: device };
    if (!clip) setClip(playClip(new AudioContext(options), load, level, as, ended));
  };
  const played = () => clip?.played() ?? null;
  return { isPlaying: clip !== null, isSilenced: level === 0, failure, played, toggle };
}

export function ClipButton({ clip, children, ...rest }: ButtonProps & { clip: ReturnType<typeof useClip> }) {
  const { isPlaying, isSilenced, failure, toggle } = clip;
  return (
    <>
      {failure !== null && (
        <span role="alert" className="text-12 text-failed">
          This cannot be played: {failure}
        </span>
      )}
      {isPlaying && isSilenced && <span className="text-12 text-waiting">muted</span>}
      <Button {...rest} size="small" icon={isPlaying ? Square : Play} onClick={toggle}>
        {isPlaying ? 'Stop' : children}
      </Button>
    </>
  );
}
