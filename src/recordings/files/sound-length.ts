/** How much sound one file may be made of. What a file from elsewhere claims may be anything. */
export interface SoundLimits {
  samples: number;
  /** Turns, or parts of them that have a rate of their own. */
  pieces: number;
}

export const SOUND_LIMITS: SoundLimits = {
  // Sound is held whole, once as samples and once as the file: half a gigabyte each, three hours at 24 kHz.
  samples: 2 ** 28,
  // However little is in it, a piece takes 128 KiB.
  pieces: 2 ** 14,
};

/** @throws Error that says so, where there are more than the file may be made of */
export function checkLength(what: keyof SoundLimits, count: number, limits: SoundLimits): void {
  const most = limits[what];
  if (count <= most) return;
  const much =
    what === 'samples'
      ? `more than ${most.toLocaleString('en')} samples, as many as in ${(most / 24_000 / 3600).toFixed(1)} hours at 24 kHz`
      : `of more than ${most.toLocaleString('en')} turns`;
  throw new Error(
    `This is more sound than one file may hold: ${much}. A smaller part of the recording may fit.`,
  );
}
