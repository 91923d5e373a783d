import { createStore, type StoreApi } from 'zustand/vanilla';
import { stereoGains } from '#player/stereo-gains.ts';
import { endpointOf } from '#protocol/registry.ts';
import type { Speaker, Target } from '#session/commands.ts';
import type { ReplayedRecording, ReplayView } from '#session/replay/replay-view.ts';
import { contextIdOf } from '#text/script.ts';
import { onFirstGesture } from '../browser/first-gesture.ts';
import { onceLoaded } from '../browser/idle.ts';
import { activeFaults, turnFaultsOff, useFaults } from '../stores/faults-store.ts';
import { useKeys } from '../stores/key-store.ts';
import { audibleVolume, type CastMember, castOf, useScene } from '../stores/scene-store.ts';
import { selectEndpoint, selectSettings, useSettings } from '../stores/settings-store.ts';
import { ReplayClient } from './replay-client.ts';
import { SessionClient, SessionOwner, type SessionPort } from './session-client.ts';
import { targetOf } from './target.ts';

/** The live session, with the settings of the page as its target. */
class LiveClient extends SessionClient {
  #target: Target | null = null;
  #settingsSent = '';
  #castSent: readonly CastMember[] | null = null;
  #speakersSent = '';

  constructor(port: SessionPort) {
    super(port, { endpoint: selectEndpoint(useSettings.getState()).id, hasCast: true });
  }

  /** Aims at the server, the settings and the cast of the page. A key that is typed is not followed, so it is read here. */
  override aim(): void {
    const page = useSettings.getState();
    const endpoint = selectEndpoint(page);
    if (endpoint.id !== this.state.endpoint) this.change({ endpoint: endpoint.id });
    const faults = activeFaults(useFaults.getState(), page);
    const target = targetOf(page, useKeys.getState(), location.origin, faults);
    if (!target) return;
    const settings = selectSettings(page);
    const settingsNow = JSON.stringify(settings);
    if (JSON.stringify(target) !== JSON.stringify(this.#target)) {
      this.#target = target;
      this.#settingsSent = settingsNow;
      this.port.post({ type: 'target', target, settings });
    } else if (settingsNow !== this.#settingsSent) {
      this.#settingsSent = settingsNow;
      this.port.post({ type: 'settings', settings });
    }
    this.sendCast();
    this.sound.expect(endpoint.audioFormat(settings).sampleRate);
  }

  /** Sends changes of the speakers; none on an endpoint with a single voice. */
  sendCast(): void {
    const endpoint = selectEndpoint(useSettings.getState());
    const cast = castOf(useScene.getState(), endpoint);
    if (cast === this.#castSent) return;
    this.#castSent = cast;
    const speakers = cast.map(
      ({ name, settings, keepOpen }): Speaker => ({ id: contextIdOf(name), settings, keepOpen }),
    );
    const speakersNow = JSON.stringify(speakers);
    if (speakersNow === this.#speakersSent) return;
    this.#speakersSent = speakersNow;
    this.port.post({ type: 'speakers', speakers });
  }

  sendListening(): void {
    const { listening, pauseMs } = useScene.getState();
    this.port.post({ type: 'listen', listening, pauseMs });
  }
}

/**
 * The sessions of the studio: the live one, which follows the settings of the page, and at most one replay, which is
 * shown and heard in its place. They share a worker and a sound output; the live session's connection stays open.
 */
export class StudioSessions extends SessionOwner<LiveClient> {
  readonly shown: StoreApi<{ client: SessionClient }>;
  #castHeard: readonly CastMember[] = [];
  /** The worker has not confirmed the end of the replay yet. */
  #isLeaving = false;

  /** @param recordings port of the recordings worker, moved to the session worker */
  constructor(recordings: MessagePort) {
    super((port) => new LiveClient(port));
    this.shown = createStore<{ client: SessionClient }>(() => ({ client: this.client }));
    // Sent before the target, so that the first frames are recorded too.
    this.post({ type: 'attachRecordings', port: recordings }, [recordings]);
    this.#followPage();
  }

  protected override get heard(): SessionClient {
    return this.shown.getState().client;
  }

  get #replay(): ReplayClient | null {
    const { heard: client } = this;
    return client instanceof ReplayClient ? client : null;
  }

  /** Null for late reports of a run that was left. */
  protected override clientOf(run: number | null): SessionClient | null {
    if (run === null) return this.client;
    const replay = this.#replay;
    return replay?.view.run === run ? replay : null;
  }

  /**
   * Replays a recording in place of the live session, whose connection stays open. Needs a gesture, unless the recording
   * is followed, which is silent until somebody listens.
   */
  openReplay(recording: ReplayedRecording, entries: MessagePort): void {
    if (!recording.follows) this.sound.wake();
    this.post({ type: 'openReplay', recording, port: entries }, [entries]);
  }

  #followPage(): void {
    const { sound } = this;
    onFirstGesture(window, navigator, () => sound.prepare());
    onceLoaded(() => {
      // Starts the browser's audio service, for which the first output would make the page wait.
      void navigator.mediaDevices?.enumerateDevices().catch(() => undefined);
      this.post({ type: 'warmUp' });
    });
    useSettings.subscribe((state, before) => {
      if (state.endpoint !== before.endpoint) this.#leaveReplay();
      // Faults must not wait on a server for somebody who comes back to it.
      if (state.endpoint !== before.endpoint || state.servers !== before.servers) turnFaultsOff();
      const isMoved =
        state.endpoint !== before.endpoint ||
        state.servers !== before.servers ||
        state.customBases !== before.customBases ||
        state.settings !== before.settings;
      // During a replay, the output keeps the rate of the recording.
      if (isMoved && !this.#replay) this.client.aim();
      this.#mix();
    });
    useFaults.subscribe((state, before) => {
      if (state.active !== before.active && !this.#replay) this.client.aim();
    });
    useScene.subscribe((state, before) => {
      this.client.sendCast();
      this.#mix();
      if (state.listening !== before.listening || state.pauseMs !== before.pauseMs)
        this.client.sendListening();
    });
    this.client.aim();
    this.client.sendListening();
    this.#mix();
  }

  #mix(): void {
    const { sound } = this;
    const endpoint = endpointOf(this.heard.state.endpoint);
    const cast = castOf(useScene.getState(), endpoint);
    if (cast === this.#castHeard) return;
    this.#castHeard = cast;
    for (const member of cast) {
      const gains = stereoGains(audibleVolume(member, cast), member.position);
      sound.setTrackGain(contextIdOf(member.name), gains);
    }
  }

  #leaveReplay(): void {
    const replay = this.#replay;
    if (!replay) return;
    replay.halt(null);
    this.sound.hold(false);
    this.#show(this.client);
    this.#isLeaving = true;
    this.post({ type: 'leaveReplay' });
    this.client.aim();
  }

  #show(client: SessionClient): void {
    const replay = this.#replay;
    if (client === replay) return;
    this.shown.setState({ client });
    replay?.dispose();
    this.#mix();
  }

  protected override replayed(view: ReplayView | null): void {
    // Drops late reports from before the end of the replay.
    if (this.#isLeaving && view) return;
    this.#isLeaving = false;
    const replay = this.#replay;
    if (!view) this.#show(this.client);
    else if (view.recording.id === replay?.view.recording.id) replay.follow(view);
    else {
      this.#show(new ReplayClient(this, view, this.client, () => this.#leaveReplay()));
    }
  }
}
