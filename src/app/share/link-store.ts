import { create } from 'zustand';
import type { LinkedServer } from './link.ts';

/** Outcome of the link that opened the page. */
export type LinkState =
  | { kind: 'none' }
  /** `server`: where the link would have the page connect, if that is elsewhere; it takes a press to do so. */
  | { kind: 'opened'; server: LinkedServer | null; undo: () => void }
  | { kind: 'broken'; problem: string };

export const useLink = create<{ link: LinkState }>()(() => ({ link: { kind: 'none' } }));
