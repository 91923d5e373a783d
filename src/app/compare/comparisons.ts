import { createContext, use } from 'react';
import { useStore } from 'zustand';
import { present } from '../session-client/provider.tsx';
import { SideBySide, type SideBySideState } from './side-by-side.ts';
import { Tournament, type TournamentState } from './tournament/tournament.ts';

/** All ways of comparing. The page owns them, because results must outlive the mode. */
export class Comparisons {
  readonly sideBySide = new SideBySide();
  readonly tournament = new Tournament();

  /** Ends all sessions and keeps the results. */
  leave(): void {
    this.sideBySide.leave();
    this.tournament.leave();
  }
}

export const ComparisonsContext = createContext<Comparisons | null>(null);

export const useComparisons = (): Comparisons => present(use(ComparisonsContext), 'ComparisonsContext');

export const useSideBySide = <T>(selector: (state: SideBySideState) => T): T =>
  useStore(useComparisons().sideBySide.store, selector);

export const useTournament = <T>(selector: (state: TournamentState) => T): T =>
  useStore(useComparisons().tournament.store, selector);
