import { create } from 'zustand';

/** Which turn the chunk panel shows; null follows the newest. Forgotten on reload, like the turns themselves. */
export const useTurnChoice = create<{ turn: number | null }>()(() => ({ turn: null }));
