import { create } from 'zustand';
import type { ListenAs } from '#player/listen-as.ts';

interface ListeningChoice {
  /** What the listener has between; null: the sound as it is. */
  as: ListenAs | null;
  /** Id of the output device; empty: the system's. */
  device: string;
  /** Why the last choice was given up; null where it holds. */
  problem: string | null;
}

/** How the page is heard, in all its parts. A reload forgets it, because a forgotten filter would spoil a judgement. */
export const useListening = create<ListeningChoice>()(() => ({ as: null, device: '', problem: null }));

export const LISTENERS: Readonly<Record<ListenAs, string>> = {
  telephone: 'Telephone',
  loudspeaker: 'Small loudspeaker',
  room: 'Room',
};
