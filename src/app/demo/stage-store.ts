import { create } from 'zustand';

/** The open panels of the stage. A reload closes them. */
export const useStageView = create<{ isProgrammeOpen: boolean; isWaitOpen: boolean }>()(() => ({
  isProgrammeOpen: false,
  isWaitOpen: false,
}));

export const toggleProgramme = (): void =>
  useStageView.setState(({ isProgrammeOpen }) => ({ isProgrammeOpen: !isProgrammeOpen }));

export const toggleWait = (): void =>
  useStageView.setState(({ isWaitOpen }) => ({ isWaitOpen: !isWaitOpen }));
