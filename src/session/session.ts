import type { Endpoint, Intent, Settings, Wire } from '../protocol/endpoint.ts';
import { endpointOf } from '../protocol/registry.ts';
import { type AudioEvent, ONLY_CONTEXT } from '../protocol/speech-event.ts';
import type { SimulationProfile } from '../text/simulated-model.ts';
import { tokenize } from '../text/tokens.ts';
import { type Closing, CODE_NORMAL, Connection } from './connection.ts';
import { Conversation } from './conversation.ts';
import type { Environment } from './environment.ts';
import { describeLoss } from './loss.ts';
import { sessionTotals } from './measures.ts';
import type { Command, Target } from './messages.ts';
import type { Problem, SessionTotals, SessionUpdate, TextOrigin } from './model.ts';
import { Outbox, voiceOf } from './outbox.ts';
import { Playback } from './playback.ts';
import { Problems } from './problems.ts';
import { Publisher } from './publisher.ts';
import type { RecordedFrame } from './recorder.ts';
import { SimulatedModel } from './simulation.ts';
import type { Turn } from './turn.ts';

/** The server confirms a cancel in a round trip; text held back for longer would look like a hang. */
const INTERRUPT_WAIT_MS = 2000;

/** A server that closes because of an error does so at once after it. */
const CONSEQUENCE_MS = 2000;

/** While anything plays, the play head is read once per animation frame. */
const TICK_MS = 16;

export interface SessionOptions {
  environment: Environment;
  report: (update: SessionUpdate) => void;
  /** Cuts a text into a model's tokens. */
  tokens?: (text: string) => Promise<string[]>;
}

/**
 * One connection's worth of conversation: commands come in, frames go out and in, audio goes to the player, and what
 * changed is reported. It knows no vendor, no DOM and no React.
 */
export class Session {
  readonly #environment: Environment;
  readonly #connection: Connection;
  readonly #conversation: Conversation;
  readonly #outbox: Outbox;
  readonly #playback: Playback;
  readonly #model: SimulatedModel;
  readonly #problems = new Problems();
  readonly #publisher: Publisher;
  #endpoint: Endpoint = endpointOf(null);
  #wire: Wire = this.#endpoint.openWire();
  #target: Target | null = null;
  #callOffInterruptWait: (() => void) | null = null;
  /** When the last frame came, where that was an error: a close right behind it is its consequence. */
  #errorCameMs: number | null = null;
  #isTicking = false;
  /** The rate that the page was asked for, until it has brought an output. */
  #askedSampleRate: number | null = null;

  constructor({ environment, report, tokens = tokenize }: SessionOptions) {
    this.#environment = environment;
    this.#publisher = new Publisher(
      environment,
      {
        connection: () => this.#connection.view(),
        totals: () => this.#totals(),
        player: () => this.#playback.view(),
        source: () => this.#model.view(),
        problems: () => this.#problems.list,
        wantedSampleRate: () => this.#askedSampleRate ?? undefined,
      },
      report,
    );
    this.#model = new SimulatedModel(environment, tokens, {
      say: (token) => this.#say(token, 'simulated'),
      done: () => this.#endText('flush'),
      changed: () => this.#publisher.changed('source'),
      failed: () => this.#hasNoTokens(),
    });
    this.#connection = new Connection(environment, {
      opened: () => this.#opened(),
      received: (frame) => this.#received(frame),
      closed: (closing) => this.#closed(closing),
      changed: () => this.#publisher.changed('connection'),
    });
    this.#conversation = new Conversation({
      audio: (turn, event, atMs) => this.#heardOf(turn, event, atMs),
      audioComplete: (turn) => this.#playback.complete(turn),
      ended: (turn) => this.#turnEnded(turn),
      changed: (turn) => this.#publisher.turnChanged(turn),
      problem: (problem) => this.#tell(problem),
    });
    this.#outbox = new Outbox({
      nowMs: () => environment.nowMs(),
      isOpen: () => this.#connection.state === 'open' && !this.#callOffInterruptWait,
      isBusy: () => this.#conversation.inFlight.some((turn) => turn.sent),
      send: (intent) => this.#encode(intent),
      renew: () => this.#renewConnection(),
      changed: (turn) => this.#publisher.turnChanged(turn),
    });
    this.#playback = new Playback(environment, {
      changed: () => this.#publisher.changed('player'),
      heard: (turn) => this.#publisher.turnChanged(turn),
      found: (turn, finding) => {
        // A server that frames its audio wrongly does so with every frame.
        if (this.#problems.has(turn.id, finding.title)) return;
        this.#tell({ turn: turn.id, atMs: environment.nowMs(), ...finding });
      },
    });
  }

  handle(command: Command): void {
    switch (command.type) {
      case 'target':
        this.#aim(command.target, command.settings);
        break;
      case 'settings':
        this.#outbox.wanted = command.settings;
        break;
      case 'attachPlayer':
        this.#askedSampleRate = null;
        this.#playback.attach(command.port, command.sampleRate);
        this.#tick();
        break;
      case 'detachPlayer':
        this.#playback.detach();
        break;
      case 'anchor':
        this.#playback.anchor(command.anchor);
        break;
      case 'connect':
        this.#connection.open();
        break;
      case 'speak':
        this.#speak(command.text);
        break;
      case 'say':
        this.#say(command.text, command.origin);
        break;
      case 'simulate':
        this.#simulate(command.text, command.profile, command.seed);
        break;
      case 'flush':
        this.#endText('flush');
        break;
      case 'endTurn':
        this.#endText('endTurn');
        break;
      case 'cancel':
        this.#cancel();
        break;
      case 'disconnect':
        this.#disconnect();
        break;
      case 'replay':
        this.#replay(command.turn, command.fromSample);
        break;
      case 'stopReplay':
        this.#playback.stopReplay();
        break;
      case 'dismissProblem':
        this.#problems.dismiss(command.id);
        this.#publisher.changed('problems');
        break;
    }
  }

  #aim(target: Target, settings: Settings): void {
    const { endpoint, base, key } = target;
    this.#outbox.wanted = settings;
    const isSame =
      this.#target?.endpoint === endpoint && this.#target.base === base && this.#target.key === key;
    if (!isSame) {
      this.#model.stop();
      this.#endpoint = endpointOf(endpoint);
      this.#target = target;
      this.#conversation.speakWith(this.#endpoint);
      this.#connection.aim(this.#endpoint, target);
      this.#forgetConnection(false);
    }
  }

  #speak(text: string): void {
    if (text.trim() === '') return;
    this.#model.stop();
    // Text that was said before and not flushed is a turn of its own.
    this.#endText('flush');
    this.#say(text, 'whole');
    this.#endText('flush');
  }

  #say(text: string, origin: TextOrigin): void {
    let turn = this.#conversation.openTurn(ONLY_CONTEXT);
    if (!turn) {
      // White space starts no turn on the server either (facts 10.9).
      if (text.trim() === '') return;
      turn = this.#conversation.begin(ONLY_CONTEXT, origin, voiceOf(this.#outbox.wanted, this.#endpoint));
      this.#publisher.changed('totals');
    }
    this.#outbox.say(turn, text, this.#endpoint);
    this.#publisher.turnChanged(turn);
    this.#connection.open();
    this.#send();
  }

  #endText(kind: 'flush' | 'endTurn'): void {
    const turn = this.#conversation.openTurn(ONLY_CONTEXT);
    if (!turn) return;
    this.#outbox.endText(turn, kind);
    this.#send();
  }

  #simulate(text: string, profile: SimulationProfile, seed: number): void {
    if (text.trim() === '') return;
    this.#model.stop();
    this.#endText('flush');
    // The handshake is over by the time the model has its first token.
    this.#connection.open();
    this.#model.say(text, profile, seed);
  }

  #hasNoTokens(): void {
    this.#tell({
      turn: null,
      atMs: this.#environment.nowMs(),
      severity: 'error',
      title: 'The simulated model has no vocabulary',
      detail: 'The file with its tokens could not be loaded.',
      remedy: 'Reload the page, or type the text and press Speak.',
    });
  }

  /** Barge-in: silence first, then everything else. */
  #cancel(): void {
    const nowMs = this.#environment.nowMs();
    this.#playback.clear();
    this.#model.stop();
    const mustTell = this.#conversation.cancel(nowMs);
    // A server that drains before it closes takes a cancel until the very end.
    const isReachable = this.#connection.state === 'open' || this.#connection.state === 'closing';
    if (!mustTell || !this.#endpoint.can.cancel || !isReachable) return;
    this.#encode({ kind: 'cancel', context: ONLY_CONTEXT });
    this.#callOffInterruptWait?.();
    this.#callOffInterruptWait = this.#environment.after(INTERRUPT_WAIT_MS, () => {
      this.#callOffInterruptWait = null;
      this.#conversation.stopAwaitingInterrupt();
      this.#tell({
        turn: null,
        atMs: this.#environment.nowMs(),
        severity: 'warning',
        title: 'The cancel was not confirmed',
        detail: `The server did not answer within ${INTERRUPT_WAIT_MS / 1000} s.`,
        remedy: 'What it sends now is taken for the next turn. Disconnect if old speech comes back.',
      });
      this.#send();
    });
  }

  #disconnect(): void {
    this.#model.stop();
    const { state } = this.#connection;
    if (state === 'connecting' || state === 'retrying') {
      this.#connection.drop();
      this.#forgetConnection(false);
      return;
    }
    const frames = state === 'open' ? this.#wire.encode({ kind: 'disconnect' }) : [];
    if (frames.length === 0) {
      this.#connection.close();
      return;
    }
    // The server speaks what is in flight before it closes (facts 2.3.14); a second press does not wait for that.
    this.#send();
    for (const frame of frames) this.#connection.send(frame);
    this.#connection.closing();
  }

  #replay(id: number, fromSample: number): void {
    const turn = this.#conversation.turns[id - 1];
    if (!turn?.replayable || this.#conversation.inFlight.length > 0) return;
    this.#playback.replay(turn, fromSample);
    this.#tick();
  }

  #opened(): void {
    this.#wire = this.#endpoint.openWire();
    this.#errorCameMs = null;
    this.#outbox.begin();
    this.#send();
  }

  #received({ frame, atMs }: RecordedFrame): void {
    for (const event of this.#wire.decode(frame)) {
      this.#errorCameMs = event.type === 'error' ? atMs : null;
      if (event.type === 'audio' || event.type === 'turnEnded') this.#connection.proven();
      this.#conversation.receive(event, atMs);
    }
    if (this.#callOffInterruptWait && !this.#conversation.awaitsInterrupt) {
      this.#callOffInterruptWait();
      this.#callOffInterruptWait = null;
    }
    this.#publisher.changed('connection');
    this.#send();
  }

  /**
   * A connection that was open is expected to stay so: it comes back by itself where its close code allows, also when
   * idle. Not so when an error frame came right before: the server has said why it will not serve, and asking again
   * at once would only repeat it. The next Speak opens a new one.
   */
  #closed(closing: Closing): boolean {
    const { code, asked, mayRetry } = closing;
    const nowMs = this.#environment.nowMs();
    const { inFlight } = this.#conversation;
    const isAnswer = this.#errorCameMs !== null && nowMs - this.#errorCameMs < CONSEQUENCE_MS;
    const retry = mayRetry && !isAnswer;
    // Text that waited for the end of an old connection gets a new one.
    const reopen = asked && this.#outbox.hasUnsentTurns;
    const lost = inFlight.find((turn) => turn.sent) ?? (retry ? undefined : inFlight[0]);
    this.#forgetConnection(retry || reopen);
    // What an error frame has told, the close only repeats; and an idle connection that comes back is no news.
    if (!isAnswer && !asked && (lost || (!retry && code !== CODE_NORMAL))) {
      const words = describeLoss(closing, lost !== undefined, this.#connection.view().address);
      this.#tell({ turn: lost?.id ?? null, atMs: nowMs, severity: 'error', ...words });
    }
    if (reopen) this.#connection.open();
    return retry;
  }

  /** What was bound to a connection that is gone. */
  #forgetConnection(keepUnsent: boolean): void {
    this.#callOffInterruptWait?.();
    this.#callOffInterruptWait = null;
    this.#outbox.forgetConnection();
    this.#conversation.disconnected(this.#environment.nowMs(), keepUnsent);
    if (!keepUnsent) this.#model.stop();
  }

  /** Sends what may be sent now. */
  #send(): void {
    this.#outbox.send(this.#endpoint);
  }

  /** Turns that wait are sent on the next connection. */
  #renewConnection(): void {
    this.#connection.drop();
    this.#forgetConnection(true);
    this.#connection.open();
  }

  #encode(intent: Intent): void {
    for (const frame of this.#wire.encode(intent)) this.#connection.send(frame);
    this.#publisher.changed('connection');
  }

  /** Audio of a turn has arrived. */
  #heardOf(turn: Turn, event: AudioEvent, atMs: number): void {
    const { samples, leadingSilence } = this.#playback.receive(turn, event, atMs);
    turn.audio({
      chunk: event.chunk,
      samples,
      leadingSilence,
      sampleRate: event.sampleRate,
      arrivedMs: atMs,
      queuedMs: this.#environment.nowMs(),
    });
    this.#publisher.turnChanged(turn);
    this.#tick();
  }

  #turnEnded(turn: Turn): void {
    this.#playback.complete(turn);
    // A model goes on with its text in another turn only where the server has ended the last one gracefully.
    if (turn.state !== 'ended' && turn.origin === 'simulated') this.#model.stop();
    this.#publisher.changed('totals');
    this.#tick();
  }

  /** Reads the player as long as it plays. */
  #tick(): void {
    if (this.#isTicking) return;
    this.#playback.update();
    this.#askForOutput();
    if (!this.#playback.isBusy) return;
    this.#isTicking = true;
    this.#environment.after(TICK_MS, () => {
      this.#isTicking = false;
      this.#tick();
    });
  }

  /** What waits cannot be played at the rate of the output there is: the page has to open another, and is asked once. */
  #askForOutput(): void {
    const { wantedSampleRate, sampleRate } = this.#playback;
    if (wantedSampleRate === null || sampleRate === null || wantedSampleRate === this.#askedSampleRate)
      return;
    this.#askedSampleRate = wantedSampleRate;
    this.#publisher.changed('wantedSampleRate');
  }

  #tell(problem: Omit<Problem, 'id'>): void {
    const detail = this.#connection.recorder.words(problem.detail);
    if (this.#problems.add({ ...problem, detail })) this.#publisher.changed('problems');
  }

  #totals(): SessionTotals {
    return sessionTotals(
      this.#conversation.turns.map((turn) => ({
        state: turn.state,
        chars: turn.text.length,
        audioSeconds: turn.sampleRate === null ? 0 : turn.samples / turn.sampleRate,
        usage: turn.usage,
      })),
    );
  }
}
