import type { Track } from './track.ts';

/** Mixes tracks. The samples of a single track pass unaltered. */
export class Renderer {
  readonly #tracks: Track[] = [];

  add(track: Track): void {
    this.#tracks.push(track);
  }

  /**
   * Renders the next quantum: in each channel the sum of all tracks at their gains, clipped at full scale.
   * @param frame the audio frame of its first sample (`currentFrame`)
   */
  process(left: Float32Array, right: Float32Array, frame: number): void {
    left.fill(0);
    right.fill(0);
    // Removes finished tracks in place, because a splice allocates.
    let kept = 0;
    for (let i = 0; i < this.#tracks.length; i += 1) {
      const track = this.#tracks[i];
      if (track === undefined) continue;
      track.render(left, right, frame);
      if (track.gone) continue;
      this.#tracks[kept] = track;
      kept += 1;
    }
    this.#tracks.length = kept;
    clip(left);
    clip(right);
  }
}

function clip(channel: Float32Array): void {
  for (let i = 0; i < channel.length; i += 1) {
    const sum = channel[i] ?? 0;
    if (sum > 1) channel[i] = 1;
    else if (sum < -1) channel[i] = -1;
  }
}
