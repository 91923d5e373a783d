import { useMemo, useState } from 'react';
import type { Endpoint, Settings } from '#protocol/core/endpoint.ts';
import type { Issue } from '#protocol/core/issue.ts';
import { isUnderWay } from '#trace/turn-state.ts';
import { type JsonDraft, jsonDraftOf, parseSettings, settingsText } from '../editor/settings-text.ts';
import { useSessionNow } from '../session-client/provider.tsx';
import { selectNewest } from '../session-client/session-state.ts';
import { selectEndpoint, selectSettings, useSettings } from '../stores/settings-store.ts';
import { changedFields, withFields } from './setting-value.ts';

export interface Setup {
  endpoint: Endpoint;
  settings: Settings;
  issues: readonly Issue[];
  /** Fields changed during a turn, which apply from the next one. */
  pending: ReadonlySet<string>;
  /** Replaces all settings and discards the typed JSON. */
  replace: (settings: Settings) => void;
  /** Changes fields; one that is undefined is no longer sent. */
  setFields: (change: Settings) => void;
  /** The settings as text: as typed, or as formatted here. */
  text: string;
  /** False for an unreadable text; the settings are then the last readable ones. */
  textReadable: boolean;
  setText: (text: string) => void;
}

const NOTHING: ReadonlySet<string> = new Set();

/** The set-up of the endpoint in use, as one state with two views. */
export function useSetup(): Setup {
  const endpoint = useSettings(selectEndpoint);
  const settings = useSettings(selectSettings);
  return useSetupOf(endpoint, settings, changeSettings, usePending(settings));
}

/** Replaces settings by a function of the current ones. Several changes may come before the next render. */
export type ChangeSettings = (change: (settings: Settings) => Settings) => void;

const changeSettings: ChangeSettings = (change) => {
  const page = useSettings.getState();
  page.setSettings(change(selectSettings(page)));
};

/** The set-up of any endpoint, wherever its settings are kept. */
export function useSetupOf(
  endpoint: Endpoint,
  settings: Settings,
  change: ChangeSettings,
  pending: ReadonlySet<string> = NOTHING,
): Setup {
  const [drafts, setDrafts] = useState<Partial<Record<Endpoint['id'], JsonDraft | null>>>({});
  const issues = useMemo(() => endpoint.checkSettings(settings), [endpoint, settings]);
  const text = settingsText(settings, drafts[endpoint.id] ?? null);
  const setDraft = (draft: JsonDraft | null) => setDrafts((known) => ({ ...known, [endpoint.id]: draft }));
  return {
    endpoint,
    settings,
    issues,
    pending,
    replace: (next) => {
      setDraft(null);
      change(() => next);
    },
    setFields: (fields) => change((current) => withFields(current, fields)),
    text,
    textReadable: useMemo(() => parseSettings(text) !== null, [text]),
    setText: (typed) =>
      change((current) => {
        const draft = jsonDraftOf(typed, current, endpoint.reservedFields);
        setDraft(draft);
        return draft.settings;
      }),
  };
}

/** Returns the fields that changed since the running turn began; none while no turn runs. */
function usePending(settings: Settings): ReadonlySet<string> {
  const turn = useSessionNow((state) => {
    const newest = selectNewest(state);
    return newest && isUnderWay(newest) ? newest.id : null;
  });
  const [begun, setBegun] = useState({ turn, settings });
  if (turn !== begun.turn) setBegun({ turn, settings });
  return useMemo(
    () => (turn === null ? NOTHING : changedFields(settings, begun.settings)),
    [turn, settings, begun],
  );
}
