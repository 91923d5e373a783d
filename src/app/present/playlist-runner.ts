import { createStore, type StoreApi } from 'zustand/vanilla';
import { wallMs } from '#lib/wall-clock.ts';
import type { Settings } from '#protocol/core/endpoint.ts';
import { endpointOf } from '#protocol/registry.ts';
import type { TurnView } from '#session/views.ts';
import { contextIdOf } from '#text/script.ts';
import { replayedRecording } from '../recordings/recording-name.ts';
import { recordingsLink } from '../recordings-client/recordings-link.ts';
import { useRecordings } from '../recordings-client/recordings-store.ts';
import { ReplayClient } from '../session-client/replay-client.ts';
import type { SessionClient } from '../session-client/session-client.ts';
import { selectBusy, selectHeard } from '../session-client/session-state.ts';
import { RunSpeech, type SpeechOutcome, STALLED_AFTER_MS, waitFor } from '../session-client/speech.ts';
import type { StudioSessions } from '../session-client/studio-sessions.ts';
import { withFields } from '../settings/setting-value.ts';
import type { VoiceOption } from '../settings/voices/voice-options.ts';
import { castFrom, useScene } from '../stores/scene-store.ts';
import { selectEndpoint, selectSettings, useSettings } from '../stores/settings-store.ts';
import { speak } from '../studio/composer/intents.ts';
import { linesOf } from '../studio/composer/lines.ts';
import type { ItemContent, Playlist, PlaylistItem } from './playlist.ts';
import { isRunning, NEW_RUN, type PlaylistEvent, type PlaylistRun, playlistStep } from './playlist-run.ts';
import { selectPlaylist, usePlaylists } from './playlist-store.ts';
import { restOfTurn } from './rest-of-turn.ts';

const EMPTY_RULES = { count: 0, auto: false, pauseMs: 0, loop: false };

interface RunnerState {
  run: PlaylistRun;
  /** The voice that replaces those of the playlist; null: each item has its own. */
  voice: VoiceOption | null;
  /** The item under way, or the last one; null without an item. */
  speech: RunSpeech | null;
  /** Why the last recording was not played, as a sentence. */
  problem: string | null;
}

/** Runs the playlist of the presenter in the studio's session. The text of the studio is a playlist of its own. */
export class PlaylistRunner {
  readonly store: StoreApi<RunnerState> = createStore<RunnerState>()(() => ({
    run: NEW_RUN,
    voice: null,
    speech: null,
    problem: null,
  }));
  readonly #sessions: Pick<StudioSessions, 'shown' | 'openReplay'>;
  /** Restores the set-up of the studio; null while nothing has replaced it. */
  #restore: (() => void) | null = null;
  #playlist = selectPlaylist(usePlaylists.getState());
  #itemId: number | null = null;
  #pause: ReturnType<typeof setTimeout> | undefined;
  /** Ends the item under way; null while none is. */
  #item: AbortController | null = null;
  /** The report of a cancel is still to come. A second cancel would be recorded. */
  #isCut = false;

  constructor(sessions: Pick<StudioSessions, 'shown' | 'openReplay'>) {
    this.#sessions = sessions;
  }

  /** Follows session and playlist. Returns the function that ends the run and restores the studio's set-up. */
  open(): () => void {
    if (useSettings.getState().source === 'live') {
      this.#keepSetup();
      // The presenter has no field for a question.
      useSettings.setState({ source: 'typed' });
    }
    let leaveClient = this.#client.store.subscribe(() => this.#look());
    const leaves = [
      this.#sessions.shown.subscribe(({ client }) => {
        leaveClient();
        leaveClient = client.store.subscribe(() => this.#look());
      }),
      usePlaylists.subscribe(() => this.#playlistChanged()),
    ];
    return () => {
      this.do({ type: 'stop' });
      clearTimeout(this.#pause);
      leaveClient();
      for (const leave of leaves) leave();
      this.#restoreSetup();
    };
  }

  do(event: PlaylistEvent): void {
    const playlist = selectPlaylist(usePlaylists.getState());
    const rules = playlist ? { ...playlist, count: playlist.items.length } : EMPTY_RULES;
    const { run, act } = playlistStep(this.store.getState().run, event, rules, wallMs());
    this.#enter(run);
    if (act === 'silence') this.#silence();
    else if (act === 'speak') {
      const item = playlist?.items[run.at];
      if (item) this.#begin(item);
    }
    this.#itemId = playlist?.items[run.at]?.id ?? null;
  }

  /** Goes on: the next item, or the text of the studio where there is no playlist. Needs a gesture. */
  advance(): void {
    if (selectPlaylist(usePlaylists.getState())) this.do({ type: 'advance' });
    else {
      this.#isCut = false;
      speak(this.#client);
    }
  }

  /** Falls silent. The run stays at its item. Returns false where nothing ran, or a cancel is under way. */
  stop(): boolean {
    const wasRunning = isRunning(this.store.getState().run);
    this.do({ type: 'stop' });
    const wasSilenced = this.#silence();
    return wasRunning || wasSilenced;
  }

  /** Speaks with another voice from the next turn on, or goes on with it at once. Null: the playlist's own voices. */
  chooseVoice(choice: VoiceOption | null): void {
    const { switchesAtOnce } = usePlaylists.getState();
    const playlist = selectPlaylist(usePlaylists.getState());
    const page = useSettings.getState();
    const item = playlist?.items[this.store.getState().run.at];
    if (playlist) this.store.setState({ voice: choice });
    const settings = choice?.settings ?? item?.settings;
    if (selectEndpoint(page).contexts || !settings) return;
    if (playlist && item?.endpoint !== page.endpoint) return;
    const rest = switchesAtOnce ? this.#rest() : null;
    if (playlist && rest === null) return;
    page.setSettings(withFields(selectSettings(page), settings));
    if (rest === null) return;
    this.#cancel();
    this.#speakAs(() => this.#client.send({ type: 'speak', text: rest }));
  }

  get #client(): SessionClient {
    return this.#sessions.shown.getState().client;
  }

  /** The text that is still to be heard of the turn that plays; null while none does. */
  #rest(): string | null {
    const { state, playheads } = this.#client;
    const id = selectHeard(state);
    const turn: TurnView | undefined = id === null ? undefined : state.turns.get(id);
    if (!turn || state.replay || state.player.repeating || state.source.state === 'running') return null;
    return restOfTurn(turn, playheads.placeOf(turn).sample);
  }

  /** Speaks or replays an item, in place of the one under way. */
  #begin(item: PlaylistItem): void {
    const client = this.#client;
    if (client instanceof ReplayClient) client.leave();
    this.#silence();
    this.#keepSetup();
    this.store.setState({ problem: null });
    if (item.recording !== undefined) {
      const replay = this.#enterItem();
      void this.#follow(this.#replay(item.recording, replay), replay);
      return;
    }
    const { voice } = this.store.getState();
    applyItem(item, voice?.endpoint === item.endpoint ? voice.settings : null);
    this.#speakAs(() => speakItem(this.#client, item));
  }

  /** Speaks an item, or its rest by another voice. The text of the studio has no run to follow. */
  #speakAs(send: () => void): void {
    if (this.store.getState().run.phase !== 'speaking') {
      send();
      return;
    }
    const speech = new RunSpeech(this.#client);
    const item = this.#enterItem();
    this.store.setState({ speech });
    send();
    void this.#follow(speech.over(item.signal), item);
  }

  #enterItem(): AbortController {
    const item = new AbortController();
    this.#item = item;
    this.#isCut = false;
    return item;
  }

  async #follow(over: Promise<SpeechOutcome>, item: AbortController): Promise<void> {
    const outcome = await over.catch(() => null);
    if (!outcome || this.#item !== item) return;
    this.#item = null;
    this.#isCut = outcome.how === 'cancelled' || outcome.how === 'stalled';
    if (outcome.how === 'cancelled') this.do({ type: 'stop' });
    else this.do({ type: 'heard', failed: outcome.how !== 'spoken' });
  }

  /** Replays a recording in place of the live session, until its last sample is heard. An abort pauses it. */
  async #replay(id: string, item: AbortController): Promise<SpeechOutcome> {
    const recording = useRecordings.getState().list?.find((one) => one.id === id);
    if (!recording) return this.#notPlayed('This browser does not have the recording any more.');
    this.#sessions.openReplay(replayedRecording(recording), recordingsLink.serve(id));
    const client = await this.#opened(id, item);
    if (!client)
      return this.#notPlayed(
        `The recording did not open within ${STALLED_AFTER_MS / 1000} s. Reload the page and try again.`,
      );
    this.store.setState({ speech: new RunSpeech(client) });
    const isOver = (): boolean =>
      client.view.state === 'failed' ||
      client.view.isPaused ||
      (client.view.state === 'ended' && !selectBusy(client.state));
    const stalledAfterMs = recording.durationUs / 1000 + STALLED_AFTER_MS;
    const isWhole = await waitFor(client, isOver, { signal: item.signal, stalledAfterMs });
    if (!isWhole || client.view.state === 'failed')
      return this.#notPlayed(client.view.problem ?? 'The recording could not be played to its end.');
    if (client.view.isPaused) return { how: 'cancelled', reason: 'Somebody talked over the recording.' };
    return { how: 'spoken' };
  }

  #notPlayed(reason: string): SpeechOutcome {
    this.store.setState({ problem: reason });
    return { how: 'failed', reason };
  }

  /** Resolves to the client of a replay once it is shown, or to null where that takes too long. */
  #opened(id: string, { signal }: AbortController): Promise<ReplayClient | null> {
    return new Promise((resolve, reject) => {
      let isLate = false;
      const limit = setTimeout(() => {
        isLate = true;
        resolve(null);
      }, STALLED_AFTER_MS);
      signal.addEventListener('abort', () => {
        clearTimeout(limit);
        reject(signal.reason);
      });
      const leave = this.#sessions.shown.subscribe(({ client }) => {
        if (!(client instanceof ReplayClient) || client.view.recording.id !== id) return;
        leave();
        clearTimeout(limit);
        if (isLate || signal.aborted) {
          // A person was faster than the worker. Another item has left the replay already.
          if (isLate || !this.#item) client.leave();
          return;
        }
        signal.addEventListener('abort', () => client.control({ do: 'pause' }));
        resolve(client);
      });
    });
  }

  /** Returns false where nothing is spoken, or a cancel is under way. */
  #silence(): boolean {
    if (this.#isCut || !(this.#item || selectBusy(this.#client.state))) return false;
    this.#isCut = true;
    this.#cancel();
    return true;
  }

  #cancel(): void {
    if (this.#item) this.#item.abort();
    else this.#client.cancel();
    this.#item = null;
  }

  #enter(run: PlaylistRun): void {
    if (run === this.store.getState().run) return;
    this.store.setState({ run });
    clearTimeout(this.#pause);
    if (run.dueMs !== null) this.#wait(run.dueMs);
  }

  #wait(dueMs: number): void {
    this.#pause = setTimeout(
      () => {
        // A timer may fire a moment early by the wall clock.
        if (wallMs() < dueMs) this.#wait(dueMs);
        else this.do({ type: 'tick' });
      },
      Math.max(0, dueMs - wallMs()),
    );
  }

  /** After every report. */
  #look(): void {
    if (!selectBusy(this.#client.state)) this.#isCut = false;
  }

  #playlistChanged(): void {
    const before = this.#playlist;
    const playlist = selectPlaylist(usePlaylists.getState());
    if (playlist === before) return;
    this.#playlist = playlist;
    if (playlist && before && isEditOf(playlist, before)) {
      const at = playlist.items.findIndex(({ id }) => id === this.#itemId);
      if (this.#itemId !== null) this.do({ type: 'edited', at: at < 0 ? null : at });
      return;
    }
    this.do({ type: 'stop' });
    this.#enter(NEW_RUN);
    this.#itemId = null;
    this.store.setState({ voice: null, speech: null, problem: null });
    this.#restoreSetup();
  }

  #keepSetup(): void {
    if (this.#restore) return;
    const { endpoint, settings, source } = useSettings.getState();
    const { cast, listening, chosen } = useScene.getState();
    this.#restore = () => {
      const client = this.#client;
      if (client instanceof ReplayClient) client.leave();
      useSettings.setState({ endpoint, settings, source });
      useScene.setState({ cast, listening, chosen });
    };
  }

  #restoreSetup(): void {
    this.#restore?.();
    this.#restore = null;
  }
}

/** Puts the set-up of an item on the page. @param voice settings of a voice that replaces the item's own */
function applyItem(item: ItemContent, voice: Settings | null): void {
  const page = useSettings.getState();
  const endpoint = endpointOf(item.endpoint);
  const settings = voice === null || endpoint.contexts ? item.settings : withFields(item.settings, voice);
  if (endpoint.contexts)
    useScene.getState().set({ cast: castFrom(item.cast, endpoint), listening: 'inTurn', chosen: null });
  useSettings.setState({
    endpoint: endpoint.id,
    settings: { ...page.settings, [endpoint.id]: settings },
  });
}

/** Speaks an item whose set-up is on the page. Needs a gesture, or one before on the page. */
function speakItem(client: SessionClient, item: ItemContent): void {
  const cast = new Set(item.cast.map(({ name }) => contextIdOf(name)));
  const spoken = endpointOf(item.endpoint).contexts ? linesOf(item.text, cast) : item.text;
  client.speak(spoken, { kind: 'whole' });
}

/** Whether a playlist is the other one after an edit. A copy of one that came with the page has its other items. */
const isEditOf = (playlist: Playlist, before: Playlist): boolean =>
  playlist.id === before.id || playlist.items.some((item) => before.items.includes(item));
