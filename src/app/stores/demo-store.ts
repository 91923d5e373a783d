import { create } from 'zustand';

/** Whether the studio shows what is heard and nothing else: for a screen that many look at. A reload ends it. */
export const useDemo = create<{ on: boolean }>()(() => ({ on: false }));

export const setDemo = (on: boolean): void => useDemo.setState({ on });
