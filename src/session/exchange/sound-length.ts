/**
 * Sound is held whole while a file is made of it, once as samples and once as the file: so many samples are half a
 * gigabyte, and three hours at 24 kHz. What a file from elsewhere claims may be anything.
 */
export const MAX_SOUND_SAMPLES = 2 ** 28;

/** @throws Error that says so, where it is more sound than one file may hold */
export function checkLength(samples: number, most: number): void {
  if (samples <= most) return;
  throw new Error(
    `Here is more sound, or in more pieces, than one file may hold: at most ${most.toLocaleString('en')} samples, as many as in ${(most / 24_000 / 3600).toFixed(1)} hours at 24 kHz. A smaller part of the recording may fit.`,
  );
}
