import { useEffect } from 'react';
import { shortcutOf } from '../browser/shortcuts.ts';
import { keyPlaceOf } from '../shell/use-shortcuts.ts';
import { setDemo } from '../stores/view-store.ts';
import { toggleFullScreen } from './full-screen.ts';
import { usePlaylistRunner } from './playlist-context.tsx';
import { presenterKeyOf } from './presenter-keys.ts';
import { togglePlaylist, toggleWait, usePresenterView } from './presenter-store.ts';
import type { PresenterVoices } from './use-presenter-voices.ts';

const CONTROLS = 'button, a, input, select, [role="link"], [role="switch"], [role="radio"], [role="slider"]';

/** Handles the keys of the presenter. Esc leaves a field, else cancels speech, else closes the playlist, else leaves. */
export function usePresenterKeys({ cards, choose }: PresenterVoices): void {
  const runner = usePlaylistRunner();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const target = event.target instanceof HTMLElement ? event.target : null;
      // A form of the playlist has its own handler for this key.
      if (target?.closest<HTMLElement>('[data-own-key]')?.dataset.ownKey === event.key) return;
      const place = keyPlaceOf(event.target);
      const shortcut = shortcutOf(event, place);
      if (shortcut === 'speak') {
        event.preventDefault();
        event.stopPropagation();
        runner.advance();
        return;
      }
      if (shortcut === 'cancel') {
        event.stopPropagation();
        if (place.editing) target?.blur();
        else if (runner.stop()) return;
        else if (usePresenterView.getState().isPlaylistOpen) togglePlaylist();
        else setDemo(false);
        return;
      }
      const key = presenterKeyOf(event, {
        isElsewhere: place.editing || place.layered || place.modal,
        onControl: target?.closest(`[data-playlist], ${CONTROLS}`) != null,
      });
      if (!key) return;
      event.preventDefault();
      if (key.do === 'advance') runner.advance();
      else if (key.do === 'back') runner.do({ type: 'back' });
      else if (key.do === 'fullScreen') toggleFullScreen();
      else if (key.do === 'playlist') togglePlaylist();
      else if (key.do === 'wait') toggleWait();
      else if (key.do === 'voice') {
        const card = key.at === null ? null : cards[key.at];
        if (card !== undefined) choose(card);
      }
    };
    // Runs before the page's shortcuts, so that each key acts once.
    addEventListener('keydown', press, { capture: true });
    return () => removeEventListener('keydown', press, { capture: true });
  }, [runner, cards, choose]);
}
