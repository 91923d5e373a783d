import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { useSettings } from '../../stores/settings-store.ts';
import type { VoiceOption } from './voice-options.ts';

export interface SamplerState {
  /** The voice that was pressed last. */
  choice: VoiceOption | null;
  phase: 'silent' | 'waiting' | 'speaking' | 'failed';
  /** From the first text to the first audible sample, in ms, by key of the voice. */
  waits: ReadonlyMap<string, number>;
}

type Report = (phase: SamplerState['phase'], waitMs?: number | null) => void;

/** Starts the sound of a voice and reports on it. Returns the function that ends it. */
export type VoiceSound = (choice: VoiceOption, report: Report) => () => void;

const SILENT: SamplerState = { choice: null, phase: 'silent', waits: new Map() };

/** Lets voices be heard, one at a time. */
export class VoiceSampler {
  readonly store: StoreApi<SamplerState> = createStore(() => SILENT);
  readonly #sound: VoiceSound;
  #end = () => {};
  #presses = 0;

  constructor(sound: VoiceSound) {
    this.#sound = sound;
  }

  /** Lets a voice be heard in place of the one that is, or stops it. Needs a gesture. */
  toggle(choice: VoiceOption): void {
    const isOn = isHeard(phaseOf(this.store.getState(), choice));
    this.stop();
    if (isOn) return;
    const press = this.#presses;
    this.store.setState({ choice, phase: 'waiting' });
    this.#end = this.#sound(choice, (phase, waitMs = null) => {
      // A stopped sound still reports.
      if (press !== this.#presses) return;
      if (!isHeard(phase)) this.#presses += 1;
      const { phase: before, waits } = this.store.getState();
      const isNew = waitMs !== null && waits.get(choice.key) !== waitMs;
      if (isNew) this.store.setState({ phase, waits: new Map(waits).set(choice.key, waitMs) });
      else if (phase !== before) this.store.setState({ phase });
    });
  }

  stop(): void {
    this.#presses += 1;
    this.#end();
    this.#end = () => {};
    if (this.store.getState().phase !== 'silent') this.store.setState({ phase: 'silent' });
  }
}

const silentStore = createStore(() => SILENT);

/** @param sampler null where nothing can be heard */
export const useSampler = (sampler: VoiceSampler | null): SamplerState =>
  useStore(sampler?.store ?? silentStore);

export const phaseOf = (
  { choice, phase }: Pick<SamplerState, 'choice' | 'phase'>,
  { key }: VoiceOption,
): SamplerState['phase'] => (choice?.key === key ? phase : 'silent');

export const isHeard = (phase: SamplerState['phase']): boolean => phase === 'waiting' || phase === 'speaking';

export interface SampleAudio extends Pick<HTMLAudioElement, 'src' | 'crossOrigin' | 'play' | 'pause'> {
  addEventListener(type: 'playing' | 'ended' | 'error', listener: () => void): void;
}

function newAudio(): HTMLAudioElement {
  const { volume, muted } = useSettings.getState();
  const audio = new Audio();
  audio.volume = volume;
  audio.muted = muted;
  return audio;
}

/**
 * Plays the sample that the vendor keeps of a voice, which costs nothing. A cross-origin isolated page loads media of
 * another origin with CORS only.
 */
export const vendorSample =
  (pageOrigin: string, open: () => SampleAudio = newAudio): VoiceSound =>
  ({ voice }, report) => {
    const url = voice?.sampleUrl ?? '';
    const audio = open();
    audio.addEventListener('playing', () => report('speaking'));
    audio.addEventListener('ended', () => report('silent'));
    audio.addEventListener('error', () => report('failed'));
    audio.crossOrigin = originOf(url, pageOrigin) === pageOrigin ? null : 'anonymous';
    audio.src = url;
    audio.play().catch(() => report('failed'));
    return () => audio.pause();
  };

const originOf = (url: string, base: string): string | null =>
  URL.canParse(url, base) ? new URL(url, base).origin : null;
