import { useMemo, useSyncExternalStore } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { useReplay } from '../../session-client/replay-store.ts';
import { selectBusy, selectNewest, useSession } from '../../session-client/session-store.ts';
import { obstacleOf } from '../../session-client/target.ts';
import { useKeys } from '../../stores/key-store.ts';
import { useScene } from '../../stores/scene-store.ts';
import { selectDraft, selectEndpoint, useSettings } from '../../stores/settings-store.ts';
import { type ControlReasons, type ControlState, controlReasons } from './control-reasons.ts';
import { useLiveBox } from './live-box.ts';
import { textCount } from './text-rules.ts';
import { linesNow } from './use-lines.ts';

export interface ControlsView {
  reasons: ControlReasons;
  busy: boolean;
}

function controlState(): ControlState {
  const page = useSettings.getState();
  const session = useSession.getState();
  const endpoint = selectEndpoint(page);
  const scene = endpoint.contexts !== null;
  const typing = !scene && page.source === 'typed' && page.sendWhileTyping;
  const text = typing ? useLiveBox.getState().text : selectDraft(page);
  const newest = selectNewest(session);
  const openTurn =
    newest !== undefined &&
    (newest.state === 'sending' || newest.state === 'receiving') &&
    newest.flushedMs === null;
  const empty = scene
    ? linesNow(endpoint).length === 0
    : // While typing, Speak ends the open turn even with an empty box.
      text.trim() === '' && !(typing && openTurn);
  return {
    empty,
    emptyWords: scene ? 'No line of the script can be spoken.' : 'There is no text to speak.',
    textProblem: typing || scene ? null : textCount(text, endpoint.limits.textChars).problem,
    obstacle: obstacleOf(page, useKeys.getState()),
    simulating: session.source.state === 'running',
    openTurn: openTurn || (typing && text.trim() !== ''),
    busy: selectBusy(session),
    connected: session.connection.state === 'open',
    recorded: useReplay.getState().replay !== null,
  };
}

const controlsOf = (state: ControlState): ControlsView => ({
  reasons: controlReasons(state),
  busy: state.busy,
});

/** Returns the controls as all stores together have them now. */
export const controlsNow = (): ControlsView => controlsOf(controlState());

const STORES = [useSettings, useSession, useKeys, useLiveBox, useScene, useReplay];

const subscribe = (notify: () => void): (() => void) => {
  const leave = STORES.map((store) => store.subscribe(notify));
  return () => {
    for (const unsubscribe of leave) unsubscribe();
  };
};

/** Renders only when the state of a control changes. */
export function useControls(): ControlsView {
  const state = useSyncExternalStore(subscribe, useShallow<void, ControlState>(controlState));
  return useMemo(() => controlsOf(state), [state]);
}
