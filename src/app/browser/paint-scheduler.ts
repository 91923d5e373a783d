/** Draws on the page, once a frame. Returns true to be called in the next frame too. */
type Painter = (nowMs: number) => boolean;

/** Calm work, such as panels beside the words, waits this long, and so do pictures between two paints while a voice begins. */
const CALM_MS = 100;
/** The first word of a voice that begins lights up within this time. Calm work waits for it. */
const BEGIN_MS = 400;
/** Calm work waits no longer than this, however many voices begin. */
const LONGEST_CALM_MS = 1000;

/** Runs painters and calm work in frames. Frames run on request only, so that an idle page does no work. */
export class PaintScheduler {
  readonly #painters = new Set<Painter>();
  readonly #putOff: (() => void)[] = [];
  readonly #request: (callback: () => void) => void;
  readonly #now: () => number;
  #requested = false;
  #beginsUntilMs = Number.NEGATIVE_INFINITY;

  /** `request` runs its argument at the next frame; `now` is the clock that painters see. */
  constructor(request: (callback: () => void) => void, now: () => number) {
    this.#request = request;
    this.#now = now;
  }

  /** Adds a painter behind the others. Returns a function that removes it. */
  add(painter: Painter): () => void {
    this.#painters.add(painter);
    this.request();
    return () => {
      this.#painters.delete(painter);
    };
  }

  /**
   * Calls back a moment later, in a frame without other such work. The frames between belong to the words on the stage.
   * Returns a function that calls it off.
   */
  calmly(task: () => void): () => void {
    let isOff = false;
    let timer: ReturnType<typeof setTimeout>;
    const latestMs = this.#now() + LONGEST_CALM_MS;
    const wait = (ms: number): void => {
      timer = setTimeout(() => {
        const leftMs = Math.min(this.#beginsUntilMs, latestMs) - this.#now();
        if (leftMs > 0) wait(leftMs);
        else {
          this.#putOff.push(() => {
            if (!isOff) task();
          });
          this.request();
        }
      }, ms);
    };
    wait(CALM_MS);
    return () => {
      isOff = true;
      clearTimeout(timer);
    };
  }

  /** Calls back at once, or calmly while a voice begins. */
  besideVoices(task: () => void): void {
    if (this.#isVoiceBeginning) this.calmly(task);
    else task();
  }

  /** Whether a moving picture that was painted at a time leaves this frame to the words, because a voice begins. */
  isForWords(paintedMs: number): boolean {
    return this.#isVoiceBeginning && this.#now() - paintedMs < CALM_MS;
  }

  /** Puts calm work off, because a voice is about to be heard. */
  voiceBegins(): void {
    this.#beginsUntilMs = this.#now() + BEGIN_MS;
  }

  /** Requests one frame. Requests before it are merged. */
  request(): void {
    if (this.#requested) return;
    this.#requested = true;
    this.#request(() => this.#frame());
  }

  get #isVoiceBeginning(): boolean {
    return this.#now() < this.#beginsUntilMs;
  }

  #frame(): void {
    this.#requested = false;
    const nowMs = this.#now();
    let more = false;
    for (const painter of [...this.#painters]) more = painter(nowMs) || more;
    this.#putOff.shift()?.();
    if (more || this.#putOff.length > 0) this.request();
  }
}
