/** Keys of the stage. Shared keys, such as Esc, are in `browser/shortcuts.ts`. */
export type StageKey =
  | { do: 'advance' | 'back' | 'fullScreen' | 'programme' | 'wait' }
  /** Counted from 0; null: the programme's own voices. */
  | { do: 'voice'; at: number | null };

interface StagePress
  extends Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'repeat'> {}

export interface StageKeyPlace {
  /** In a text field, a dialog or a menu, where plain keys have another meaning. */
  isElsewhere: boolean;
  /** On a control that space presses, or in a list that arrows move in. */
  onControl: boolean;
}

const LETTERS: Readonly<Record<string, StageKey>> = {
  f: { do: 'fullScreen' },
  p: { do: 'programme' },
  w: { do: 'wait' },
};

/** Keys of presenters' remote controls among them. */
const MOVES: Readonly<Record<string, StageKey>> = {
  ' ': { do: 'advance' },
  ArrowRight: { do: 'advance' },
  PageDown: { do: 'advance' },
  ArrowLeft: { do: 'back' },
  PageUp: { do: 'back' },
};

/** Returns the action of a key press on the stage; null for none. A key that is held down acts once. */
export function stageKeyOf(press: StagePress, { isElsewhere, onControl }: StageKeyPlace): StageKey | null {
  if (isElsewhere || press.repeat || press.ctrlKey || press.metaKey || press.altKey) return null;
  const isRemote = press.key === 'PageDown' || press.key === 'PageUp';
  const move = MOVES[press.key];
  if (move) return press.shiftKey || (onControl && !isRemote) ? null : move;
  if (/^[0-9]$/.test(press.key)) return { do: 'voice', at: press.key === '0' ? null : Number(press.key) - 1 };
  return press.shiftKey ? null : (LETTERS[press.key.toLowerCase()] ?? null);
}
