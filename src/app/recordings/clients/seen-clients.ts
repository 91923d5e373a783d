import { create } from 'zustand';
import type { ClientView } from '#recordings/capture/client-view.ts';

/** Start of the newest client that was listed to a person, or was there before the page; null before the first list. */
export const useSeenClients = create<{ upToMs: number | null }>()(() => ({ upToMs: null }));

export function markSeen(clients: readonly Pick<ClientView, 'startedAtMs'>[]): void {
  const { upToMs } = useSeenClients.getState();
  const newestMs = clients.reduce((newest, { startedAtMs }) => Math.max(newest, startedAtMs), upToMs ?? 0);
  if (newestMs !== upToMs) useSeenClients.setState({ upToMs: newestMs });
}

/** Whether a connection is open, or a call runs. */
export const isConnected = ({ end, calls }: Pick<ClientView, 'end' | 'calls'>): boolean =>
  calls ? calls.running > 0 : end === null;

/** Returns the clients that are connected, and those that came and went unseen. */
export function clientCounts(
  clients: readonly Pick<ClientView, 'startedAtMs' | 'end' | 'calls'>[],
  upToMs: number | null,
): { connected: number; unseen: number } {
  const connected = clients.filter(isConnected).length;
  const newMs = upToMs ?? Number.POSITIVE_INFINITY;
  const unseen = clients.filter((client) => !isConnected(client) && client.startedAtMs > newMs).length;
  return { connected, unseen };
}
