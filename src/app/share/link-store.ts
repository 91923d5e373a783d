import { create } from 'zustand';
import type { LinkedServer } from './link.ts';

export type LinkState =
  | { kind: 'none' }
  /** `server`: the proposed server, if it differs from the chosen one. */
  | { kind: 'opened'; server: LinkedServer | null; undo: () => void }
  | { kind: 'broken'; problem: string };

export const useLink = create<{ link: LinkState }>()(() => ({ link: { kind: 'none' } }));
