import type { SoakResult } from './soak.ts';
import { type Excuse, underrunWords } from './underruns.ts';

/** One judged figure of a soak. */
export interface Verdict {
  figure: string;
  measured: string;
  allowed: string;
  /** Null where the figure is for information, or could not be measured. */
  isMet: boolean | null;
  /** Each breach in words. */
  problems: readonly string[];
}

const EXCUSES: Readonly<Record<Excuse, string>> = {
  measuring: 'underruns while the soak measured',
  stall: 'underruns in stalls of the machine',
  load: 'underruns while other programs took the CPU',
};

/** Returns all figures that decide whether a soak held. */
export function verdictsOf(result: SoakResult): Verdict[] {
  const { growth, underruns, errors, faults, sessions } = result;
  const counted = underruns.filter(({ excuse }) => excuse === null);
  return [
    ...growth.map(({ title, unit, grown, allowed }): Verdict => {
      const isMet = Number.isNaN(grown) ? null : grown <= allowed;
      const [measured, most] = [grown, allowed].map((value) => `${value.toFixed(1)} ${unit}`);
      return {
        figure: `growth of ${title}`,
        measured: isMet === null ? 'unknown' : (measured ?? ''),
        allowed: isMet === null ? '' : (most ?? ''),
        isMet,
        problems: isMet === false ? [`expected ${title} to grow by at most ${most}, got ${measured}`] : [],
      };
    }),
    none(
      'underruns without an excuse',
      counted.map(({ underrun }) => `expected no underrun, got ${underrunWords(underrun)}`),
    ),
    ...Object.entries(EXCUSES).map(
      ([excuse, figure]): Verdict => ({
        figure,
        measured: String(underruns.filter((one) => one.excuse === excuse).length),
        allowed: 'not counted',
        isMet: null,
        problems: [],
      }),
    ),
    none('errors and crashes of the page', errors),
    none(
      'faults of the server',
      faults.map((fault) => `expected no fault of the server, got ${fault}`),
    ),
    none(
      'findings of other clients',
      sessions.findings.map(({ problem, example }) => `${problem}\n${example}`),
    ),
  ];
}

const none = (figure: string, problems: readonly string[]): Verdict => ({
  figure,
  measured: String(problems.length),
  allowed: '0',
  isMet: problems.length === 0,
  problems,
});
