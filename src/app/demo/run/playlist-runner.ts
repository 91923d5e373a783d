import { createStore, type StoreApi } from 'zustand/vanilla';
import { wallMs } from '#lib/wall-clock.ts';
import type { TurnView } from '#session/views.ts';
import type { Playlist, PlaylistItem } from '../../playlist/playlist.ts';
import { selectPlaylist, usePlaylists } from '../../playlist/playlist-store.ts';
import { ReplayClient } from '../../session-client/replay-client.ts';
import type { SessionClient } from '../../session-client/session-client.ts';
import { selectBusy, selectHeard } from '../../session-client/session-state.ts';
import { RunSpeech } from '../../session-client/speech.ts';
import type { StudioSessions } from '../../session-client/studio-sessions.ts';
import { withFields } from '../../settings/setting-value.ts';
import type { VoiceOption } from '../../settings/voices/voice-options.ts';
import { selectEndpoint, selectSettings, useSettings } from '../../stores/settings-store.ts';
import { speak } from '../../studio/composer/intents.ts';
import { applyItem, StudioSetup, speakItem } from './item-speech.ts';
import { isRunning, NEW_RUN, type PlaylistEvent, type PlaylistRun, playlistStep } from './playlist-run.ts';
import { restOfTurn } from './rest-of-turn.ts';

const EMPTY_RULES = { count: 0, auto: false, pauseMs: 0, loop: false };

interface RunnerState {
  run: PlaylistRun;
  /** The voice that replaces those of the playlist; null: each item has its own. */
  voice: VoiceOption | null;
  /** The item under way, or the last one; null without an item. */
  speech: RunSpeech | null;
}

/** Runs the playlist of the presenter in the studio's session. The text of the studio is a playlist of its own. */
export class PlaylistRunner {
  readonly store: StoreApi<RunnerState> = createStore<RunnerState>()(() => ({
    run: NEW_RUN,
    voice: null,
    speech: null,
  }));
  readonly #sessions: Pick<StudioSessions, 'shown'>;
  readonly #setup = new StudioSetup();
  #playlist = selectPlaylist(usePlaylists.getState());
  #itemId: number | null = null;
  #pause: ReturnType<typeof setTimeout> | undefined;
  /** Ends the item under way; null while none is. */
  #item: AbortController | null = null;
  /** The report that is still to come: of an item that was sent, or of a cancel. */
  #awaits: 'item' | 'silence' | null = null;

  constructor(sessions: Pick<StudioSessions, 'shown'>) {
    this.#sessions = sessions;
  }

  /** Follows session and playlist. Returns the function that ends the run and restores the studio's set-up. */
  open(): () => void {
    if (useSettings.getState().source === 'live') {
      this.#setup.keep();
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
      this.#setup.restore();
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
      if (item) this.#speak(item);
    }
    this.#itemId = playlist?.items[run.at]?.id ?? null;
  }

  /** Goes on: the next item, or the text of the studio where there is no playlist. Needs a gesture. */
  advance(): void {
    if (selectPlaylist(usePlaylists.getState())) this.do({ type: 'advance' });
    else {
      this.#awaits = null;
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

  #speak(item: PlaylistItem): void {
    const client = this.#client;
    if (client instanceof ReplayClient) client.leave();
    this.#silence();
    this.#setup.keep();
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
    const item = new AbortController();
    this.#item = item;
    this.#awaits = 'item';
    this.store.setState({ speech });
    send();
    void this.#follow(speech, item);
  }

  async #follow(speech: RunSpeech, item: AbortController): Promise<void> {
    const outcome = await speech.over(item.signal).catch(() => null);
    if (!outcome || this.#item !== item) return;
    this.#item = null;
    // A cancel of the session or of a stalled item must not be followed by a second one, which would be recorded.
    const isCut = outcome.how === 'cancelled' || outcome.how === 'stalled';
    this.#awaits = isCut ? 'silence' : null;
    if (outcome.how === 'cancelled') this.do({ type: 'stop' });
    else this.do({ type: 'heard', failed: outcome.how !== 'spoken' });
  }

  /** Returns false where nothing is spoken, or a cancel is under way. */
  #silence(): boolean {
    if (this.#awaits === 'silence') return false;
    if (this.#awaits === null && !this.#item && !selectBusy(this.#client.state)) return false;
    this.#awaits = 'silence';
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
    if (this.#awaits === (selectBusy(this.#client.state) ? 'item' : 'silence')) this.#awaits = null;
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
    this.store.setState({ voice: null, speech: null });
    this.#setup.restore();
  }
}

/** Whether a playlist is the other one after an edit. A copy of one that came with the page has its other items. */
const isEditOf = (playlist: Playlist, before: Playlist): boolean =>
  playlist.id === before.id || playlist.items.some((item) => before.items.includes(item));
