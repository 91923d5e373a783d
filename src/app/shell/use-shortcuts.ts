import { useEffect } from 'react';
import { isTyping, type KeyPlace, shortcutOf } from '../browser/shortcuts.ts';
import type { StudioSessions } from '../session-client/studio-sessions.ts';
import { useMode } from '../stores/mode-store.ts';
import { askSearch, openDialog } from '../stores/view-store.ts';
import { cancel, speak } from '../studio/composer/intents.ts';

/** Layers that Esc closes before it cancels speech. The library marks a closing layer. */
const LAYERS = ':is([role="dialog"], [role="menu"], [role="listbox"]):not([data-closed])';
const MODAL = '[data-modal]:not([data-closed])';

export function keyPlaceOf(target: EventTarget | null): KeyPlace {
  return {
    editing: isTyping(target),
    layered: [...document.querySelectorAll(LAYERS)].some((layer) => layer.checkVisibility()),
    modal: document.querySelector(MODAL)?.checkVisibility() ?? false,
  };
}

export function useShortcuts(sessions: StudioSessions): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const action = shortcutOf(event, keyPlaceOf(event.target));
      // The editors prevent their own new line on Ctrl Enter; the page still speaks.
      if (action === null || (event.defaultPrevented && action !== 'speak')) return;
      // The other modes show neither the studio's text nor its frames, and have their own keys.
      if (action !== 'help' && useMode.getState().mode !== 'studio') return;
      if (action === 'help' || action === 'search') event.preventDefault();
      const { client } = sessions.shown.getState();
      if (action === 'speak') {
        event.preventDefault();
        speak(client);
      } else if (action === 'cancel') cancel(client);
      else if (action === 'search') askSearch();
      else openDialog('keys');
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [sessions]);
}
