/** Draws on the page, once a frame. Returns true to be called in the next frame too. */
type Painter = (nowMs: number) => boolean;

/** Delay of deferred work, such as panels beside the words, and of a picture's next paint while a voice begins. */
const DEFER_MS = 100;
/** The first word of a voice that begins lights up within this time. Deferred work waits for it. */
const BEGIN_MS = 400;
/** Deferred work waits no longer than this, however many voices begin. */
const MAX_DEFER_MS = 1000;

/** Runs painters and deferred work in frames. Frames run on request only, so that an idle page does no work. */
export class PaintScheduler {
  readonly #painters = new Set<Painter>();
  readonly #deferred: (() => void)[] = [];
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
   * Calls back a moment later, in a frame without other deferred work, so that words light up in the frames between.
   * Returns a function that cancels it.
   */
  defer(task: () => void): () => void {
    let isCancelled = false;
    let timer: ReturnType<typeof setTimeout>;
    const latestMs = this.#now() + MAX_DEFER_MS;
    const wait = (ms: number): void => {
      timer = setTimeout(() => {
        const leftMs = Math.min(this.#beginsUntilMs, latestMs) - this.#now();
        if (leftMs > 0) wait(leftMs);
        else {
          this.#deferred.push(() => {
            if (!isCancelled) task();
          });
          this.request();
        }
      }, ms);
    };
    wait(DEFER_MS);
    return () => {
      isCancelled = true;
      clearTimeout(timer);
    };
  }

  /** Calls back at once, or deferred while a voice begins. */
  besideVoices(task: () => void): void {
    if (this.#isVoiceBeginning) this.defer(task);
    else task();
  }

  /** Whether a moving picture that was painted at a time leaves this frame to the words, because a voice begins. */
  isForWords(paintedMs: number): boolean {
    return this.#isVoiceBeginning && this.#now() - paintedMs < DEFER_MS;
  }

  /** Delays deferred work further, because a voice is about to be heard. */
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
    this.#deferred.shift()?.();
    if (more || this.#deferred.length > 0) this.request();
  }
}
