import { useEffect, useMemo, useRef, useState } from 'react';
import type { Endpoint, Settings } from '#protocol/core/endpoint.ts';
import type { Issue } from '#protocol/core/issue.ts';
import { draftOf, type JsonDraft, parseSettings, textOf } from '../editor/settings-text.ts';
import { isUnderWay, selectNewest, useSession } from '../session-client/session-store.ts';
import { selectEndpoint, selectSettings, useSettings } from '../stores/settings-store.ts';
import { changedFields, withFields } from './setting-value.ts';

export interface Setup {
  endpoint: Endpoint;
  settings: Settings;
  issues: readonly Issue[];
  /** Fields changed while a turn runs, which will be sent with the next one. */
  pending: ReadonlySet<string>;
  /** Puts other settings in place of all, and forgets what was typed as JSON. */
  replace: (settings: Settings) => void;
  setField: (field: string, value: unknown) => void;
  /** Several at once; undefined takes a field out. */
  setFields: (change: Settings) => void;
  unsetField: (field: string) => void;
  /** The settings as text: as typed, or as formatted here. */
  text: string;
  /** False while the text cannot be read; the settings are then the last ones that could. */
  textReadable: boolean;
  setText: (text: string) => void;
}

const NOTHING: ReadonlySet<string> = new Set();

/** The set-up of the endpoint in use, as one state with two views. */
export function useSetup(): Setup {
  const endpoint = useSettings(selectEndpoint);
  const settings = useSettings(selectSettings);
  const setSettings = useSettings((state) => state.setSettings);
  const setSetting = useSettings((state) => state.setSetting);
  return {
    ...useSetupOf(endpoint, settings, setSettings, usePending(settings)),
    // Two fields may change before the page is drawn again.
    setField: setSetting,
    unsetField: (field) => setSetting(field, undefined),
  };
}

/** The set-up of any endpoint, wherever its settings are kept. */
export function useSetupOf(
  endpoint: Endpoint,
  settings: Settings,
  setSettings: (settings: Settings) => void,
  pending: ReadonlySet<string> = NOTHING,
): Setup {
  const [drafts, setDrafts] = useState<Partial<Record<Endpoint['id'], JsonDraft | null>>>({});
  const issues = useMemo(() => endpoint.checkSettings(settings), [endpoint, settings]);
  const text = textOf(settings, drafts[endpoint.id] ?? null);
  return {
    endpoint,
    settings,
    issues,
    pending,
    replace: (next) => {
      setDrafts({ ...drafts, [endpoint.id]: null });
      setSettings(next);
    },
    setField: (field, value) => setSettings(withFields(settings, { [field]: value })),
    setFields: (change) => setSettings(withFields(settings, change)),
    unsetField: (field) => setSettings(withFields(settings, { [field]: undefined })),
    text,
    textReadable: useMemo(() => parseSettings(text).ok, [text]),
    setText: (typed) => {
      const draft = draftOf(typed, settings, endpoint.reservedFields);
      setDrafts({ ...drafts, [endpoint.id]: draft });
      setSettings(draft.settings);
    },
  };
}

/** Fields that differ from what the running turn was opened with; none while no turn runs. */
function usePending(settings: Settings): ReadonlySet<string> {
  const runningTurn = useSession((state) => {
    const newest = selectNewest(state);
    return newest && isUnderWay(newest) ? newest.id : null;
  });
  const latest = useRef(settings);
  latest.current = settings;
  const [sent, setSent] = useState<Settings | null>(null);
  useEffect(() => {
    setSent(runningTurn === null ? null : latest.current);
  }, [runningTurn]);
  return useMemo(() => (sent === null ? NOTHING : changedFields(settings, sent)), [settings, sent]);
}
