import { create } from 'zustand';

/** What is open beside the words on the stage. A reload forgets it. */
export const useStageView = create<{ isProgrammeOpen: boolean; isWaitOpen: boolean }>()(() => ({
  isProgrammeOpen: false,
  isWaitOpen: false,
}));

export const toggleProgramme = (): void =>
  useStageView.setState(({ isProgrammeOpen }) => ({ isProgrammeOpen: !isProgrammeOpen }));

export const toggleWait = (): void =>
  useStageView.setState(({ isWaitOpen }) => ({ isWaitOpen: !isWaitOpen }));
