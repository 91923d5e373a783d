import { deepEqual } from '#lib/deep-equal.ts';
import { wallMs } from '#lib/wall-clock.ts';
import { stereoGains } from '#player/messages.ts';
import type { Frame, Settings } from '#protocol/core/endpoint.ts';
import type { Command, LineSource, Report, ScriptLine, Speaker, Target } from '#session/messages.ts';
import type { ReplayControl, ReplayedRecording } from '#session/replay/messages.ts';
import type { SessionUpdate } from '#session/views.ts';
import { contextIdOf } from '#text/script.ts';
import type { SimulationProfile } from '#text/simulated-model.ts';
import { holdHeard } from '../browser/clock.ts';
import { onFirstGesture } from '../browser/first-gesture.ts';
import { paint } from '../browser/paint.ts';
import { recordingsLink } from '../recordings-client/recordings-link.ts';
import { useKeys } from '../stores/key-store.ts';
import { audibleVolume, type CastMember, castOf, useScene } from '../stores/scene-store.ts';
import { selectEndpoint, selectSettings, useSettings } from '../stores/settings-store.ts';
import { useAudio } from './audio-store.ts';
import { laneMarks } from './lane-marks.ts';
import { useReplay } from './replay-store.ts';
import { applyUpdate, isOnlyReplay, joinUpdates, selectBusy, useSession } from './session-store.ts';
import { openSessionWorker, type SessionWorker } from './session-worker.ts';
import { leaveShown, takeAside, takeReplay } from './shown-session.ts';
import { Sound } from './sound.ts';
import { targetOf } from './target.ts';
import { envelopes } from './timeline.ts';

/**
 * The page's end of the session: commands go to the worker, reports come back and are taken in once a frame. No audio
 * and no frame of the protocol passes here.
 */
class SessionLink {
  #worker: SessionWorker | null = null;
  #sound: Sound | null = null;
  #pending: SessionUpdate | null = null;
  #target: Target | null = null;
  #settingsSent: Settings | null = null;
  #castSent: readonly CastMember[] | null = null;
  #speakersSent: readonly Speaker[] | null = null;

  /** Starts the worker. Called once, before the page is shown. */
  start(): void {
    if (this.#worker) return;
    this.#worker = openSessionWorker(
      (report) => this.#receive(report),
      (problem) => useSession.setState({ problems: [problem] }),
    );
    // Before the target: what comes first is recorded too.
    const recordings = recordingsLink.start();
    this.#post({ type: 'attachRecordings', port: recordings }, [recordings]);
    const sound = new Sound({
      post: (command, transfer) => this.#post(command, transfer),
      isBusy: () => selectBusy(useSession.getState()),
      changed: (trouble) => useAudio.setState(trouble),
    });
    this.#sound = sound;
    onFirstGesture(window, navigator, () => sound.prepare());
    paint.add(() => this.#takeIn());
    useSettings.subscribe((state, before) => {
      sound.setVolume(state.volume, state.muted);
      const moved =
        state.endpoint !== before.endpoint ||
        state.servers !== before.servers ||
        state.customBases !== before.customBases ||
        state.settings !== before.settings;
      const replayed = useReplay.getState().replay?.recording.endpoint;
      if (replayed !== undefined && state.endpoint !== replayed) this.leaveReplay();
      if (moved) this.#aim();
    });
    useScene.subscribe((state, before) => {
      this.#tellCast();
      if (state.listening !== before.listening || state.pauseMs !== before.pauseMs) this.#tellListening();
    });
    const { volume, muted } = useSettings.getState();
    sound.setVolume(volume, muted);
    this.#aim();
    this.#tellListening();
  }

  speak(text: string): void {
    this.#go({ type: 'speak', text });
  }

  /** Text as it is typed. */
  say(text: string): void {
    this.#go({ type: 'say', text, origin: 'typed' });
  }

  simulate(text: string, profile: SimulationProfile, seed: number): void {
    this.#go({ type: 'simulate', text, profile, seed });
  }

  /** Lines of a script, each by its speaker. */
  perform(lines: readonly ScriptLine[], source: LineSource): void {
    this.#go({ type: 'perform', lines, source, closeAfter: useScene.getState().closeAfter });
  }

  openContext(context: string): void {
    this.#go({ type: 'openContext', context });
  }

  /** `immediate` is a barge-in: what is heard of the context is silent at once. */
  closeContext(context: string, immediate: boolean): void {
    if (immediate) this.#halt(context);
    this.#post({ type: 'closeContext', context, immediate });
  }

  flush(): void {
    this.#post({ type: 'flush' });
  }

  /** Barge-in: silence first, then the rest. On one context, or on all. */
  cancel(context?: string): void {
    const pressedMs = wallMs();
    const session = useSession.getState();
    this.#halt(context ?? null);
    if (isOnlyReplay(session, context ?? null)) this.#post({ type: 'stopReplay' });
    else this.#post({ type: 'cancel', pressedMs, ...(context === undefined ? {} : { context }) });
  }

  endTurn(): void {
    this.#post({ type: 'endTurn' });
  }

  /** A frame written by hand, as it is. */
  sendFrame(frame: Frame): void {
    this.#go({ type: 'sendFrame', frame });
  }

  connect(): void {
    this.leaveReplay();
    this.#aim();
    this.#post({ type: 'connect' });
  }

  disconnect(): void {
    this.#post({ type: 'disconnect' });
  }

  replay(turn: number, fromSample: number): void {
    this.#wake();
    this.#post({ type: 'replay', turn, fromSample });
  }

  stopReplay(): void {
    this.#halt(null);
    this.#post({ type: 'stopReplay' });
  }

  dismissProblem(id: number): void {
    this.#post({ type: 'dismissProblem', id });
  }

  /** From a gesture: the browser lets sound through. */
  enableSound(): void {
    this.#wake();
  }

  #wake(): void {
    holdHeard(false);
    this.#sound?.wake();
  }

  /** What is heard stands still, and with it every play head. */
  #hold(isHeld: boolean): void {
    holdHeard(isHeld);
    this.#sound?.hold(isHeld);
  }

  #halt(context: string | null): void {
    for (const track of useSession.getState().player.tracks) {
      if (context === null || track.context === context) this.#sound?.halt(track.context, track.epoch);
    }
  }

  /** Who may speak, and how each is heard. Nothing for an endpoint of a single voice. */
  #tellCast(): void {
    const endpoint = selectEndpoint(useSettings.getState());
    const cast = endpoint.contexts ? castOf(useScene.getState(), endpoint) : [];
    if (cast === this.#castSent) return;
    this.#castSent = cast;
    for (const member of cast) {
      const gains = stereoGains(audibleVolume(member, cast), member.position);
      this.#sound?.setTrackGain(contextIdOf(member.name), gains);
    }
    const speakers = cast.map(
      ({ name, settings, keepOpen }): Speaker => ({ id: contextIdOf(name), settings, keepOpen }),
    );
    if (deepEqual(speakers, this.#speakersSent)) return;
    this.#speakersSent = speakers;
    this.#post({ type: 'speakers', speakers });
  }

  #tellListening(): void {
    const { listening, pauseMs } = useScene.getState();
    this.#post({ type: 'listen', listening, pauseMs });
  }

  /** Replays a recording in place of the live session, which goes on meanwhile. From a gesture. */
  openReplay(recording: ReplayedRecording, entries: MessagePort): void {
    this.#wake();
    this.#post({ type: 'openReplay', recording, port: entries }, [entries]);
  }

  controlReplay(control: ReplayControl): void {
    if (control.do === 'play') this.#wake();
    if (control.do === 'pause') this.#hold(true);
    this.#post({ type: 'controlReplay', control });
  }

  /** Back to the live session; does nothing where that is shown. */
  leaveReplay(): void {
    if (!useReplay.getState().replay) return;
    this.#halt(null);
    this.#hold(false);
    this.#post({ type: 'leaveReplay' });
    this.#takeIn();
    leaveShown();
  }

  /** Something that will be heard: the output is opened in the gesture that asks for it. */
  #go(command: Command): void {
    this.leaveReplay();
    this.#aim();
    this.#wake();
    this.#post(command);
  }

  /** Tells the worker where to connect and with which settings, where that has changed. */
  #aim(): void {
    // What is chosen while a recording is replayed holds when that is left.
    if (useReplay.getState().replay) return;
    const page = useSettings.getState();
    const target = targetOf(page, useKeys.getState(), location.origin);
    const settings = selectSettings(page);
    if (!target) return;
    if (!deepEqual(target, this.#target)) {
      this.#target = target;
      this.#settingsSent = settings;
      this.#post({ type: 'target', target, settings });
    } else if (!deepEqual(settings, this.#settingsSent)) {
      this.#settingsSent = settings;
      this.#post({ type: 'settings', settings });
    }
    this.#tellCast();
    this.#sound?.expect(selectEndpoint(page).audioFormat(settings).sampleRate);
  }

  #receive(report: Report): void {
    if (report.type === 'replay') {
      // What was told before belongs to what was shown then.
      this.#takeIn();
      takeReplay(report.replay);
      return;
    }
    const { update, run } = report;
    if (takeAside(update, run)) return;
    if (update.wantedSampleRate !== undefined) this.#sound?.switchTo(update.wantedSampleRate);
    this.#pending = this.#pending ? joinUpdates(this.#pending, update) : update;
    paint.request();
  }

  #takeIn(): boolean {
    const update = this.#pending;
    if (!update) return false;
    this.#pending = null;
    if (update.marks) laneMarks.append(update.marks);
    if (update.envelopes) envelopes.take(update.envelopes);
    useSession.setState(applyUpdate(useSession.getState(), update));
    return false;
  }

  #post(command: Command, transfer: Transferable[] = []): void {
    this.#worker?.post(command, transfer);
  }
}

/** The one session of the page. */
export const sessionLink = new SessionLink();
