/** Gain of each channel, 0 to 1. */
export type StereoGains = readonly [left: number, right: number];

/**
 * Where a voice stands between the loudspeakers. The law is that of a balance control: the near side keeps the voice's
 * volume and the far side is turned down, so that in the centre both channels are the stream's samples, unaltered. (A
 * law of constant power would take 3 dB off every voice that stands there.)
 * @param volume 0 to 1
 * @param position -1 is left, 0 the centre, 1 right
 */
export const stereoGains = (volume: number, position: number): StereoGains => [
  volume * Math.min(1, 1 - position),
  volume * Math.min(1, 1 + position),
];
