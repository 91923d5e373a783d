import type { Clock } from '#lib/clock.ts';
import type { Tracks } from '#player/track-opener.ts';
import type { TrackPort } from '#player/worklet-messages.ts';
import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import type { FaultReport } from '#record/capture-messages.ts';
import { mainEvent, noteOf } from '#record/recorded-event.ts';
import type { ChatStreamer } from '#text/chat/stream-chat.ts';
import { tokenize } from '#text/tokens.ts';
import type { SessionCommand, Target } from './commands.ts';
import { describeLoss } from './connection-loss.ts';
import { type Closing, type ConnectionEvents, Connections } from './connections.ts';
import type { Link, SessionEnvironment } from './link.ts';
import { debtOf, LivenessWatchdog } from './liveness-watchdog.ts';
import { ReceivedAudio } from './playback/received-audio.ts';
import { SessionPlayback } from './playback/session-playback.ts';
import { Publisher } from './publisher.ts';
import { type RecordedFrame, Recorder } from './recorder/recorder.ts';
import { INTERRUPT_WAIT_MS } from './sending/cancels.ts';
import { type ContextEvents, Contexts } from './sending/contexts.ts';
import { FollowedFrames } from './sending/followed-frames.ts';
import { streamWhenLoaded } from './sending/live-model-source.ts';
import { Models } from './sending/models.ts';
import { Outbox, type OutboxEvents } from './sending/outbox.ts';
import type { Tokenizer } from './sending/simulated-model-source.ts';
import { Speaking } from './sending/speaking.ts';
import { Stopping } from './sending/stopping.ts';
import { Conversation, type ConversationEvents } from './turns/conversation.ts';
import { sessionTotals } from './turns/totals.ts';
import type { Turn } from './turns/turn.ts';
import type { SessionUpdate } from './views.ts';

export interface EndpointSessionOptions {
  environment: SessionEnvironment;
  report: (update: SessionUpdate) => void;
  tokens?: Tokenizer;
  chat?: ChatStreamer;
  /** Opens tracks over the output's port. */
  openTracks?: (port: TrackPort) => Tracks;
  /** Makes the session a replay on these simulated sockets. Only a `ClientReplayer` sends. */
  replayed?: SessionEnvironment;
  /** Frames that waited for a decoder have been handled, so that a replay goes on. */
  caughtUp?: () => void;
}

type CommandOf<Type> = Extract<SessionCommand, { type: Type }>;

/** A server that closes because of an error does so within this time after the error frame. */
const CONSEQUENCE_MS = 2000;

/** Characters of a model's token that its mark keeps. */
const MAX_MARK_CHARS = 60;

/**
 * One conversation with one endpoint. It knows no vendor, no DOM and no React. Its parts know only the parts below them, and
 * tell it what happened; it alone acts on that. Everything goes one way:
 *
 * - sending: `Speaking` and `Stopping` → `Outbox` (with `Cancels`, `Contexts` and `Models`) → the ready `Link` of `Connections` →
 *   socket. `FollowedFrames` are those that the outbox did not make.
 * - receiving: socket → `Link` → dialect → `Conversation`
 * - playing: `ReceivedAudio` → `Feeder` of the speaker → audio thread; `SessionPlayback` decides what is heard and when
 *
 * The recorder gets every frame in `Link`. The publisher reports all changes to the page.
 */
export class EndpointSession {
  readonly isReplay: boolean;
  readonly recorder: Recorder;
  readonly connections: Connections;
  readonly conversation: Conversation;
  readonly contexts: Contexts;
  readonly outbox: Outbox;
  readonly followed: FollowedFrames;
  readonly playback: SessionPlayback;
  readonly publisher: Publisher;
  readonly stopping: Stopping;
  readonly #clock: Clock;
  /** Sockets and their clock, which are simulated in a replay. */
  readonly #network: SessionEnvironment;
  readonly #audio: ReceivedAudio;
  readonly #models: Models;
  readonly #watchdog: LivenessWatchdog;
  readonly #speaking: Speaking;
  readonly #caughtUp: () => void;

  constructor({
    environment,
    report,
    tokens = tokenize,
    chat = streamWhenLoaded,
    openTracks,
    replayed,
    caughtUp = () => {},
  }: EndpointSessionOptions) {
    this.#caughtUp = caughtUp;
    const clock = environment;
    const network = replayed ?? environment;
    const isReplay = replayed !== undefined;
    this.isReplay = isReplay;
    this.#clock = clock;
    this.#network = network;
    const recorder = new Recorder(environment);
    const publisher = new Publisher(
      { clock, network, clean: (text) => recorder.words(text), report },
      {
        connection: () => connections.view(),
        totals: () => sessionTotals(conversation.turns, contexts.bills),
        contexts: () => contexts.view(),
        envelopes: () => audio.takeEnvelopes(),
        player: () => playback.view(),
        wantedSampleRate: () => playback.requestedSampleRate ?? undefined,
        source: () => models.view(),
      },
    );
    const connections = new Connections({ network, recorder, isReplay, events: this.#connectionEvents });
    const conversation = new Conversation(this.#conversationEvents);
    const contexts = new Contexts({ network, connections, conversation, events: this.#contextEvents });
    const models = new Models({
      clock,
      changed: () => publisher.changed('source'),
      failed: (fault) => publisher.problem({ turn: null, ...fault }),
    });
    const playback = new SessionPlayback({
      clock,
      publisher,
      recorder,
      openTracks,
      cutOff: (turn) => this.stopping.interrupt(turn),
      comesBefore: (turn) => conversation.comesBefore(turn),
    });
    const audio = new ReceivedAudio({ network, playback, publisher });
    const outbox = new Outbox({
      network,
      isReplay,
      connections,
      contexts,
      conversation,
      isSilent: () => this.#watchdog.isNoticed,
      events: this.#outboxEvents,
    });
    this.followed = new FollowedFrames({ network, isReplay, connections, contexts, conversation, outbox });
    const parts = { clock, conversation, models, outbox, playback, recorder };
    this.stopping = new Stopping({ ...parts, network, publisher });
    this.#speaking = new Speaking(parts, tokens, chat);
    this.#watchdog = new LivenessWatchdog({
      clock: network,
      debt: () => {
        const { state, sinceMs, ready } = this.connections;
        const connection = { state, sinceMs, isReady: ready !== null, isLeaving: this.#isLeaving };
        return debtOf(connection, this.conversation.owedTurn);
      },
      warn: (problem) => publisher.problem(problem),
      dismiss: (id) => publisher.dismissProblems([id]),
      warned: () => {
        if (this.#isLeaving) this.#leave();
      },
    });
    this.#models = models;
    this.recorder = recorder;
    this.publisher = publisher;
    this.connections = connections;
    this.conversation = conversation;
    this.contexts = contexts;
    this.outbox = outbox;
    this.playback = playback;
    this.#audio = audio;
  }

  handle(command: SessionCommand): void {
    // The handlers are typed by command, which the look-up loses.
    const handler = this.#handlers[command.type] as (command: SessionCommand) => void;
    handler(command);
  }

  readonly #handlers: { [Type in SessionCommand['type']]: (command: CommandOf<Type>) => void } = {
    target: ({ target, settings }) => {
      this.connections.wanted = settings;
      if (!this.connections.isAimedAt(target)) this.#aim(target);
    },
    settings: ({ settings }) => {
      this.connections.wanted = settings;
    },
    attachPlayer: ({ port, sampleRate }) => this.playback.attach(port, sampleRate),
    detachPlayer: () => this.playback.detach(),
    attachRecordings: ({ port }) => {
      this.recorder.attach(port);
      port.onmessage = ({ data }: MessageEvent<FaultReport>) => this.connections.faultReported(data);
    },
    anchor: ({ anchor }) => this.playback.anchor(anchor),
    connect: () => this.connections.open(),
    speak: ({ text }) => this.#speaking.speak(text),
    say: ({ text, origin }) => this.#speaking.say(text, origin),
    simulate: ({ text, profile, seed }) => this.#speaking.simulate(text, profile, seed),
    ask: (question) => this.#speaking.ask(question),
    flush: () => this.#speaking.flush(),
    endTurn: () => this.#speaking.endText('endTurn'),
    sendFrame: ({ frame }) => this.followed.sendByHand(frame),
    cancel: ({ context = null, pressedMs }) => this.stopping.cancel(context, pressedMs),
    talkOver: ({ speech }) => this.stopping.talkOver(speech),
    speakers: ({ speakers }) => {
      this.contexts.speakers = speakers;
      // No settings are left to open the context of a removed speaker with.
      const isOrphan = ({ context, line }: Turn): boolean =>
        line !== null && this.contexts.speaker(context) === undefined;
      if (this.connections.endpoint.contexts) this.outbox.cancelUnsent(isOrphan);
    },
    perform: ({ lines, source, closeAfter }) => this.#speaking.perform(lines, source, closeAfter),
    listen: ({ listening, pauseMs }) => {
      if (this.connections.endpoint.contexts) {
        const action = { kind: 'listening', turn: null, context: null, listening, pauseMs } as const;
        this.recorder.acted(action, this.#clock.nowMs());
      }
      this.playback.listen(listening, pauseMs);
    },
    openContext: ({ context }) => this.contexts.open(context),
    closeContext: ({ context, immediate }) => {
      if (immediate) this.stopping.dropContext(context);
      this.contexts.close(context, immediate);
    },
    disconnect: () => this.stopping.disconnect(),
    repeat: ({ turn: id, fromSample }) => {
      const turn = this.conversation.turns.find((candidate) => candidate.id === id);
      if (turn?.repeatable && this.conversation.inFlight.length === 0) this.playback.repeat(turn, fromSample);
    },
    stopRepeat: () => this.playback.repeatStopped(),
    dismissProblems: ({ ids }) => this.publisher.dismissProblems(ids),
  };

  readonly #connectionEvents: ConnectionEvents = {
    changed: () => this.publisher.changed('connection'),
    opened: (link) => {
      this.conversation.opened(link.dialect);
      this.outbox.opened(link);
      this.contexts.openWanted();
      this.#sendWaiting();
      this.#watch();
    },
    received: (link, frame) => this.#received(link, frame),
    closed: (link, closing) => this.#closed(link, closing),
    draining: (link) => {
      const isOver = !this.conversation.isSpeaking;
      this.conversation.startDraining(link);
      if (isOver) this.connections.expectClose(link);
    },
    drained: (link, closing) => {
      this.#passEnd(link, closing);
      const lost = this.conversation.drained(link, this.#network.nowMs());
      if (lost && !closing.asked) this.#reportLoss(closing, lost);
      this.#goOn();
    },
    abandoned: (link) => {
      this.conversation.drained(link, this.#network.nowMs());
      this.#goOn();
    },
    dropped: (carried) => {
      const keepsUnsent = carried !== 'nothing';
      this.#watchdog.ended();
      this.outbox.disconnected(keepsUnsent);
      this.conversation.disconnected(this.#network.nowMs(), keepsUnsent);
      this.outbox.cancels.settle();
      this.contexts.disconnected(carried);
      if (keepsUnsent) return;
      this.followed.dropWaiting();
      this.#models.stop(null);
    },
    caughtUp: () => this.#caughtUp(),
    closing: () => this.#watch(),
    marked: (kind, atMs) => this.publisher.mark(kind, atMs),
    faulted: (text, atMs, frame) => this.publisher.mark('fault', atMs, { text, frame }),
  };

  readonly #conversationEvents: ConversationEvents = {
    begun: (turn) => {
      this.#noteQuestion(turn);
      this.publisher.changed('totals');
      this.publisher.turnChanged(turn);
    },
    changed: (turn) => this.publisher.turnChanged(turn),
    ended: (turn, draining) => {
      if (draining) this.connections.expectClose(draining);
      this.playback.turnEnded(turn);
      this.#audio.ended(turn);
      this.#models.turnEnded(turn);
      this.publisher.changed('totals');
    },
    problem: (problem) => this.publisher.problem(problem),
  };

  readonly #contextEvents: ContextEvents = {
    changed: () => this.publisher.changed('contexts'),
    billed: () => this.publisher.changed('totals'),
    marked: (kind, context) => this.publisher.mark(kind, this.#network.nowMs(), { context }),
    opening: (context) => this.playback.contextOpening(context),
    opened: () => this.outbox.send(),
    ended: (context) => this.playback.contextEnded(context),
  };

  readonly #outboxEvents: OutboxEvents = {
    written: (turn, text) => {
      this.playback.prepare(turn);
      this.#noteToken(turn, text);
      this.publisher.turnChanged(turn);
    },
    sent: (turn, kind, amount, frame) => {
      const { context, id } = turn;
      const mark = { context, turn: id, amount, frame };
      this.publisher.mark(kind === 'say' ? 'text' : 'flush', this.#network.nowMs(), mark);
      this.publisher.turnChanged(turn);
      if (kind !== 'say') this.#watch();
    },
    changed: (turn) => this.publisher.turnChanged(turn),
    overdue: () =>
      this.publisher.problem({
        turn: null,
        severity: 'warning',
        title: 'The cancel was not confirmed',
        detail: `The server did not answer within ${INTERRUPT_WAIT_MS / 1000} s.`,
        remedy:
          'Old speech stays silent until you speak again. Disconnect first if it must not come back then.',
      }),
  };

  #aim(target: Target): void {
    this.stopping.leaveServer();
    this.connections.aim(target);
    this.conversation.speakWith(this.connections.endpoint);
    this.contexts.speakWith(this.connections.endpoint);
    this.playback.speakWith(target);
    this.publisher.changed('totals');
  }

  #received(link: Link, frame: RecordedFrame): void {
    const events = link.dialect.decode(frame.frame);
    const main = mainEvent(events);
    let turn: Turn | null = null;
    for (const event of events) {
      // An error that skips one chunk does not announce a close.
      link.errorMs = event.type === 'error' && event.chunk === undefined ? frame.atMs : null;
      if (event.type === 'audio' || event.type === 'turnEnded') this.connections.proven();
      const own = this.#noteContext(event, frame.number) ? this.#pass(event, frame, link) : null;
      if (event === main) turn = own;
    }
    if (main) link.recorder.understood(frame, noteOf(main, turn));
    link.reply();
    this.#goOn();
  }

  /** Returns whether to retry. After an error frame most servers would only repeat the error. */
  #closed(link: Link, closing: Closing): boolean {
    this.#passEnd(link, closing);
    const { connections, contexts, conversation, outbox } = this;
    const { code, asked, mayRetry } = closing;
    const { current } = conversation;
    const isAnswer = link.errorMs !== null && this.#network.nowMs() - link.errorMs < CONSEQUENCE_MS;
    const retry = mayRetry && (!isAnswer || connections.endpoint.retriesAfterErrors);
    // Text that waited for the end of this connection is sent on the next.
    const waits = this.isReplay ? current.some((turn) => !turn.sent) : outbox.hasUnsentTurns;
    const endsTurn = link.hasTurn && link.dialect.traits.turnEnd === 'connection';
    const isExpected = asked || (endsTurn && code === CLOSE_CODES.normal);
    const reopen = isExpected && (waits || contexts.hasWanted);
    const lost = current.find((turn) => turn.sent) ?? (retry ? undefined : current[0]);
    this.#connectionEvents.dropped(retry ? 'unsentAndContexts' : reopen ? 'unsent' : 'nothing');
    // The close after an error frame only repeats it, and an idle connection that is retried needs no message.
    if (!isAnswer && !asked && !reopen && (lost || (!retry && code !== CLOSE_CODES.normal))) {
      this.#reportLoss(closing, lost ?? null);
    }
    if (reopen) connections.open();
    return retry;
  }

  #reportLoss(closing: Closing, lost: Turn | null): void {
    const words = describeLoss(closing, lost !== null, this.connections.address);
    this.publisher.problem({ turn: lost?.id ?? null, severity: 'error', ...words, isForSender: true });
  }

  /** A frame or the end of a connection may have ended a wait. */
  #goOn(): void {
    this.outbox.cancels.settle();
    this.#sendWaiting();
    if (!this.isReplay) this.#watchdog.heard();
  }

  #sendWaiting(): void {
    if (this.connections.ready) this.followed.sendWaiting();
    this.outbox.send();
  }

  /** Passes on what the end of a connection means, unless this side has ended it. */
  #passEnd(link: Link, { code, reason, asked }: Closing): void {
    if (asked) return;
    const frame = { atMs: this.#network.nowMs(), bytes: 0, frame: '', number: undefined, entry: null };
    for (const event of link.dialect.closed?.(code, reason) ?? []) {
      if (this.#noteContext(event, undefined)) this.#pass(event, frame, link);
    }
  }

  /** Returns false where the event does not concern the turns of its context. */
  #noteContext(event: SpeechEvent, frame: number | undefined): boolean {
    const { contexts, publisher } = this;
    if (event.type === 'error') {
      publisher.mark('error', this.#network.nowMs(), { context: event.context, frame });
    }
    if (!('context' in event) || event.context === null) return true;
    const { context } = event;
    if (event.type === 'contextClosed') return contexts.closed(context, event.usage);
    if (event.type === 'error') {
      contexts.refused(context);
      return true;
    }
    contexts.opened(context);
    contexts.touched(context);
    return true;
  }

  /** Returns the turn of the event. */
  #pass(event: SpeechEvent, frame: RecordedFrame, link: Link): Turn | null {
    const { contexts, conversation, playback } = this;
    const mayBegin = !('context' in event && event.context !== null && contexts.isClosed(event.context));
    const { turn, isLate } = conversation.receive(event, frame.atMs, mayBegin, link);
    if (!turn || isLate) return turn;
    if (event.type === 'audio') contexts.received(turn.context, this.#audio.receive(turn, event, frame));
    else if (event.type === 'audioEnded') playback.complete(turn);
    return turn;
  }

  /** Notes and marks that a turn begins with a question. */
  #noteQuestion({ id, context, answer }: Turn): void {
    if (!answer || answer.turn !== null) return;
    answer.turn = id;
    this.publisher.mark('asked', answer.askedMs, { context, turn: id });
  }

  /** Notes and marks a token of the answer that a turn speaks; nothing for any other turn. */
  #noteToken({ id, context, answer }: Turn, token: string): void {
    const nowMs = this.#network.nowMs();
    answer?.token(token, nowMs);
    const text = token.slice(0, MAX_MARK_CHARS);
    if (answer) this.publisher.mark('token', nowMs, { context, turn: id, amount: token.length, text });
  }

  #watch(): void {
    if (!this.isReplay) this.#watchdog.asked();
  }

  /** Ends a connection that only the close of the server would end. Text that waits for its end goes to the next one. */
  #leave(): void {
    const isWanted = this.outbox.hasUnsentTurns || this.contexts.hasWanted;
    this.connections.drop(isWanted ? 'unsent' : 'nothing');
    if (isWanted) this.connections.open();
  }

  /** Nothing but the close of the server is awaited. */
  get #isLeaving(): boolean {
    const { connections, conversation } = this;
    return connections.state === 'closing' && (connections.link !== null || !conversation.owedTurn);
  }
}
