import { FULL_SCALE } from '#lib/pcm.ts';

/** The output of a clip. The session's output has another rate and a queue. */
export type ClipContext = Pick<
  AudioContext,
  'currentTime' | 'destination' | 'createBuffer' | 'createBufferSource' | 'createGain' | 'resume' | 'close'
>;

export interface ClipSound {
  samples: Int16Array;
  /** In Hz. */
  sampleRate: number;
}

/** Sound of a recording, which plays by itself and beside the session. */
export interface Clip {
  /** @param level 0 to 1, as the page's volume */
  setLevel: (level: number) => void;
  /** Returns the share that was played, 0 to 1. */
  played: () => number;
  stop: () => void;
}

/**
 * Plays samples once.
 * @param context closed after the clip
 * @param ended called at the end of the clip; not after `stop`
 * @throws DOMException where the browser has no output for that rate (Hz)
 */
export function playClip(
  context: ClipContext,
  { samples, sampleRate }: ClipSound,
  level: number,
  ended: () => void,
): Clip {
  let isOver = false;
  const stop = () => {
    if (!isOver) void context.close();
    isOver = true;
  };
  try {
    const buffer = context.createBuffer(1, Math.max(1, samples.length), sampleRate);
    const channel = buffer.getChannelData(0);
    for (let at = 0; at < samples.length; at += 1) channel[at] = (samples[at] ?? 0) / FULL_SCALE;
    const source = context.createBufferSource();
    const volume = context.createGain();
    volume.gain.value = level;
    source.buffer = buffer;
    source.connect(volume).connect(context.destination);
    const startS = context.currentTime;
    source.onended = () => {
      if (isOver) return;
      stop();
      ended();
    };
    source.start();
    // Rejects only after `stop` has closed the context.
    context.resume().catch(() => undefined);
    return {
      setLevel: (next) => {
        volume.gain.value = next;
      },
      played: () =>
        Math.min(1, (Math.max(0, context.currentTime - startS) * sampleRate) / Math.max(1, samples.length)),
      stop,
    };
  } catch (error) {
    stop();
    throw error;
  }
}
