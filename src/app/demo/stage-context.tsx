import { createContext, use } from 'react';
import { useStore } from 'zustand';
import { present } from '../session-client/provider.tsx';
import type { StageRunner } from './run/stage-runner.ts';

export const StageContext = createContext<StageRunner | null>(null);

export const useStage = (): StageRunner => present(use(StageContext), 'StageContext');

/** Returns a part of the state of the run; re-renders only when that part changes. */
export const useStageState = <T,>(selector: (state: ReturnType<StageRunner['store']['getState']>) => T): T =>
  useStore(useStage().store, selector);
