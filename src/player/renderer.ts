import type { Track } from './track.ts';

/** Mixes tracks, without knowing of a browser. The samples of a single track come out as they went in. */
export class Renderer {
  readonly #tracks: Track[] = [];

  add(track: Track): void {
    this.#tracks.push(track);
  }

  /**
   * Renders the next quantum: the sum of all tracks, cut off at full scale.
   * @param frame the audio frame of its first sample (`currentFrame`)
   */
  process(output: Float32Array, frame: number): void {
    output.fill(0);
    for (let i = this.#tracks.length - 1; i >= 0; i -= 1) {
      const track = this.#tracks[i];
      if (track === undefined) continue;
      track.render(output, frame);
      if (track.gone) this.#tracks.splice(i, 1);
    }
    for (let i = 0; i < output.length; i += 1) {
      const sum = output[i] ?? 0;
      if (sum > 1) output[i] = 1;
      else if (sum < -1) output[i] = -1;
    }
  }
}
