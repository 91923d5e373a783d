import { wallMs } from '#lib/wall-clock.ts';
import { endpointOf } from '#protocol/registry.ts';
import type { SessionCommand } from '#session/commands.ts';
import type { ReplayControl, ReplayView } from '#session/replay/replay-view.ts';
import type { SessionUpdate } from '#session/views.ts';
import { SessionClient, type SessionPort } from './session-client.ts';

/**
 * The replay of a recording, or the session of another client that is followed. It runs in the worker of the live session
 * and is heard in its place.
 */
export class ReplayClient extends SessionClient {
  readonly #live: SessionClient;
  readonly leave: () => void;
  view: ReplayView;

  constructor(port: SessionPort, view: ReplayView, live: SessionClient, leave: () => void) {
    super(port, { endpoint: endpointOf(view.recording.endpoint).id, hasCast: true });
    this.#live = live;
    this.leave = leave;
    this.view = view;
    this.timeline.lookLike(live.timeline);
    this.change({ replay: view });
  }

  follow(view: ReplayView): void {
    // Seeking back begins another session with new turns.
    if (view.run !== this.view.run) this.reset();
    this.view = view;
    this.change({ replay: view });
  }

  /** Another client's wait ends at its own speakers, so that the wait for this page's says nothing. */
  override receive(update: SessionUpdate): void {
    if (!this.view.followed || !update.turns) super.receive(update);
    else super.receive({ ...update, turns: update.turns.map((turn) => ({ ...turn, wait: null })) });
  }

  /** Stops listening to another client, whose turns go on. */
  override cancel(context?: string): void {
    if (this.view.followed) this.control({ do: 'listen', isListening: false });
    else super.cancel(context);
  }

  override get sender(): SessionClient {
    return this.#live;
  }

  /** Leaves the replay and sends in the live session, because a recording has no connection. */
  override send(command: SessionCommand): void {
    this.leave();
    this.#live.send(command);
  }

  control(control: ReplayControl): void {
    if (control.do === 'play' || (control.do === 'listen' && control.isListening)) this.sound.wake();
    if (control.do === 'listen' && !control.isListening) this.halt(null);
    if (control.do === 'pause') this.sound.hold(true);
    this.port.post({ type: 'controlReplay', control });
  }
}

/** Returns the position of a replay in ms of the recording, extrapolated from the last report. */
export function positionNow(view: ReplayView): number {
  const { state, isPaused, positionMs, atMs, speed, recording, followed } = view;
  if (state !== 'playing' || isPaused) return positionMs;
  // A recording that is followed has no end yet.
  const endMs = followed ? Number.POSITIVE_INFINITY : recording.durationUs / 1000;
  return Math.min(endMs, positionMs + Math.max(0, wallMs() - atMs) * speed);
}
