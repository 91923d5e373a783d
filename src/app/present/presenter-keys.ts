/** Keys of the presenter. Shared keys, such as Esc, are in `browser/shortcuts.ts`. */
type PresenterKey =
  | { do: 'advance' | 'back' | 'fullScreen' | 'playlist' | 'wait' }
  /** Counted from 0; null: the playlist's own voices. */
  | { do: 'voice'; at: number | null };

interface PresenterPress
  extends Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'repeat'> {}

interface PresenterKeyPlace {
  /** In a text field, a dialog or a menu, where plain keys have another meaning. */
  isElsewhere: boolean;
  /** On a control that space presses, or in a list that arrows move in. */
  onControl: boolean;
}

const LETTERS: Readonly<Record<string, PresenterKey>> = {
  f: { do: 'fullScreen' },
  p: { do: 'playlist' },
  w: { do: 'wait' },
};

/** Keys of remote controls for slides among them. */
const MOVES: Readonly<Record<string, PresenterKey>> = {
  ' ': { do: 'advance' },
  ArrowRight: { do: 'advance' },
  PageDown: { do: 'advance' },
  ArrowLeft: { do: 'back' },
  PageUp: { do: 'back' },
};

/** Returns the action of a key press in the presenter; null for none. A key that is held down acts once. */
export function presenterKeyOf(
  press: PresenterPress,
  { isElsewhere, onControl }: PresenterKeyPlace,
): PresenterKey | null {
  if (isElsewhere || press.repeat || press.ctrlKey || press.metaKey || press.altKey) return null;
  const isRemote = press.key === 'PageDown' || press.key === 'PageUp';
  const move = MOVES[press.key];
  if (move) return press.shiftKey || (onControl && !isRemote) ? null : move;
  if (/^[0-9]$/.test(press.key)) return { do: 'voice', at: press.key === '0' ? null : Number(press.key) - 1 };
  return press.shiftKey ? null : (LETTERS[press.key.toLowerCase()] ?? null);
}
