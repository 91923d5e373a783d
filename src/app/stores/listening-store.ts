import { create } from 'zustand';
import { equalLoudnessGains } from '#lib/loudness.ts';
import type { ListenAs } from '#player/listen-as.ts';

interface Listening {
  as: ListenAs;
  /** Id of the output device; empty: the system's. */
  device: string;
  /** Why the last choice was given up; null where it holds. */
  problem: string | null;
  /** Voices are turned down to the quietest that has spoken. */
  isEqual: boolean;
  /** Loudness of the last turn of each voice, in LUFS, by `voiceKey`. */
  voices: ReadonlyMap<string, number>;
}

/** How the page is heard, in all its parts. A reload forgets it, because a forgotten filter would spoil a judgement. */
export const useListening = create<Listening>()(() => ({
  as: 'plain',
  device: '',
  problem: null,
  isEqual: false,
  voices: new Map(),
}));

/** Where one output cannot have the choice, the whole page gives it up, so that all of it sounds alike. */
export const giveUpListener = (): void =>
  useListening.setState({
    as: 'plain',
    problem:
      'That way of listening could not be loaded, so the sound is as it is. Check the connection to the server, then choose it again.',
  });

export const giveUpDevice = (): void =>
  useListening.setState({
    device: '',
    problem:
      'The browser refused that device, so the sound goes to the system’s. Check that it is connected, then choose it again.',
  });

export const LISTENERS: readonly { value: ListenAs; label: string; hint: string }[] = [
  { value: 'plain', label: 'As it is', hint: 'Every sample as it was received' },
  { value: 'telephone', label: 'Telephone', hint: '300 to 3400 Hz, coded by µ-law' },
  { value: 'loudspeaker', label: 'Small loudspeaker', hint: '500 Hz to 6 kHz, with a resonance' },
  { value: 'room', label: 'Room', hint: 'From across a furnished room' },
];

/** @param voice id or description; null for the one that the server chooses */
export const voiceKey = (endpoint: string, voice: string | number | null): string =>
  `${endpoint} ${voice ?? ''}`;

export const noteLoudness = (voice: string, lufs: number): void =>
  useListening.setState(({ voices }) => ({ voices: new Map(voices).set(voice, lufs) }));

/** Returns the gain of a voice, 1 while it has not spoken. */
export function voiceGain(voice: string): number {
  const { isEqual, voices } = useListening.getState();
  const [gain = 1] = equalLoudnessGains([voices.get(voice) ?? null, ...voices.values()]);
  return isEqual ? gain : 1;
}
