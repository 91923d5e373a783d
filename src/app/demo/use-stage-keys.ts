import { useEffect } from 'react';
import { shortcutOf } from '../browser/shortcuts.ts';
import { keyPlaceOf } from '../shell/use-shortcuts.ts';
import { setDemo } from '../stores/view-store.ts';
import { toggleFullScreen } from './full-screen.ts';
import { useStage } from './stage-context.tsx';
import { stageKeyOf } from './stage-keys.ts';
import { toggleProgramme, toggleWait, useStageView } from './stage-store.ts';
import type { StageVoices } from './use-stage-voices.ts';

const CONTROLS = 'button, a, input, select, [role="link"], [role="switch"], [role="radio"], [role="slider"]';

/** Handles the keys of the stage. Esc leaves a field, else cancels speech, else closes the programme, else leaves. */
export function useStageKeys({ cards, choose }: StageVoices): void {
  const stage = useStage();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const target = event.target instanceof HTMLElement ? event.target : null;
      // A form of the programme has its own handler for this key.
      if (target?.closest<HTMLElement>('[data-own-key]')?.dataset.ownKey === event.key) return;
      const place = keyPlaceOf(event.target);
      const shortcut = shortcutOf(event, place);
      if (shortcut === 'speak') {
        event.preventDefault();
        event.stopPropagation();
        stage.advance();
        return;
      }
      if (shortcut === 'cancel') {
        event.stopPropagation();
        if (place.editing) target?.blur();
        else if (stage.stop()) return;
        else if (useStageView.getState().isProgrammeOpen) toggleProgramme();
        else setDemo(false);
        return;
      }
      const key = stageKeyOf(event, {
        isElsewhere: place.editing || place.layered || place.modal,
        onControl: target?.closest(`[data-programme], ${CONTROLS}`) != null,
      });
      if (!key) return;
      event.preventDefault();
      if (key.do === 'advance') stage.advance();
      else if (key.do === 'back') stage.do({ type: 'back' });
      else if (key.do === 'fullScreen') toggleFullScreen();
      else if (key.do === 'programme') toggleProgramme();
      else if (key.do === 'wait') toggleWait();
      else if (key.do === 'voice') {
        const card = key.at === null ? null : cards[key.at];
        if (card !== undefined) choose(card);
      }
    };
    // Runs before the page's shortcuts, so that each key acts once.
    addEventListener('keydown', press, { capture: true });
    return () => removeEventListener('keydown', press, { capture: true });
  }, [stage, cards, choose]);
}
