const isApple = (): boolean => /mac|iphone|ipad/i.test(navigator.platform);

/** `⌘ Enter` or `Ctrl Enter`. */
export const speakKeys = (): string => (isApple() ? '⌘ Enter' : 'Ctrl Enter');

export type ShortcutAction = 'speak' | 'cancel' | 'search' | 'help';

type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'isComposing'>;

export interface KeyPlace {
  /** In a field that takes text, where plain characters belong to the text. */
  editing: boolean;
  /** A dialog, a menu or a list is open, which Esc closes first. */
  layered: boolean;
  modal: boolean;
}

const TEXT_FIELDS =
  'input:not([type="radio"], [type="checkbox"], [type="range"]), textarea, [contenteditable="true"]';

/** Whether a key press there is text and no command. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest(TEXT_FIELDS) !== null;

/** Returns the action of a key press; null for none. */
export function shortcutOf(press: KeyPress, place: KeyPlace): ShortcutAction | null {
  // In an input method, Enter and Esc only end the choice of a character.
  if (press.isComposing || place.modal) return null;
  const command = (press.ctrlKey || press.metaKey) && !press.altKey;
  if (press.key === 'Enter' && command) return 'speak';
  if (press.key === 'Escape' && !place.layered && !command && !press.altKey && !press.shiftKey)
    return 'cancel';
  if (press.key === '/' && !command && !place.editing && !place.layered) return 'search';
  if (press.key === '?' && !command && !place.editing && !place.layered) return 'help';
  return null;
}

export const shortcutList = (): readonly { keys: string; does: string }[] => [
  { keys: speakKeys(), does: 'Speak the text' },
  { keys: 'Esc', does: 'Cancel what is being spoken; where nothing is, leave the demo mode' },
  { keys: 'Space', does: 'In demo mode: start, or go on to the next item; ← goes back' },
  { keys: '1 … 9', does: 'In demo mode: another voice; 0 is the playlist’s own' },
  { keys: 'P W F', does: 'In demo mode: the playlist, the parts of the wait, full screen' },
  { keys: '1 2', does: 'In a tournament: play X, play Y; arrow keys choose, Enter confirms' },
  { keys: 'Enter', does: 'While “Send while typing” is on: flush, so that all that was typed is spoken' },
  { keys: 'Shift Enter', does: 'While “Send while typing” is on: a new line' },
  { keys: '← →', does: 'On a word of a finished turn: to the words beside it' },
  { keys: 'Enter', does: 'On a word of a finished turn: play from there' },
  { keys: '+ −', does: 'In the timeline: closer, farther' },
  { keys: '← →', does: 'In the timeline: earlier, later; with Shift draw a span and measure it' },
  { keys: 'f t', does: 'In the timeline: fit the session, fit the turn; Home its start, End follow' },
  { keys: 'j k', does: 'In the timeline: the next word, the one before; Enter plays from it' },
  { keys: '/', does: 'Search the frames' },
  { keys: 'j k', does: 'In the list of frames: the next one, the one before; arrow keys do the same' },
  { keys: 'Enter', does: 'In the list of frames: show the frame in detail, or unfold a run of audio' },
  {
    keys: 'n p',
    does: 'In the frames: the next hit of the search, the one before; without a search, the next finding',
  },
  { keys: 'Esc', does: 'In the frames: leave the detail or the search' },
  { keys: '?', does: 'This list' },
];
