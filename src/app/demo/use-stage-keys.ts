import { useEffect } from 'react';
import { shortcutOf } from '../browser/shortcuts.ts';
import { useSessionClient } from '../session-client/provider.tsx';
import { selectBusy } from '../session-client/session-state.ts';
import { keyPlaceOf } from '../shell/use-shortcuts.ts';
import { setDemo } from '../stores/view-store.ts';
import { toggleFullScreen } from './full-screen.ts';
import { useStage } from './stage-context.tsx';
import { stageKeyOf } from './stage-keys.ts';
import { toggleProgramme, toggleWait, useStageView } from './stage-store.ts';
import type { StageVoices } from './use-stage-voices.ts';

const CONTROLS = 'button, a, input, select, [role="link"], [role="switch"], [role="radio"], [role="slider"]';

/** Handles the keys of the stage. Esc closes a layer, then cancels speech, then closes the programme, and then leaves. */
export function useStageKeys({ cards, choose }: StageVoices): void {
  const client = useSessionClient();
  const stage = useStage();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const place = keyPlaceOf(event.target);
      const shortcut = shortcutOf(event, place);
      if (shortcut === 'speak') {
        event.preventDefault();
        event.stopPropagation();
        stage.advance();
        return;
      }
      if (shortcut === 'cancel') {
        if (place.editing && event.target instanceof HTMLElement) {
          event.target.blur();
          event.stopPropagation();
        } else if (stage.store.getState().run.phase === 'pausing' || selectBusy(client.state)) {
          stage.stop();
          event.stopPropagation();
        } else if (useStageView.getState().isProgrammeOpen) {
          toggleProgramme();
          event.stopPropagation();
        } else setDemo(false);
        return;
      }
      const target = event.target instanceof Element ? event.target : null;
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
      else if (key.do === 'voice' && key.at === null) choose(null);
      else if (key.do === 'voice') {
        const card = cards[key.at ?? 0];
        if (card) choose(card);
      }
    };
    // Runs before the page's shortcuts, so that the Esc that cancels does not leave too.
    addEventListener('keydown', press, { capture: true });
    return () => removeEventListener('keydown', press, { capture: true });
  }, [client, stage, cards, choose]);
}
