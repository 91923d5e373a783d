import { create } from 'zustand';
import { equalLoudnessGains } from '#lib/loudness.ts';
import type { TurnView } from '#session/views.ts';
import type { SessionClient } from './session-client.ts';

interface EqualLoudness {
  isOn: boolean;
  /** Loudness of the last turn of each voice, in LUFS, by `voiceKey`. */
  voices: ReadonlyMap<string, number>;
}

/** Whether voices are heard equally loud, and how loud those are that have spoken. A reload forgets both. */
export const useEqualLoudness = create<EqualLoudness>()(() => ({ isOn: false, voices: new Map() }));

/** @param voice id or description; null for the one that the server chooses */
export const voiceKey = (endpoint: string, voice: string | number | null): string =>
  `${endpoint} ${voice ?? ''}`;

/** Turns that may still change. */
const RECENT_TURNS = 50;

/**
 * Notes the loudness of the voices of a session, and plays them equally loud while that is on. A gain applies from the next
 * turn on, because a change in mid-sentence would be heard. The switch applies at once.
 * @returns the function that ends it
 */
export function followLoudness({ store, sound }: Pick<SessionClient, 'store' | 'sound'>): () => void {
  const contexts = new Set<string>();
  let newest = 0;
  const look = () => {
    const { turnIds, turns } = store.getState();
    const recent = turnIds.slice(-RECENT_TURNS).flatMap((id) => turns.get(id) ?? []);
    note(recent);
    for (const turn of recent) {
      if (turn.id <= newest) continue;
      newest = turn.id;
      contexts.add(turn.context);
      sound.setVoiceGain(turn.context, gainOf(turn));
    }
  };
  look();
  const leaves = [
    store.subscribe(look),
    useEqualLoudness.subscribe((state, before) => {
      if (state.isOn === before.isOn) return;
      newest = 0;
      look();
    }),
  ];
  return () => {
    for (const leave of leaves) leave();
    for (const context of contexts) sound.setVoiceGain(context, 1);
  };
}

function note(turns: readonly TurnView[]): void {
  const { voices } = useEqualLoudness.getState();
  const known = new Map(voices);
  for (const { endpoint, voice, loudness } of turns)
    if (loudness !== null) known.set(voiceKey(endpoint, voice), loudness);
  const isNews = [...known].some(([key, loudness]) => voices.get(key) !== loudness);
  if (isNews) useEqualLoudness.setState({ voices: known });
}

function gainOf({ endpoint, voice }: TurnView): number {
  const { isOn, voices } = useEqualLoudness.getState();
  const at = [...voices.keys()].indexOf(voiceKey(endpoint, voice));
  return isOn ? (equalLoudnessGains([...voices.values()])[at] ?? 1) : 1;
}
