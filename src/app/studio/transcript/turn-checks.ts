import { createStore, type StoreApi } from 'zustand/vanilla';
import type { TurnView } from '#session/views.ts';
import { type ApiFault, apiFault } from '#text/api/api-fault.ts';
import type { SessionClient } from '../../session-client/session-client.ts';
import { useKeys } from '../../stores/key-store.ts';
import { useSettings } from '../../stores/settings-store.ts';
import type { CheckedSpeech } from '../../transcription/check-speech.ts';
import { transcriptionTarget } from '../../transcription/transcription-target.ts';

type TurnChecks = ReadonlyMap<string, 'running' | CheckedSpeech | ApiFault>;

/** Checked turns that are kept, because a result has an object for each word. */
const MAX_CHECKS = 100;

const stores = new WeakMap<SessionClient, StoreApi<TurnChecks>>();

/** The checks of a session, by {@link checkKey}. */
export function checksOf(client: SessionClient): StoreApi<TurnChecks> {
  const store = stores.get(client) ?? createStore<TurnChecks>(() => new Map());
  stores.set(client, store);
  return store;
}

/** Seeking in a replay begins another run, whose turns have the same ids. */
export const checkKey = ({ state }: SessionClient, turn: number): string =>
  `${state.replay?.run ?? 'live'} ${turn}`;

/** Checks the words of a turn with the server of the page's settings. */
export async function checkTurn(client: SessionClient, turn: TurnView): Promise<void> {
  const key = checkKey(client, turn.id);
  const set = (check: 'running' | CheckedSpeech | ApiFault) =>
    checksOf(client).setState(
      (checks) => new Map([...checks, [key, check] as const].slice(-MAX_CHECKS)),
      true,
    );
  set('running');
  const target = transcriptionTarget(useSettings.getState().transcription, useKeys.getState());
  const part = await import('../../transcription/check-speech.ts').catch(() => null);
  set(
    part
      ? await part.checkSpeech(client, [turn], turn.text, target)
      : apiFault('The words cannot be checked', 'A part of the page did not load.', 'Check again.'),
  );
}
