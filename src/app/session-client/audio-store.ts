import { create } from 'zustand';

/** How the sound output stands. */
export interface AudioState {
  /** The browser holds the sound back until a gesture, or another programme has taken the device. */
  blocked: boolean;
  /** Why no output could be opened; null where one could, or none was tried. */
  failure: string | null;
}

export const useAudio = create<AudioState>()(() => ({ blocked: false, failure: null }));
