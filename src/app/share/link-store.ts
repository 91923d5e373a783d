import { create } from 'zustand';
import type { LinkedServer } from './link.ts';

export type LinkState =
  | { kind: 'none' }
  /** `server`: the proposed server, if it differs from the chosen one. */
  | { kind: 'opened'; server: LinkedServer | null; undo: () => void }
  | { kind: 'broken'; problem: string }
  /** Of an earlier version, with a playlist. */
  | { kind: 'playlist' };

export const useLink = create<{ link: LinkState }>()(() => ({ link: { kind: 'none' } }));
