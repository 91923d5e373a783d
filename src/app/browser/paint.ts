import { wallMs } from '#lib/wall-clock.ts';

/** Draws on the page; called once a frame. Returns true to be called in the next frame as well. */
export type Painter = (nowMs: number) => boolean;

/**
 * The only user of `requestAnimationFrame`. Everything that paints outside of React is a painter here; frames run only
 * while one of them asks for more or someone has requested one, so that nothing happens while the page is idle.
 */
export class PaintScheduler {
  readonly #painters = new Set<Painter>();
  readonly #request: (callback: () => void) => void;
  readonly #now: () => number;
  #requested = false;

  /** `request` runs its argument at the next frame; `now` is the clock that painters see. */
  constructor(request: (callback: () => void) => void, now: () => number) {
    this.#request = request;
    this.#now = now;
  }

  /** Adds a painter, in order of adding; returns what takes it out again. */
  add(painter: Painter): () => void {
    this.#painters.add(painter);
    this.request();
    return () => {
      this.#painters.delete(painter);
    };
  }

  /** One frame, however often it is asked for before that. */
  request(): void {
    if (this.#requested) return;
    this.#requested = true;
    this.#request(() => this.#frame());
  }

  #frame(): void {
    this.#requested = false;
    const nowMs = this.#now();
    let more = false;
    for (const painter of [...this.#painters]) more = painter(nowMs) || more;
    if (more) this.request();
  }
}

/** The page's scheduler. Its clock is the one of `session/views.ts`. */
export const paint = new PaintScheduler((callback) => requestAnimationFrame(callback), wallMs);
