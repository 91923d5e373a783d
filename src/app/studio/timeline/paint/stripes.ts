import type { Canvas } from './brushes.ts';

/**
 * Rectangles of one height from left to right, those that touch as one: from far away thousands of things are a handful
 * of stripes. `end` paints the last of them.
 */
export class Stripes {
  readonly #to: Canvas;
  readonly #top: number;
  readonly #height: number;
  readonly #fill: string;
  #left = Number.NaN;
  #right = Number.NEGATIVE_INFINITY;

  constructor(to: Canvas, top: number, height: number, fill: string) {
    this.#to = to;
    this.#top = top;
    this.#height = height;
    this.#fill = fill;
  }

  add(left: number, width: number): void {
    if (left > this.#right) {
      this.end();
      this.#left = left;
      this.#right = left + width;
    } else this.#right = Math.max(this.#right, left + width);
  }

  end(): void {
    if (Number.isNaN(this.#left)) return;
    this.#to.fillStyle = this.#fill;
    this.#to.fillRect(this.#left, this.#top, this.#right - this.#left, this.#height);
    this.#left = Number.NaN;
    this.#right = Number.NEGATIVE_INFINITY;
  }
}
