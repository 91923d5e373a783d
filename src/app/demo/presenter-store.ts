import { create } from 'zustand';

/** The open panels of the presenter. A reload closes them. */
export const usePresenterView = create<{ isPlaylistOpen: boolean; isWaitOpen: boolean }>()(() => ({
  isPlaylistOpen: false,
  isWaitOpen: false,
}));

export const togglePlaylist = (): void =>
  usePresenterView.setState(({ isPlaylistOpen }) => ({ isPlaylistOpen: !isPlaylistOpen }));

export const toggleWait = (): void =>
  usePresenterView.setState(({ isWaitOpen }) => ({ isWaitOpen: !isWaitOpen }));
