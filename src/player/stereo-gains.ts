/** Gain of each channel, 0 to 1. */
export type StereoGains = readonly [left: number, right: number];

/**
 * Returns the gains of a voice by the law of a balance control: the near side keeps the volume, the far side gets
 * quieter. In the centre both channels carry the unaltered samples; constant power would take 3 dB off there.
 * @param volume 0 to 1
 * @param position -1 is left, 0 the centre, 1 right
 */
export const stereoGains = (volume: number, position: number): StereoGains => [
  volume * Math.min(1, 1 - position),
  volume * Math.min(1, 1 + position),
];
