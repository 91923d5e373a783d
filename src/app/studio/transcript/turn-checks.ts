import { createStore, type StoreApi } from 'zustand/vanilla';
import { wallMs } from '#lib/wall-clock.ts';
import type { TurnView } from '#session/views.ts';
import type { ApiFault } from '#text/api/api-fault.ts';
import type { SessionClient } from '../../session-client/session-client.ts';
import { useKeys } from '../../stores/key-store.ts';
import { useSettings } from '../../stores/settings-store.ts';
import type { CheckedWords } from '../../transcription/check-words.ts';
import { transcriptionTarget } from '../../transcription/transcription-target.ts';

export type TurnCheck = 'running' | CheckedWords | ApiFault;

/** Checked turns that are kept, because a result has an object for each word. */
const MAX_CHECKS = 100;

const NOT_LOADED: ApiFault = {
  severity: 'error',
  title: 'The words cannot be checked',
  detail: 'A part of the page could not be loaded.',
  remedy: 'Check the connection to its server.',
};

const stores = new WeakMap<SessionClient, StoreApi<ReadonlyMap<string, TurnCheck>>>();

/** The checks of a session, by {@link checkKey}. */
export function checksOf(client: SessionClient): StoreApi<ReadonlyMap<string, TurnCheck>> {
  const store = stores.get(client) ?? createStore<ReadonlyMap<string, TurnCheck>>(() => new Map());
  stores.set(client, store);
  return store;
}

/** Seeking in a replay begins another run, whose turns have the same ids. */
export const checkKey = ({ state }: SessionClient, turn: number): string =>
  `${state.replay?.run ?? 'live'} ${turn}`;

/** Checks the words of a turn with the server of the page's settings. */
export async function checkTurn(client: SessionClient, turn: TurnView): Promise<void> {
  const key = checkKey(client, turn.id);
  const set = (check: TurnCheck) =>
    checksOf(client).setState(
      (checks) => new Map([...checks, [key, check] as const].slice(-MAX_CHECKS)),
      true,
    );
  set('running');
  const target = transcriptionTarget(useSettings.getState().transcription, useKeys.getState());
  const loaded = await import('../../transcription/check-words.ts').catch(() => null);
  set(loaded ? await loaded.checkWords(client, [turn], turn.text, target) : NOT_LOADED);
}

/** When the switch “After every turn” was turned on, so that it does not concern turns before. */
let automaticSinceMs = useSettings.getState().transcription.afterEveryTurn ? 0 : Number.POSITIVE_INFINITY;
useSettings.subscribe(({ transcription: { afterEveryTurn } }, before) => {
  if (afterEveryTurn !== before.transcription.afterEveryTurn)
    automaticSinceMs = afterEveryTurn ? wallMs() : Number.POSITIVE_INFINITY;
});

export const isCheckedByItself = ({ endedMs }: Pick<TurnView, 'endedMs'>): boolean =>
  endedMs !== null && endedMs >= automaticSinceMs;
