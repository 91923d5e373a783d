import { useCallback, useSyncExternalStore } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { useSessionClient } from '../../session-client/provider.tsx';
import type { SessionClient } from '../../session-client/session-client.ts';
import { selectBusy, selectNewest } from '../../session-client/session-state.ts';
import { obstacleOf } from '../../session-client/target.ts';
import { useKeys } from '../../stores/key-store.ts';
import { useScene } from '../../stores/scene-store.ts';
import { selectDraft, selectEndpoint, useSettings } from '../../stores/settings-store.ts';
import { useDialogue } from '../live-model/dialogue.ts';
import { askProblem } from '../live-model/model-target.ts';
import { type ControlState, controlReasons } from './control-reasons.ts';
import { useLiveBox } from './live-box.ts';
import { textCount } from './text-rules.ts';
import { linesNow } from './use-lines.ts';

function controlState({ state: session }: SessionClient): ControlState {
  const page = useSettings.getState();
  const endpoint = selectEndpoint(page);
  const newest = selectNewest(session);
  const isOpen = newest?.state === 'sending' || newest?.state === 'receiving';
  const isOpenTurn = isOpen && newest.flushedMs === null && newest.text !== '';
  const common = {
    writing: session.source.state === 'running' ? session.source.model : null,
    busy: selectBusy(session),
    connected: session.connection.state === 'open',
    recorded: session.replay !== null,
  };
  if (page.source === 'live') {
    return {
      ...common,
      // A question cuts off the answer before it.
      writing: null,
      empty: false,
      emptyWords: '',
      textProblem: null,
      obstacle: askProblem(useDialogue.getState().question),
      openTurn: isOpenTurn,
    };
  }
  const scene = endpoint.contexts !== null;
  const typing = !scene && page.source === 'typed' && page.sendWhileTyping;
  const text = typing ? useLiveBox.getState().text : selectDraft(page);
  const empty = scene
    ? linesNow(endpoint).length === 0
    : // While typing, Speak ends the open turn even with an empty box.
      text.trim() === '' && !(typing && isOpenTurn);
  return {
    ...common,
    empty,
    emptyWords: scene ? 'No line of the script can be spoken.' : 'There is no text to speak.',
    textProblem: typing || scene ? null : textCount(text, endpoint.limits.textChars).problem,
    obstacle: obstacleOf(page, useKeys.getState()),
    openTurn: isOpenTurn || (typing && text.trim() !== ''),
  };
}

/** Why each control is disabled now; null if it is enabled. */
export const controlsNow = (client: SessionClient) => controlReasons(controlState(client));

const STORES = [useSettings, useKeys, useLiveBox, useScene, useDialogue];

/** Returns a part of the controls' state; renders only when that part changes. */
export function useControls<T>(select: (controls: ReturnType<typeof controlsNow>) => T): T {
  const client = useSessionClient();
  const subscribe = useCallback(
    (notify: () => void): (() => void) => {
      const leave = [...STORES, client.store].map((store) => store.subscribe(notify));
      return () => {
        for (const unsubscribe of leave) unsubscribe();
      };
    },
    [client],
  );
  const read = useShallow(select);
  return useSyncExternalStore(subscribe, () => read(controlsNow(client)));
}
