import { messageOf } from '#lib/message-of.ts';
import { FULL_SCALE } from '#lib/pcm.ts';
import { heardAs, type ListenAs } from '#player/listen-as.ts';

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
export type Clip = ReturnType<typeof playClip>;

/** Ends the current clip, because two at once are unintelligible. */
let endOther = (): void => {};

/**
 * Plays a sound once.
 * @param context opened by a press, and closed after the clip
 * @param level 0 to 1, as the page's volume
 * @param ended called at the end of the clip, or with the reason why it cannot be played; not after `stop`
 */
export function playClip(
  context: ClipContext,
  load: () => Promise<ClipSound>,
  level: number,
  as: ListenAs,
  ended: (problem: string | null) => void,
) {
  let isOver = false;
  let played = () => 0;
  const volume = context.createGain();
  volume.gain.value = level;
  heardAs(volume, as).connect(context.destination);
  const stop = () => {
    if (!isOver) void context.close();
    isOver = true;
  };
  const end = (problem: string | null) => {
    if (isOver) return;
    stop();
    ended(problem);
  };
  const play = async () => {
    const { samples, sampleRate } = await load();
    if (isOver) return;
    const buffer = context.createBuffer(1, Math.max(1, samples.length), sampleRate);
    const channel = buffer.getChannelData(0);
    for (let at = 0; at < samples.length; at += 1) channel[at] = (samples[at] ?? 0) / FULL_SCALE;
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.connect(volume);
    source.onended = () => end(null);
    const startS = context.currentTime;
    played = () => Math.min(1, (Math.max(0, context.currentTime - startS) * sampleRate) / channel.length);
    source.start();
  };
  endOther();
  endOther = () => end(null);
  play().catch((error: unknown) => end(messageOf(error)));
  // Rejects only after `stop` has closed the context.
  context.resume().catch(() => undefined);
  const setLevel = (next: number) => {
    volume.gain.value = next;
  };
  /** `played` returns the share that was played, 0 to 1. */
  return { setLevel, played: () => played(), stop };
}
