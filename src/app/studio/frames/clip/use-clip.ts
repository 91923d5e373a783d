import { useEffect, useRef, useState } from 'react';
import { messageOf } from '#lib/message-of.ts';
import { useSettings } from '../../../stores/settings-store.ts';
import { type Clip, type ClipSound, playClip } from './play-clip.ts';

export type PlayedClip = ReturnType<typeof useClip>;

/** Stops the clip that plays. Two at once could not be told apart. */
let stopOther = (): void => {};

/** Plays a sound at the page's volume and beside the session, until its end, another press or another clip. */
export function useClip(load: () => Promise<ClipSound>) {
  const [context, setContext] = useState<AudioContext | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const level = useSettings((state) => (state.muted ? 0 : state.volume));
  const latest = useRef({ load, level });
  latest.current = { load, level };
  const clip = useRef<Clip | null>(null);

  useEffect(() => {
    if (!context) return;
    const stop = () => setContext(null);
    stopOther();
    stopOther = stop;
    let isOver = false;
    const play = async () => {
      const sound = await latest.current.load();
      if (!isOver) clip.current = playClip(context, sound, latest.current.level, stop);
    };
    play().catch((error: unknown) => {
      if (isOver) return;
      setFailure(messageOf(error));
      stop();
    });
    return () => {
      isOver = true;
      // A clip that could not begin has closed the output already, which then rejects.
      if (clip.current) clip.current.stop();
      else context.close().catch(() => undefined);
      clip.current = null;
      if (stopOther === stop) stopOther = () => {};
    };
  }, [context]);
  useEffect(() => clip.current?.setLevel(level), [level]);

  return {
    isPlaying: context !== null,
    isSilenced: context !== null && level === 0,
    failure,
    /** The share that was played, 0 to 1; null while nothing plays. */
    played: () => clip.current?.played() ?? null,
    toggle: () => {
      setFailure(null);
      // Opened by the press, because a browser may keep a later one silent.
      setContext(context ? null : new AudioContext());
    },
  };
}
