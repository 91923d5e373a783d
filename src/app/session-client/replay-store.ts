import { create } from 'zustand';
import { wallMs } from '#lib/wall-clock.ts';
import type { ReplayView } from '#session/replay/messages.ts';

/** The replay that goes on, as the worker told it last; null: the live session is shown. */
export const useReplay = create<{ replay: ReplayView | null }>()(() => ({ replay: null }));

/** Where the replay is now, in ms of the recording: it goes on between two reports. */
export function positionNow({ state, isPaused, positionMs, atMs, speed, recording }: ReplayView): number {
  if (state !== 'playing' || isPaused) return positionMs;
  return Math.min(recording.durationUs / 1000, positionMs + Math.max(0, wallMs() - atMs) * speed);
}
