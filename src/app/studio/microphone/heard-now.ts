import type { JudgedSound } from '#microphone/detector.ts';

/** The detector's last judgement, read by the meters in each frame; null while the microphone is off. */
export const heardNow: { current: JudgedSound | null } = { current: null };
