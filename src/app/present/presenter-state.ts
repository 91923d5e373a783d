import { createContext, use } from 'react';
import { create, useStore } from 'zustand';
import { present } from '../session-client/provider.tsx';
import type { PlaylistRunner } from './playlist-runner.ts';

export const RunnerContext = createContext<PlaylistRunner | null>(null);

export const usePlaylistRunner = (): PlaylistRunner => present(use(RunnerContext), 'RunnerContext');

/** Returns a part of the state of the run; re-renders only when that part changes. */
export const useRunState = <T>(selector: (state: ReturnType<PlaylistRunner['store']['getState']>) => T): T =>
  useStore(usePlaylistRunner().store, selector);

/** The open panels of the presenter. A reload closes them. */
export const usePresenterView = create<{ isPlaylistOpen: boolean; isWaitOpen: boolean }>()(() => ({
  isPlaylistOpen: false,
  isWaitOpen: false,
}));

export const togglePlaylist = (): void =>
  usePresenterView.setState(({ isPlaylistOpen }) => ({ isPlaylistOpen: !isPlaylistOpen }));

export const toggleWait = (): void =>
  usePresenterView.setState(({ isWaitOpen }) => ({ isWaitOpen: !isWaitOpen }));

/** Shows why an action was refused, in one place of the playlist's panel; null removes it. */
export type Refuse = (why: string | null, title?: string) => void;
