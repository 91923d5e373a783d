import { create } from 'zustand';
import type { ListOptions } from '#recordings/view/frame-list.ts';

export interface Selection {
  /** Null where the filter leaves it out. */
  row: number | null;
  /** Of the entry, or of the first of a run. */
  index: number;
  isRun: boolean;
}

/** View state of the frames panel. Its rows are in `frame-window.ts`. */
export interface FramesState {
  direction: 'all' | 'out' | 'in' | 'player';
  /** null: all. */
  kinds: readonly string[] | null;
  contexts: readonly string[] | null;
  turn: number | null;
  problemsOnly: boolean;
  /** Findings include advice about time and money. */
  withAdvice: boolean;
  isFindingsOpen: boolean;
  /** Consecutive audio frames are one row. */
  fold: boolean;
  /** The newest frame stays in view. */
  isFollowing: boolean;
  selection: Selection | null;
  isDetailOpen: boolean;
  typed: string;
  /** The search wrapped around, or found nothing that passes the filter. */
  searchNote: string | null;
  /** The requested frame is not in the recording. Set until dismissed. */
  isMissed: boolean;
}

type Filter = Pick<FramesState, 'direction' | 'kinds' | 'contexts' | 'turn' | 'problemsOnly'>;
type ListState = Filter & Pick<FramesState, 'withAdvice'>;

export const NO_FILTER: Filter = {
  direction: 'all',
  kinds: null,
  contexts: null,
  turn: null,
  problemsOnly: false,
};

export const useFrames = create<FramesState>()(() => ({
  ...NO_FILTER,
  withAdvice: true,
  isFindingsOpen: false,
  fold: true,
  isFollowing: true,
  selection: null,
  isDetailOpen: false,
  typed: '',
  searchNote: null,
  isMissed: false,
}));

export const listOptionsOf = (state: ListState & Pick<FramesState, 'fold'>): ListOptions => ({
  filter: {
    ...(state.direction !== 'all' && { directions: [state.direction] }),
    ...(state.kinds && { kinds: state.kinds }),
    ...(state.contexts && { contexts: state.contexts }),
    ...(state.turn !== null && { turns: [state.turn] }),
    ...(state.problemsOnly && { problemsOnly: true, ...(!state.withAdvice && { withoutAdvice: true }) }),
  },
  fold: state.fold,
});

export const isFiltered = (state: ListState): boolean =>
  Object.keys(listOptionsOf({ ...state, fold: true }).filter).length > 0;
