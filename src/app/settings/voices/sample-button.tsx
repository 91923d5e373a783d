import { CircleAlert, LoaderCircle, Play, Square } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { IconButton, type IconButtonProps } from '../../ui/icon-button.tsx';
import type { SamplePlayer, SampleState } from './sample-player.ts';

export const useSampleState = (player: SamplePlayer): SampleState =>
  useSyncExternalStore(player.subscribe, player.getState);

const LOOKS = {
  silent: { icon: Play, label: (name: string) => `Play a sample of ${name}` },
  loading: { icon: LoaderCircle, label: (name: string) => `Stop loading the sample of ${name}` },
  playing: { icon: Square, label: (name: string) => `Stop the sample of ${name}` },
  failed: { icon: CircleAlert, label: (name: string) => `Try the sample of ${name} again` },
};

export interface SampleButtonProps extends Pick<IconButtonProps, 'size' | 'tabIndex' | 'onMouseDown'> {
  player: SamplePlayer;
  url: string;
  name: string;
}

export function SampleButton({ player, url, name, ...rest }: SampleButtonProps) {
  const state = useSampleState(player);
  const look = LOOKS[state.url === url ? state.phase : 'silent'];
  return (
    <IconButton {...rest} label={look.label(name)} icon={look.icon} onClick={() => player.toggle(url)} />
  );
}

/** Describes the state of a voice's sample; null while it is silent. */
export function sampleWords(state: SampleState, url: string | null): string | null {
  if (url === null || state.url !== url) return null;
  if (state.phase === 'loading') return 'Loading the sample…';
  if (state.phase === 'playing') return 'Playing the sample';
  return state.phase === 'failed' ? 'The sample could not be played.' : null;
}
