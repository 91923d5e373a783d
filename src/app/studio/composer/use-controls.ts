import { useSyncExternalStore } from 'react';
import { useReplay } from '../../session-client/replay-store.ts';
import { selectBusy, selectNewest, useSession } from '../../session-client/session-store.ts';
import { obstacleOf } from '../../session-client/target.ts';
import { useKeys } from '../../stores/key-store.ts';
import { useScene } from '../../stores/scene-store.ts';
import { selectDraft, selectEndpoint, useSettings } from '../../stores/settings-store.ts';
import { type ControlReasons, controlReasons } from './control-reasons.ts';
import { useLiveBox } from './live-box.ts';
import { textCount } from './text-rules.ts';
import { linesNow } from './use-lines.ts';

export interface ControlsView {
  reasons: ControlReasons;
  busy: boolean;
}

let last: { key: string; view: ControlsView } | null = null;

/** The controls as all stores together have them now; the same object until something about them changes. */
export function controlsNow(): ControlsView {
  const view = derive();
  const key = JSON.stringify(view);
  if (last?.key !== key) last = { key, view };
  return last.view;
}

function derive(): ControlsView {
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
  const busy = selectBusy(session);
  const empty = scene
    ? linesNow(endpoint).length === 0
    : // While typing, Speak ends the open turn even with an empty box.
      text.trim() === '' && !(typing && openTurn);
  const reasons = controlReasons({
    empty,
    emptyWords: scene ? 'No line of the script can be spoken.' : 'There is no text to speak.',
    textProblem: typing || scene ? null : textCount(text, endpoint.limits.textChars).problem,
    obstacle: obstacleOf(page, useKeys.getState()),
    simulating: session.source.state === 'running',
    openTurn: openTurn || (typing && text.trim() !== ''),
    busy,
    connected: session.connection.state === 'open',
    recorded: useReplay.getState().replay !== null,
  });
  return { reasons, busy };
}

const STORES = [useSettings, useSession, useKeys, useLiveBox, useScene, useReplay];

const subscribe = (notify: () => void): (() => void) => {
  const leave = STORES.map((store) => store.subscribe(notify));
  return () => {
    for (const unsubscribe of leave) unsubscribe();
  };
};

/** The controls, rendered again only when one of them changes. */
export const useControls = (): ControlsView => useSyncExternalStore(subscribe, controlsNow);
