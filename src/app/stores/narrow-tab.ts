import { create } from 'zustand';

/** The panel in view on a narrow window. */
export const useNarrowTab = create<{ tab: string }>()(() => ({ tab: 'stage' }));
