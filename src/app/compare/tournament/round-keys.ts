import type { Label } from './rounds.ts';

type RoundAction = { play: Label } | 'stop' | 'next' | 'reveal';

type KeyPress = Pick<
  globalThis.KeyboardEvent,
  'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'isComposing' | 'repeat'
>;

const ACTIONS: Readonly<Record<string, RoundAction>> = {
  1: { play: 'x' },
  x: { play: 'x' },
  2: { play: 'y' },
  y: { play: 'y' },
  escape: 'stop',
  n: 'next',
  r: 'reveal',
};

/** Returns the action of a key in a round; null where it has none. Arrows and Enter belong to the focused choice. */
export function roundActionOf(press: KeyPress): RoundAction | null {
  if (press.ctrlKey || press.metaKey || press.altKey || press.isComposing || press.repeat) return null;
  return ACTIONS[press.key.toLowerCase()] ?? null;
}
