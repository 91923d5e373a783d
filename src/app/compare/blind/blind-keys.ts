import type { Label } from './trial.ts';

export type BlindAction = { play: Label } | 'stop' | 'next' | 'reveal';

interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  isComposing: boolean;
  /** The key is held down. */
  repeat: boolean;
}

/** What a key does in a round; null: nothing of its own. Arrows and Enter belong to the choice, which has the focus. */
export function blindActionOf(press: KeyPress): BlindAction | null {
  if (press.ctrlKey || press.metaKey || press.altKey || press.isComposing || press.repeat) return null;
  switch (press.key.toLowerCase()) {
    case '1':
    case 'x':
      return { play: 'x' };
    case '2':
    case 'y':
      return { play: 'y' };
    case 'escape':
      return 'stop';
    case 'n':
      return 'next';
    case 'r':
      return 'reveal';
    default:
      return null;
  }
}
