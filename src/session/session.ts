import type { Clock } from '#lib/clock.ts';
import type { Tracks } from '#player/track-opener.ts';
import type { TrackPort } from '#player/worklet-messages.ts';
import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import type { Settings } from '#protocol/core/endpoint.ts';
import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import type { ChatStreamer } from '#text/chat/stream-chat.ts';
import { tokenize } from '#text/tokens.ts';
import type { FaultReport } from '#trace/capture-messages.ts';
import { mainEvent, noteOf } from '#trace/recorded-event.ts';
import type { SessionCommand, Target } from './commands.ts';
import { describeLoss } from './connection-loss.ts';
import { type ConnectionEvents, Connections } from './connections.ts';
import type { Link, SessionEnvironment } from './link.ts';
import { debtOf, LivenessWatchdog } from './liveness-watchdog.ts';
import { ReceivedAudio } from './playback/received-audio.ts';
import { SessionPlayback } from './playback/session-playback.ts';
import { Publisher } from './publisher.ts';
import { type RecordedFrame, Recorder } from './recorder/recorder.ts';
import type { Closing, Route } from './route.ts';
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
 * - sending: `Speaking` and `Stopping` → `Outbox` (with `Cancels`, `Contexts` and `Models`) → the ready `Link` of the speaker's
 *   `Route`, which `Connections` picks → socket. `FollowedFrames` are those that the outbox did not make.
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
        connection: () => connections.view,
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
        const { routes } = this.connections;
        const isOpening = ({ state, ready }: Route): boolean => state === 'open' && ready === null;
        const owing = this.#leaving[0] ?? routes.find(isOpening) ?? routes[0];
        if (!owing) return null;
        const { state, sinceMs, ready } = owing;
        const connection = { state, sinceMs, isReady: ready !== null, isLeaving: this.#leaving.length > 0 };
        return debtOf(connection, this.conversation.owedTurn);
      },
      warn: (problem) => publisher.problem(problem),
      dismiss: (id) => publisher.dismissProblems([id]),
      warned: () => {
        for (const route of this.#leaving) this.#leave(route);
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
      this.#dropUnused();
    },
    settings: ({ settings }) => {
      this.connections.wanted = settings;
      this.#dropUnused();
    },
    attachPlayer: ({ port, sampleRate }) => this.playback.attach(port, sampleRate),
    detachPlayer: () => this.playback.detach(),
    attachRecordings: ({ port }) => {
      this.recorder.attach(port);
      port.onmessage = ({ data }: MessageEvent<FaultReport>) => this.connections.faultReported(data);
    },
    endRecording: () => this.recorder.end(),
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
      this.#dropUnused();
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
    takeSamples: ({ turn: id, port }) => {
      const turn = this.conversation.turns.find((candidate) => candidate.id === id);
      port.postMessage((turn && this.playback.storeOf(turn)?.slice()) ?? null);
    },
    dismissProblems: ({ ids }) => this.publisher.dismissProblems(ids),
  };

  readonly #connectionEvents: ConnectionEvents = {
    changed: () => this.publisher.changed('connection'),
    opened: (route, link) => {
      this.conversation.opened(link, link.dialect);
      this.outbox.opened(route, link);
      this.contexts.openWanted(route);
      this.#sendWaiting();
      this.#watch();
    },
    received: (link, frame) => this.#received(link, frame),
    closed: (route, link, closing) => this.#closed(route, link, closing),
    draining: (link) => {
      this.conversation.startDraining(link);
      this.#expectClose(link);
    },
    drained: (link, closing) => {
      this.#passEnd(link, closing);
      const lost = this.conversation.disconnected(link, this.#network.nowMs());
      if (lost && !closing.asked) this.#reportLoss(closing, lost);
      this.#goOn();
    },
    abandoned: (link) => {
      this.conversation.disconnected(link, this.#network.nowMs());
      this.#goOn();
    },
    dropped: (route, link, carried) => {
      const keepsUnsent = carried !== 'nothing';
      const nowMs = this.#network.nowMs();
      const isOfRoute = (settings: Settings): boolean => this.connections.routeWith(settings) === route;
      this.#watchdog.ended();
      this.outbox.disconnected(route, link, keepsUnsent);
      if (link) this.conversation.disconnected(link, nowMs);
      if (!keepsUnsent) this.conversation.loseUnsent(nowMs, ({ settings }) => isOfRoute(settings));
      this.outbox.cancels.settle();
      this.contexts.disconnected(route, link, carried);
      if (this.connections.links.length > 0) this.#watch();
      if (keepsUnsent) return;
      this.followed.dropWaiting(route);
      this.#models.stopThose((context) =>
        isOfRoute(this.conversation.openTurn(context)?.settings ?? this.connections.settingsOf(context)),
      );
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
    ended: (turn) => {
      for (const link of this.connections.links) if (link === turn.connection) this.#expectClose(link);
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
      if (event.type === 'audio' || event.type === 'turnEnded') this.connections.routeOf(link)?.proven();
      // The server may end a connection by an error that nobody has used.
      if (event.type === 'error' && link.isSpare) continue;
      const own = this.#noteContext(event, frame.number) ? this.#pass(event, frame, link) : null;
      if (event === main) turn = own;
    }
    if (main) link.recorder.understood(frame, noteOf(main, turn));
    link.reply();
    this.#goOn();
  }

  /** Returns whether to retry. After an error frame most servers would only repeat the error. */
  #closed(route: Route, link: Link, closing: Closing): boolean {
    this.#passEnd(link, closing);
    const { connections, contexts, conversation, outbox } = this;
    const { code, asked, mayRetry } = closing;
    const { isSpare } = link;
    const waiting = outbox.waitingFor(route);
    const isAnswer = link.errorMs !== null && this.#network.nowMs() - link.errorMs < CONSEQUENCE_MS;
    const retry = mayRetry && !isSpare && (!isAnswer || connections.endpoint.retriesAfterErrors);
    const endsTurn = link.hasTurn && link.dialect.traits.turnEnd === 'connection';
    const isExpected = asked || isSpare || (endsTurn && code === CLOSE_CODES.normal);
    const reopen = isExpected && (waiting.length > 0 || contexts.hasWanted(route));
    const lost = conversation.inFlightOn(link)[0] ?? (retry ? undefined : waiting[0]);
    const keepsUnsent = reopen || isSpare;
    this.#connectionEvents.dropped(
      route,
      link,
      retry ? 'unsentAndContexts' : keepsUnsent ? 'unsent' : 'nothing',
    );
    // The close after an error frame only repeats it, and an idle connection that is retried needs no message.
    if (!isAnswer && !asked && !keepsUnsent && (lost || (!retry && code !== CLOSE_CODES.normal))) {
      this.#reportLoss(closing, lost ?? null);
    }
    if (reopen) route.open();
    return retry;
  }

  /** Where the server only has to close a connection, which takes no more text and whose turn is over. */
  #expectClose(link: Link): void {
    if (!this.conversation.isSpeakingOn(link)) this.connections.routeOf(link)?.expectClose(link);
  }

  /** Closes connections whose voice no speaker and no waiting turn has. */
  #dropUnused(): void {
    const { connections, conversation } = this;
    connections.dropUnused(conversation.waiting, (link) => conversation.isSpeakingOn(link));
  }

  #reportLoss(closing: Closing, lost: Turn | null): void {
    const words = describeLoss(closing, lost !== null, this.connections.address);
    this.publisher.problem({ turn: lost?.id ?? null, severity: 'error', ...words, isForSender: true });
  }

  /** A frame or the end of a connection may have ended a wait. */
  #goOn(): void {
    this.outbox.cancels.settle();
    this.#dropUnused();
    this.#sendWaiting();
    if (!this.isReplay) this.#watchdog.heard();
  }

  #sendWaiting(): void {
    this.followed.sendWaiting();
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
  #leave(route: Route): void {
    const isWanted = this.outbox.waitingFor(route).length > 0 || this.contexts.hasWanted(route);
    route.drop(isWanted ? 'unsent' : 'nothing');
    if (isWanted) route.open();
  }

  /** Only the server's close is awaited of them. */
  get #leaving(): readonly Route[] {
    const { owedTurn } = this.conversation;
    return this.connections.routes.filter(
      ({ link, state }) => state === 'closing' && (link !== null || !owedTurn),
    );
  }
}
