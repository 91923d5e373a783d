import { create } from 'zustand';

/** What the page is for: to hear and inspect, to put two side by side, to measure many runs. */
export type Mode = 'studio' | 'compare' | 'benchmark';

export const MODES: readonly { value: Mode; title: string; hint: string }[] = [
  { value: 'studio', title: 'Studio', hint: 'Speak, listen, inspect' },
  { value: 'compare', title: 'Compare', hint: 'Two configurations side by side, or blind' },
  { value: 'benchmark', title: 'Benchmark', hint: 'Many runs, with percentiles' },
];

/** The mode that an address asks for with `?mode=`; the studio where it asks for none. */
export const modeIn = (search: string): Mode => {
  const asked = new URLSearchParams(search).get('mode');
  return MODES.find(({ value }) => value === asked)?.value ?? 'studio';
};

/** The query part of the address for a mode; what else is in it stays. The studio needs none. */
export const searchWith = (search: string, mode: Mode): string => {
  const asked = new URLSearchParams(search);
  if (mode === 'studio') asked.delete('mode');
  else asked.set('mode', mode);
  const query = asked.toString();
  return query === '' ? '' : `?${query}`;
};

/** The mode of the page, kept in its address; `followAddress` makes it follow. */
export const useMode = create<{ mode: Mode }>()(() => ({ mode: 'studio' }));

/** Goes to a mode, as a step that the browser's Back button takes back. */
export function goToMode(mode: Mode): void {
  if (mode === useMode.getState().mode) return;
  const search = searchWith(location.search, mode);
  history.pushState(null, '', `${location.pathname}${search}${location.hash}`);
  useMode.setState({ mode });
}

/** Takes the mode from the address, now and whenever the user goes back or forward. */
export function followAddress(): void {
  const follow = (): void => useMode.setState({ mode: modeIn(location.search) });
  addEventListener('popstate', follow);
  follow();
}
