import { useEffect } from 'react';
import { useHelp } from './bar/help.tsx';
import { cancel, speak } from './composer/intents.ts';
import { type KeyPlace, shortcutOf } from './shortcuts.ts';

const LAYERS = '[role="dialog"], [role="menu"], [role="listbox"]';

function placeOf(target: EventTarget | null): KeyPlace {
  const node = target instanceof Element ? target : null;
  return {
    editing: node?.closest('input, textarea, [contenteditable="true"]') !== null && node !== null,
    // Something lies over the page: Esc closes that first.
    layered: document.querySelector(LAYERS) !== null,
  };
}

/** Speak, Cancel and the list of keys, from anywhere on the page. */
export function useShortcuts(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const action = shortcutOf(event, placeOf(event.target));
      if (action === null) return;
      if (action === 'help') event.preventDefault();
      if (action === 'speak') {
        event.preventDefault();
        speak();
      } else if (action === 'cancel') cancel();
      else useHelp.setState({ open: true });
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}
