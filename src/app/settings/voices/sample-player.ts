import { createStore, type StoreApi } from 'zustand/vanilla';

export interface SampleState {
  url: string | null;
  phase: 'silent' | 'loading' | 'playing' | 'failed';
}

export interface SampleAudio extends Pick<HTMLAudioElement, 'src' | 'crossOrigin' | 'play' | 'pause'> {
  addEventListener(type: 'playing' | 'ended' | 'error', listener: () => void): void;
}

export interface SamplePlayer extends Pick<StoreApi<SampleState>, 'getState' | 'subscribe'> {
  /** Starts a sample, or stops it if it is the one that plays. */
  toggle: (url: string) => void;
  stop: () => void;
}

const SILENT: SampleState = { url: null, phase: 'silent' };

/** A cross-origin isolated page loads media of another origin with CORS only, so those are requested that way. */
export function createSamplePlayer(newAudio: () => SampleAudio, pageOrigin: string): SamplePlayer {
  const { getState, setState: enter, subscribe } = createStore(() => SILENT);
  let current: SampleAudio | null = null;

  const stop = () => {
    current?.pause();
    current = null;
    if (getState() !== SILENT) enter(SILENT);
  };

  const start = (url: string) => {
    stop();
    const audio = newAudio();
    current = audio;
    // A stopped sample still emits events. They do not concern the one that plays.
    const when = (phase: SampleState['phase']) => () => {
      if (current !== audio) return;
      if (phase === 'silent' || phase === 'failed') current = null;
      enter(phase === 'silent' ? SILENT : { url, phase });
    };
    audio.addEventListener('playing', when('playing'));
    audio.addEventListener('ended', when('silent'));
    audio.addEventListener('error', when('failed'));
    audio.crossOrigin = originOf(url, pageOrigin) === pageOrigin ? null : 'anonymous';
    audio.src = url;
    enter({ url, phase: 'loading' });
    audio.play().catch(when('failed'));
  };

  return {
    getState,
    subscribe,
    toggle: (url) => {
      const { url: current, phase } = getState();
      if (current === url && (phase === 'loading' || phase === 'playing')) stop();
      else start(url);
    },
    stop,
  };
}

const originOf = (url: string, base: string): string | null =>
  URL.canParse(url, base) ? new URL(url, base).origin : null;
