import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { followAddress, goToMode, useMode } from './mode-store.ts';

const address = { pathname: '/x', search: '', hash: '#h' };
const steps: string[] = [];
let goBack = () => {};

beforeEach(() => {
  steps.length = 0;
  vi.stubGlobal('location', address);
  vi.stubGlobal('history', { pushState: (_: null, __: string, to: string) => steps.push(to) });
  vi.stubGlobal('addEventListener', (_: 'popstate', listener: () => void) => {
    goBack = listener;
  });
});
afterEach(() => void vi.unstubAllGlobals());

test.each([
  ['', 'studio'],
  ['?mode=compare', 'compare'],
  ['?mode=voices', 'voices'],
  ['?endpoint=murmr&mode=benchmark', 'benchmark'],
  ['?mode=nonsense', 'studio'],
  ['?mode=', 'studio'],
] as const)('the address “%s” selects the %s, at the start and by a step back', (search, mode) => {
  address.search = search;
  followAddress();
  expect(useMode.getState().mode).toBe(mode);
  useMode.setState({ mode: 'compare' });
  goBack();
  expect(useMode.getState().mode).toBe(mode);
});

test.each([
  ['', 'compare', '?mode=compare'],
  ['?mode=compare', 'studio', ''],
  ['?endpoint=murmr', 'benchmark', '?endpoint=murmr&mode=benchmark'],
  ['?endpoint=murmr&mode=benchmark', 'studio', '?endpoint=murmr'],
  ['?mode=benchmark&endpoint=murmr', 'compare', '?mode=compare&endpoint=murmr'],
] as const)('from “%s” to the %s leads “%s”, and nothing else of the address is lost', (from, mode, to) => {
  address.search = from;
  followAddress();
  goToMode(mode);
  goToMode(mode);
  expect(steps).toEqual([`/x${to}#h`]);
  expect(useMode.getState().mode).toBe(mode);
});
