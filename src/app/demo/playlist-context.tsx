import { createContext, use } from 'react';
import { useStore } from 'zustand';
import { present } from '../session-client/provider.tsx';
import type { PlaylistRunner } from './run/playlist-runner.ts';

export const PlaylistContext = createContext<PlaylistRunner | null>(null);

export const usePlaylistRunner = (): PlaylistRunner => present(use(PlaylistContext), 'PlaylistContext');

/** Returns a part of the state of the run; re-renders only when that part changes. */
export const useRunState = <T,>(selector: (state: ReturnType<PlaylistRunner['store']['getState']>) => T): T =>
  useStore(usePlaylistRunner().store, selector);
