import { create } from 'zustand';

export type Mode = 'studio' | 'voices' | 'compare' | 'benchmark';

export const MODES: readonly { value: Mode; title: string; hint: string }[] = [
  { value: 'studio', title: 'Studio', hint: 'Speak, listen, inspect' },
  { value: 'voices', title: 'Voices', hint: 'Every voice says one sentence' },
  { value: 'compare', title: 'Compare', hint: 'Two side by side, or more in a tournament' },
  { value: 'benchmark', title: 'Benchmark', hint: 'Many runs, with percentiles' },
];

/** Returns the mode of `?mode=`; the studio by default. */
const modeIn = (search: string): Mode => {
  const asked = new URLSearchParams(search).get('mode');
  return MODES.find(({ value }) => value === asked)?.value ?? 'studio';
};

/** Returns the query with another mode; other parameters stay. The studio has no parameter. */
const searchWith = (search: string, mode: Mode): string => {
  const asked = new URLSearchParams(search);
  if (mode === 'studio') asked.delete('mode');
  else asked.set('mode', mode);
  const query = asked.toString();
  return query === '' ? '' : `?${query}`;
};

/** The mode of the page. `followAddress` keeps it equal to the address. */
export const useMode = create<{ mode: Mode }>()(() => ({ mode: 'studio' }));

/** Changes the mode and adds a step to the browser's history. */
export function goToMode(mode: Mode): void {
  if (mode === useMode.getState().mode) return;
  const search = searchWith(location.search, mode);
  history.pushState(null, '', `${location.pathname}${search}${location.hash}`);
  useMode.setState({ mode });
}

/** Sets the mode from the address, now and on every step back or forward. */
export function followAddress(): void {
  const follow = (): void => useMode.setState({ mode: modeIn(location.search) });
  addEventListener('popstate', follow);
  follow();
}
