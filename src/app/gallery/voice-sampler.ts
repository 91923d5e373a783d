import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Settings } from '#protocol/core/endpoint.ts';
import { endpointOf } from '#protocol/registry.ts';
import type { Target } from '#session/commands.ts';
import { measuresOf } from '#session/measures/turn-measures.ts';
import { onFirstGesture } from '../browser/first-gesture.ts';
import { SessionClient, SessionOwner } from '../session-client/session-client.ts';
import { selectBusy } from '../session-client/session-state.ts';
import { endOfSpeech, type SpeechStart, startOfSpeech, turnsSince } from '../session-client/speech-end.ts';
import { withFields } from '../settings/setting-value.ts';
import type { VoiceOption } from '../settings/voices/voice-options.ts';

export interface SamplerState {
  /** The voice that was pressed last. */
  choice: VoiceOption | null;
  phase: 'silent' | 'waiting' | 'speaking';
  /** From the first text to the first audible sample, in ms, by key of the voice. */
  waits: ReadonlyMap<string, number>;
}

/**
 * Lets voices say a sentence, one at a time, in a session of its own: on the studio's protocol and player, so that every
 * figure is measured as there, and without touching the studio's set-up.
 */
export class VoiceSampler {
  readonly store: StoreApi<SamplerState> = createStore<SamplerState>()(() => ({
    choice: null,
    phase: 'silent',
    waits: new Map(),
  }));
  readonly #owner: SessionOwner;
  readonly #leaveGesture: () => void;
  #since: SpeechStart | null = null;
  #samples = 0;
  #isWarm = false;

  constructor(target: Target, settings: Settings) {
    const { endpoint } = target;
    this.#owner = new SessionOwner((port) => new SessionClient(port, { endpoint, hasCast: false }));
    this.#owner.begin(target, settings);
    // The first press must wait for neither output nor connection.
    this.#leaveGesture = onFirstGesture(window, navigator, () => this.#owner.sound.prepare());
    this.client.store.subscribe(() => this.#look());
  }

  get client(): SessionClient {
    return this.#owner.client;
  }

  /** Connects ahead of the first press. */
  warm(): void {
    if (this.#isWarm) return;
    this.#isWarm = true;
    if (this.client.state.connection.state === 'idle') this.client.send({ type: 'connect' });
  }

  /** Lets a voice say a text, in place of the voice that speaks. Needs a gesture. */
  say(choice: VoiceOption, text: string, settings: Settings): void {
    const { contexts } = endpointOf(choice.endpoint);
    this.#isWarm = true;
    if (selectBusy(this.client.state)) this.client.cancel();
    this.client.dismissProblems(this.client.state.problems);
    this.#since = startOfSpeech(this.client.state);
    this.store.setState({ choice, phase: 'waiting' });
    if (contexts) {
      // A context keeps its voice to its end, so that every sample has a context of its own.
      this.#samples += 1;
      const speaker = `voice-${this.#samples}`;
      this.#owner.post({ type: 'settings', settings });
      this.#owner.post({
        type: 'speakers',
        speakers: [{ id: speaker, settings: withFields({}, choice.settings), keepOpen: false }],
      });
      const lines = [{ speaker, text, line: 0 }];
      this.client.send({ type: 'perform', lines, source: { kind: 'whole' }, closeAfter: true });
    } else {
      this.#owner.post({ type: 'settings', settings: withFields(settings, choice.settings) });
      this.client.send({ type: 'speak', text });
    }
  }

  stop(): void {
    if (selectBusy(this.client.state)) this.client.cancel();
    this.#since = null;
    this.store.setState({ phase: 'silent' });
  }

  dispose(): void {
    this.#leaveGesture();
    this.#owner.dispose();
  }

  #look(): void {
    const { choice, phase, waits } = this.store.getState();
    const since = this.#since;
    if (!since || !choice) return;
    const { state } = this.client;
    const [turn] = turnsSince(state, since);
    const { waitMs } = turn ? measuresOf(turn) : { waitMs: null };
    const end = endOfSpeech(state, since);
    if (end !== null) this.#since = null;
    const next = end !== null ? 'silent' : turn?.heardFromMs != null ? 'speaking' : 'waiting';
    const isNew = waitMs !== null && waits.get(choice.key) !== waitMs;
    if (next === phase && !isNew) return;
    this.store.setState({
      phase: next,
      ...(isNew ? { waits: new Map(waits).set(choice.key, waitMs) } : {}),
    });
  }
}
