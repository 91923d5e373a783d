import type { TrackPort } from '#player/messages.ts';
import type { Tracks } from '#player/sink.ts';
import type { Endpoint, Frame, Intent, Settings, Wire } from '#protocol/core/endpoint.ts';
import type { AudioEvent, SpeechEvent } from '#protocol/core/speech-event.ts';
import { endpointOf } from '#protocol/registry.ts';
import type { DropReason } from '#recordings/format/player-entry.ts';
import { mainEvent, noteOf } from '#recordings/format/recorded-event.ts';
import type { Listening, UserAction } from '#recordings/format/user-actions.ts';
import { tokenize } from '#text/tokens.ts';
import { type Closing, CODE_NORMAL, SocketConnection } from './connection.ts';
import type { SessionEnvironment } from './environment.ts';
import type { SessionCommand, Target } from './messages.ts';
import { Playback } from './playback/playback.ts';
import { TimelineFeed } from './playback/timeline-feed.ts';
import { Publisher } from './publisher.ts';
import { Feed } from './recorder/feed.ts';
import type { RecordedFrame } from './recorder/recorder.ts';
import { Reenactment } from './replay/reenactment.ts';
import { Contexts } from './sending/contexts.ts';
import { withKey } from './sending/hand-sent.ts';
import { INTERRUPT_WAIT_MS, Interrupts } from './sending/interrupts.ts';
import { Models } from './sending/models.ts';
import { Outbox, voiceIn } from './sending/outbox.ts';
import { Speaking } from './sending/speaking.ts';
import { sessionTotals } from './sending/totals.ts';
import { Conversation } from './turns/conversation.ts';
import { describeLoss } from './turns/loss.ts';
import { Marks } from './turns/marks.ts';
import { Problems } from './turns/problems.ts';
import type { Turn } from './turns/turn.ts';
import type { Mark, Problem, SessionTotals, SessionUpdate } from './views.ts';

/** A server that closes because of an error does so at once after it. */
const CONSEQUENCE_MS = 2000;

/** How often the recording is told what has been heard by now. */
const TELL_HEARING_EVERY_MS = 200;

/** While anything plays, the play head is read once per animation frame. */
const TICK_MS = 16;

export interface SessionOptions {
  environment: SessionEnvironment;
  report: (update: SessionUpdate) => void;
  /** Cuts a text into a model's tokens. */
  tokens?: (text: string) => Promise<string[]>;
  /** Opens tracks over the output's port. */
  openTracks?: (port: TrackPort) => Tracks;
  /**
   * Makes it a replay: its connections have a time of their own, in which they wait, and lead nowhere. It sends nothing;
   * what went out is told by `reenactment`.
   */
  replayed?: SessionEnvironment;
}

/**
 * One connection's worth of conversation: commands come in, frames go out and in, audio goes to the player, and what
 * changed is reported. It knows no vendor, no DOM and no React.
 */
export class Session {
  readonly #environment: SessionEnvironment;
  readonly #feed: Feed;
  readonly #connection: SocketConnection;
  readonly #conversation: Conversation;
  readonly #outbox: Outbox;
  readonly #playback: Playback;
  readonly #contexts: Contexts;
  readonly #interrupts: Interrupts;
  readonly #models: Models;
  readonly #speaking: Speaking;
  readonly isReplay: boolean;
  /** In a replay: where what was done in its time is done again. */
  readonly reenactment: Reenactment;
  readonly #marks = new Marks(() => this.#publisher.changed('marks'));
  readonly #timeline = new TimelineFeed(this.#marks, () => this.#publisher.changed('envelopes'));
  readonly #problems = new Problems();
  readonly #publisher: Publisher;
  #endpoint: Endpoint = endpointOf(null);
  #wire: Wire = this.#endpoint.openWire('');
  #target: Target | null = null;
  /** Wanted open as soon as there is a connection. */
  readonly #contextsToOpen = new Set<string>();
  /** Written by hand while there was no connection; they go out behind its opening. */
  #framesToSend: Frame[] = [];
  /** When the last frame came, where that was an error: a close right behind it is its consequence. */
  #errorCameMs: number | null = null;
  /** Size of the frame that is being decoded. */
  #frameBytes = 0;
  /** Its place in the recording. */
  #decodedFrame: Pick<Mark, 'frame'> = {};
  /** Turns whose end took a new connection, until that can take text. */
  #bargeIn: { turns: readonly Turn[]; atMs: number } | null = null;
  #isTicking = false;
  #toldHearingMs = Number.NEGATIVE_INFINITY;
  /** How lines of a script are heard. */
  #listening: { listening: Listening; pauseMs: number } = { listening: 'inTurn', pauseMs: 0 };
  /** The rate that the page was asked for, until it has brought an output. */
  #askedSampleRate: number | null = null;

  constructor({ environment, report, tokens = tokenize, openTracks, replayed }: SessionOptions) {
    this.#environment = environment;
    this.isReplay = replayed !== undefined;
    const wired = replayed ?? environment;
    this.#publisher = new Publisher(
      environment,
      {
        connection: () => this.#connection.view(),
        totals: () => this.#totals(),
        contexts: () => this.#contexts.view(),
        marks: () => this.#marks.take(),
        envelopes: () => this.#timeline.takeEnvelopes(),
        player: () => this.#playback.view(),
        source: () => this.#models.view(),
        problems: () => this.#problems.list,
        wantedSampleRate: () => this.#askedSampleRate ?? undefined,
      },
      report,
    );
    this.#models = new Models(environment, tokens, {
      changed: () => this.#publisher.changed('source'),
      failed: () => this.#hasNoTokens(),
    });
    this.#interrupts = new Interrupts(wired, (context) => this.#interruptOverdue(context));
    this.#feed = new Feed(environment);
    this.#connection = new SocketConnection(
      wired,
      {
        opened: () => this.#opened(),
        received: (frame) => this.#received(frame),
        closed: (closing) => this.#closed(closing),
        changed: () => this.#publisher.changed('connection'),
      },
      this.#feed,
    );
    this.#conversation = new Conversation({
      audio: (turn, event, atMs) => this.#heardOf(turn, event, atMs),
      audioComplete: (turn) => this.#playback.complete(turn),
      ended: (turn) => this.#turnEnded(turn),
      changed: (turn) => this.#publisher.turnChanged(turn),
      problem: (problem) => this.#tell(problem),
      isClosed: (context) => this.#contexts.isClosed(context),
    });
    this.#contexts = new Contexts(wired, this.#marks, {
      send: (intent) => this.#encode(intent),
      isBusy: (context) => this.#conversation.inFlight.some((turn) => turn.sent && turn.context === context),
      changed: () => this.#publisher.changed('contexts'),
      ended: (context) => this.#playback.contextEnded(context),
      settled: () => this.#send(),
    });
    this.#outbox = new Outbox({
      nowMs: () => environment.nowMs(),
      isOpen: () => this.#isReady,
      mayTakeText: ({ context, sent }) =>
        !this.#interrupts.isAwaited(context) && this.#contexts.mayTakeText(context, sent),
      settingsToOpen: (context) => this.#contexts.settingsToOpen(context),
      voiceOf: (context) => this.#voiceOf(context),
      closeContext: (context) => this.#contexts.close(context, false),
      isBusy: () => this.#conversation.inFlight.some((turn) => turn.sent),
      send: (intent, turn) => this.#encode(intent, turn),
      renew: () => this.#renewConnection(),
      sent: (turn, kind, chars) => this.#sent(turn, kind, chars),
    });
    this.#playback = new Playback(
      environment,
      {
        changed: () => this.#publisher.changed('player'),
        heard: (turn) => this.#publisher.turnChanged(turn),
        found: (turn, finding) => {
          // A server that frames its audio wrongly does so with every frame.
          if (this.#problems.has(turn.id, finding.title)) return;
          this.#tell({ turn: turn.id, atMs: environment.nowMs(), ...finding });
        },
        news: (news) => this.#connection.recorder.played(news, environment.nowMs()),
        bargeIn: (turn) => this.#interrupt(turn),
        woken: () => this.#tick(),
        isLive: (context) => this.#contexts.isLive(context),
      },
      openTracks ? { openTracks } : {},
    );
    this.#speaking = new Speaking(
      {
        conversation: this.#conversation,
        outbox: this.#outbox,
        models: this.#models,
        endpoint: () => this.#endpoint,
      },
      {
        nowMs: () => environment.nowMs(),
        connect: () => this.#connection.open(),
        send: () => this.#send(),
        begun: (turn) => {
          const { id, context, origin, line } = turn;
          this.#act({ kind: 'begun', turn: id, context: context || null, origin, line });
          this.#publisher.changed('totals');
          this.#publisher.turnChanged(turn);
        },
        written: (turn) => this.#publisher.turnChanged(turn),
        voiceOf: (context) => this.#voiceOf(context),
        line: (turn, interrupts) => {
          const { id, context } = turn;
          this.#act({ kind: 'line', turn: id, context: context || null, interrupts, ...this.#listening });
          this.#playback.line(turn, interrupts);
        },
        isKeptOpen: (context) => this.#contexts.speaker(context)?.keepOpen === true,
      },
    );
    this.reenactment = new Reenactment(
      {
        conversation: this.#conversation,
        contexts: this.#contexts,
        connection: this.#connection,
        interrupts: this.#interrupts,
        playback: this.#playback,
        endpoint: () => this.#endpoint,
        wire: () => this.#wire,
      },
      {
        nowMs: () => environment.nowMs(),
        begun: (turn) => {
          this.#publisher.changed('totals');
          this.#publisher.turnChanged(turn);
        },
        sent: (turn, kind, chars) => this.#sent(turn, kind, chars),
        silence: (context) => this.#silence(context, environment.nowMs()),
        interrupt: (turn) => this.#interrupt(turn),
        left: () => this.#forgetConnection(true),
        changed: () => this.#publisher.changed('connection'),
      },
    );
  }

  handle(command: SessionCommand): void {
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
      case 'attachRecordings':
        this.#feed.attach(command.port);
        break;
      case 'anchor':
        this.#timeline.drifted(this.#playback.anchor(command.anchor), command.anchor.wallMs);
        break;
      case 'connect':
        this.#connection.open();
        break;
      case 'speak':
        this.#playback.stopReplay();
        this.#speaking.speak(command.text);
        break;
      case 'say':
        this.#speaking.say(command.text, command.origin);
        break;
      case 'simulate':
        this.#playback.stopReplay();
        this.#speaking.simulate(command.text, command.profile, command.seed);
        break;
      case 'flush':
        this.#speaking.endText('flush');
        break;
      case 'endTurn':
        this.#speaking.endText('endTurn');
        break;
      case 'sendFrame':
        this.#sendFrame(command.frame);
        break;
      case 'cancel':
        this.#cancel(command.context ?? null, command.pressedMs ?? this.#environment.nowMs());
        break;
      case 'speakers':
        this.#contexts.speakers = command.speakers;
        this.#cancelLinesOfNobody();
        break;
      case 'perform':
        this.#playback.stopReplay();
        this.#speaking.perform(command.lines, command.source, command.closeAfter);
        break;
      case 'listen':
        this.#listening = { listening: command.listening, pauseMs: command.pauseMs };
        if (this.#endpoint.contexts)
          this.#act({ kind: 'listening', turn: null, context: null, ...this.#listening });
        this.#playback.listen(command.listening, command.pauseMs);
        this.#tick();
        break;
      case 'openContext':
        this.#openContext(command.context);
        break;
      case 'closeContext':
        this.#closeContext(command.context, command.immediate);
        break;
      case 'disconnect':
        this.#disconnect();
        break;
      case 'replay':
        this.#replay(command.turn, command.fromSample);
        break;
      case 'stopReplay':
        this.#playback.replayStopped();
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
      // Whoever goes elsewhere has done with what is spoken here.
      this.#playback.clear(null, 'otherServer');
      // What is recorded from now on is of the other one.
      this.#playback.settle();
      this.#models.stop(null);
      this.#conversation.cancel(null, this.#environment.nowMs());
      this.#endpoint = endpointOf(endpoint);
      this.#target = target;
      this.#conversation.speakWith(this.#endpoint);
      this.#contexts.speakWith(this.#endpoint);
      this.#publisher.changed('totals');
      this.#connection.aim(this.#endpoint, target);
      this.#forgetConnection(false);
    }
  }

  /** Lines that have yet to go out, of speakers who are gone: there is no voice to open their context with. */
  #cancelLinesOfNobody(): void {
    if (!this.#endpoint.contexts) return;
    const isOfNobody = ({ context, line }: Turn): boolean =>
      line !== null && this.#contexts.speaker(context) === undefined;
    this.#conversation.cancelUnsent(this.#environment.nowMs(), isOfNobody);
    this.#outbox.dropEnded();
  }

  #openContext(context: string): void {
    if (this.#connection.state === 'open') this.#contexts.open(context);
    else {
      this.#contextsToOpen.add(context);
      this.#connection.open();
    }
  }

  /** Whatever it is, and in whatever state the endpoint is: who writes frames by hand wants to see the answer. */
  #sendFrame(frame: Frame): void {
    const { state } = this.#connection;
    if (state === 'open' || state === 'closing') this.#sendByHand(frame);
    else {
      this.#framesToSend.push(frame);
      this.#connection.open();
    }
  }

  #sendByHand(frame: Frame): void {
    this.#connection.send(withKey(frame, this.#target?.key ?? ''), { kind: 'sent' });
    this.#publisher.changed('connection');
  }

  #closeContext(context: string, immediate: boolean): void {
    if (immediate) {
      const nowMs = this.#environment.nowMs();
      this.#act({ kind: 'cancelled', turn: null, context });
      this.#cutOff(context, nowMs, 'contextClosed');
      this.#conversation.cancel(context, nowMs);
      this.#outbox.dropEnded();
    }
    this.#contexts.close(context, immediate);
  }

  #voiceOf(context: string): string | number | null {
    const { contexts, settings } = this.#endpoint;
    return contexts
      ? voiceIn(this.#contexts.speaker(context)?.settings ?? {}, contexts.settings)
      : voiceIn(this.#outbox.wanted, settings);
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

  /** Barge-in: silence first, then everything else. On one context, or on all (null). */
  #cancel(context: string | null, pressedMs: number): void {
    this.#act({ kind: 'cancelled', turn: null, context });
    const spoken = this.#silence(context, pressedMs);
    if (spoken.length > 0) this.#tellOfCancel(context, spoken);
  }

  /** The part of a cancel that needs no server. Gives back the turns of which the server has to be told. */
  #silence(context: string | null, pressedMs: number): readonly Turn[] {
    const nowMs = this.#environment.nowMs();
    const cancelled = this.#cutOff(context, pressedMs, 'cancel');
    const spoken = this.#conversation.cancel(context, nowMs);
    for (const turn of cancelled) {
      this.#marks.add('cancel', nowMs, { context: turn.context, turn: turn.id });
    }
    return spoken;
  }

  /** Silences what is heard, and gives back the turns that are not over for the listener. */
  #cutOff(context: string | null, pressedMs: number, why: DropReason): Set<Turn> {
    const silenced = this.#playback.clear(context, why);
    this.#models.stop(context);
    const isMeant = (turn: Turn): boolean => context === null || turn.context === context;
    const turns = new Set([...silenced, ...this.#conversation.inFlight.filter(isMeant)]);
    for (const turn of turns) turn.cutOffMs ??= pressedMs;
    return turns;
  }

  /** A line cuts off another: silence for that one, and for nothing else that its speaker has to say. */
  #interrupt(turn: Turn): void {
    const nowMs = this.#environment.nowMs();
    const { context, id } = turn;
    turn.cutOffMs ??= nowMs;
    this.#playback.silence(turn, 'bargeIn');
    this.#marks.add('cancel', nowMs, { context, turn: id });
    const spoken = this.#conversation.interrupt(turn, nowMs);
    if (spoken.length > 0) this.#tellOfCancel(context, spoken, turn);
  }

  /** Recorded where no frame tells of it. */
  #act(act: UserAction): void {
    this.#connection.recorder.acted(act, this.#environment.nowMs());
  }

  /**
   * @param spoken what the server is to stop speaking
   * @param turn the one that was meant; null: all of the context
   */
  #tellOfCancel(context: string | null, spoken: readonly Turn[], turn: Turn | null = null): void {
    if (this.isReplay) return;
    // A server that drains before it closes takes a cancel until the very end.
    const isReachable = this.#connection.state === 'open' || this.#connection.state === 'closing';
    if (!isReachable) return;
    if (this.#endpoint.can.cancel) {
      for (const cancelled of context === null ? this.#cancelsForAll(spoken) : [context]) {
        this.#encode({ kind: 'cancel', context: cancelled }, turn);
        this.#conversation.cancelSent();
      }
      this.#interrupts.wait(context);
      return;
    }
    // A goodbye that is on its way ends what the server is generating, and nothing else does (facts 6.3.17).
    if (this.#connection.state !== 'open') return;
    this.#bargeIn = { turns: spoken, atMs: this.#environment.nowMs() };
    this.#renewConnection();
  }

  /** A cancel of all leaves alone what is closing already (`facts 3.3.22`), so that is named; null: all others. */
  #cancelsForAll(spoken: readonly Turn[]): (string | null)[] {
    const contexts = [...new Set(spoken.map(({ context }) => context))];
    const closing = contexts.filter((context) => this.#contexts.isClosing(context));
    return closing.length < contexts.length ? [...closing, null] : closing;
  }

  /** Text may go out. */
  get #isReady(): boolean {
    return this.#connection.state === 'open' && this.#wire.isReady !== false;
  }

  /** What waited for a connection that takes text. */
  #proceed(): void {
    if (this.#bargeIn && this.#isReady) {
      for (const turn of this.#bargeIn.turns) {
        turn.reconnectMs = this.#environment.nowMs() - (turn.cutOffMs ?? this.#bargeIn.atMs);
        this.#publisher.turnChanged(turn);
      }
      this.#bargeIn = null;
    }
    if (this.#framesToSend.length > 0 && this.#isReady) {
      const frames = this.#framesToSend;
      this.#framesToSend = [];
      for (const frame of frames) this.#sendByHand(frame);
    }
    this.#send();
  }

  #interruptOverdue(context: string | null): void {
    this.#conversation.stopAwaitingInterrupt(context);
    this.#tell({
      turn: null,
      atMs: this.#environment.nowMs(),
      severity: 'warning',
      title: 'The cancel was not confirmed',
      detail: `The server did not answer within ${INTERRUPT_WAIT_MS / 1000} s.`,
      remedy: 'What it sends now is taken for the next turn. Disconnect if old speech comes back.',
    });
    this.#send();
  }

  #disconnect(): void {
    this.#act({ kind: 'disconnected', turn: null, context: null });
    this.#models.stop(null);
    this.#contextsToOpen.clear();
    const { state } = this.#connection;
    if (state === 'connecting' || state === 'retrying') {
      this.#connection.drop();
      this.#forgetConnection(false);
      return;
    }
    const frames = state === 'open' ? this.#wire.encode({ kind: 'disconnect' }) : [];
    if (frames.length > 0) this.#send();
    // What could not go out by now is not wanted on another connection either.
    this.#conversation.cancelUnsent(this.#environment.nowMs());
    this.#outbox.dropEnded();
    if (frames.length === 0) {
      this.#connection.close();
      return;
    }
    // The server speaks what is in flight before it closes (facts 2.3.14); a second press does not wait for that.
    if (!this.isReplay) for (const frame of frames) this.#connection.send(frame, { kind: 'disconnect' });
    this.#connection.closing();
  }

  #replay(id: number, fromSample: number): void {
    const turn = this.#conversation.turns.find((candidate) => candidate.id === id);
    if (!turn?.replayable || this.#conversation.inFlight.length > 0) return;
    this.#playback.replay(turn, fromSample);
    this.#tick();
  }

  #opened(): void {
    this.#wire = this.#endpoint.openWire(this.#target?.key ?? '');
    this.#errorCameMs = null;
    this.#timeline.connected(true, this.#environment.nowMs());
    this.#outbox.begin();
    for (const context of this.#contextsToOpen) {
      // Who was taken away meanwhile has no voice to open it with.
      if (this.#contexts.speaker(context)) this.#contexts.open(context);
    }
    this.#contextsToOpen.clear();
    this.#proceed();
  }

  #received({ frame, atMs, bytes }: RecordedFrame): void {
    this.#frameBytes = bytes;
    this.#decodedFrame = this.#lastFrame;
    const events = this.#wire.decode(frame);
    const main = mainEvent(events);
    const before = main && this.#conversation.turnOf(main);
    for (const event of events) {
      // One that left out a piece of the text says nothing of the connection.
      this.#errorCameMs = event.type === 'error' && event.chunk === undefined ? atMs : null;
      if (event.type === 'audio' || event.type === 'turnEnded') this.#connection.proven();
      if (this.#noteContext(event)) this.#conversation.receive(event, atMs);
    }
    // Speech that nobody has asked for has opened a turn of its own.
    if (main) this.#connection.recorder.understood(noteOf(main, before ?? this.#conversation.turnOf(main)));
    const replies = this.#wire.replies?.() ?? [];
    if (!this.isReplay) for (const reply of replies) this.#connection.send(reply, { kind: 'open' });
    this.#interrupts.settle((context) => this.#conversation.awaitsInterrupt(context));
    this.#publisher.changed('connection');
    this.#proceed();
  }

  /** What an event says of its context. False where it says nothing of the turns that are under way there. */
  #noteContext(event: SpeechEvent): boolean {
    if (event.type === 'error') {
      this.#marks.add('error', this.#environment.nowMs(), { context: event.context, ...this.#decodedFrame });
    }
    if (!('context' in event) || event.context === null) return true;
    const { context } = event;
    if (event.type === 'contextClosed') {
      this.#publisher.changed('totals');
      return this.#contexts.closed(context, event.usage);
    }
    if (event.type === 'error') {
      this.#contexts.refused(context);
      return true;
    }
    this.#contexts.opened(context);
    this.#contexts.touched(context);
    return true;
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
    const retry = mayRetry && (!isAnswer || this.#endpoint.retriesAfterErrors);
    // What waited for the end of an old connection gets a new one.
    const waits = this.isReplay ? inFlight.some((turn) => !turn.sent) : this.#outbox.hasUnsentTurns;
    const reopen = asked && (waits || this.#contextsToOpen.size > 0);
    if (retry) this.#openKeptAgain();
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
    this.#errorCameMs = null;
    this.#outbox.forgetConnection();
    this.#conversation.disconnected(this.#environment.nowMs(), keepUnsent);
    this.#interrupts.settle(() => false);
    this.#contexts.disconnected();
    this.#timeline.connected(false, this.#environment.nowMs());
    if (!keepUnsent) {
      this.#bargeIn = null;
      this.#models.stop(null);
      this.#contextsToOpen.clear();
      this.#framesToSend = [];
    }
  }

  /** Sends what may be sent now. */
  #send(): void {
    this.#outbox.send(this.#endpoint);
  }

  /** Turns that wait are sent on the next connection. */
  #renewConnection(): void {
    this.#openKeptAgain();
    this.#connection.drop();
    this.#forgetConnection(true);
    this.#connection.reopen();
  }

  /** What is wanted open is opened on the next connection without anyone speaking. */
  #openKeptAgain(): void {
    for (const context of this.#contexts.keptOpen) this.#contextsToOpen.add(context);
  }

  #encode(intent: Intent, turn: Turn | null = null): void {
    const context = ('context' in intent && intent.context) || null;
    const note = { kind: intent.kind, context, turn: turn?.id ?? null };
    const frames = this.#wire.encode(intent);
    if (!this.isReplay) for (const frame of frames) this.#connection.send(frame, note);
    if ('context' in intent && intent.context !== null) this.#contexts.touched(intent.context);
    this.#publisher.changed('connection');
  }

  #sent(turn: Turn, kind: 'say' | 'flush' | 'endTurn', chars: number): void {
    this.#marks.add(kind === 'say' ? 'text' : 'flush', this.#environment.nowMs(), {
      context: turn.context,
      turn: turn.id,
      amount: chars,
      ...this.#lastFrame,
    });
    this.#publisher.turnChanged(turn);
  }

  /** For a mark of the frame that was recorded last. */
  get #lastFrame(): Pick<Mark, 'frame'> {
    const frame = this.#connection.recorder.lastNumber;
    return frame === undefined ? {} : { frame };
  }

  /** Audio of a turn has arrived. */
  #heardOf(turn: Turn, event: AudioEvent, atMs: number): void {
    const { samples, leadingSilence } = this.#playback.receive(turn, event, atMs);
    turn.audio({
      chunk: event.chunk,
      samples,
      leadingSilence,
      sampleRate: event.sampleRate,
      bytes: this.#frameBytes,
      arrivedMs: atMs,
      queuedMs: this.#environment.nowMs(),
    });
    const { context, id } = turn;
    const amount = (samples / event.sampleRate) * 1000;
    this.#marks.add('audio', atMs, { context, turn: id, amount, ...this.#decodedFrame });
    this.#timeline.received(turn, this.#playback.samplesOf(turn), this.#playback.floorMsOf(context), atMs);
    this.#contexts.received(context, samples / event.sampleRate);
    this.#publisher.turnChanged(turn);
    this.#tick();
  }

  #turnEnded(turn: Turn): void {
    this.#playback.complete(turn);
    this.#timeline.ended(turn);
    // Nothing of it can be taken off the player; what still comes for it comes too late.
    if (turn.state === 'cancelled' && turn.sent && turn.samples === 0 && turn.dropped === null) {
      const atMs = this.#environment.nowMs();
      turn.dropped = { atMs, why: 'cancel' };
      this.#connection.recorder.played({ kind: 'heard', turn }, atMs);
    }
    // A model goes on with its text in another turn only where the server has ended the last one gracefully.
    if (turn.state !== 'ended' && turn.origin === 'simulated') this.#models.abandon(turn);
    this.#publisher.changed('totals');
    this.#tick();
  }

  /** Reads the player as long as it plays. */
  #tick(): void {
    if (this.#isTicking) return;
    this.#playback.update();
    this.#askForOutput();
    this.#tellHearing();
    if (!this.#playback.isBusy) return;
    this.#isTicking = true;
    this.#environment.after(TICK_MS, () => {
      this.#isTicking = false;
      this.#tick();
    });
  }

  #tellHearing(): void {
    const nowMs = this.#environment.nowMs();
    const { beingHeard } = this.#playback;
    if (beingHeard.length === 0 || nowMs - this.#toldHearingMs < TELL_HEARING_EVERY_MS) return;
    this.#toldHearingMs = nowMs;
    this.#connection.recorder.hearing(beingHeard);
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
        billing: turn.billing,
      })),
      this.#contexts.bills,
    );
  }
}
