import type { Clock } from '#lib/clock.ts';
import type { Tracks } from '#player/track-opener.ts';
import type { TrackPort } from '#player/worklet-messages.ts';
import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import type { Endpoint, Settings } from '#protocol/core/endpoint.ts';
import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import type { ChatStreamer } from '#text/chat/stream-chat.ts';
import { tokenize } from '#text/tokens.ts';
import type { FaultReport } from '#trace/capture-messages.ts';
import { mainEvent, noteOf, ownerOf } from '#trace/recorded-event.ts';
import type { SessionCommand, Target } from './commands.ts';
import { describeLoss } from './connection-loss.ts';
import { type ConnectionEvents, Connections } from './connections.ts';
import type { Link, SessionEnvironment } from './link.ts';
import { debtOf, LivenessWatchdog } from './liveness-watchdog.ts';
import { MeasuredWords, type OpenWordSearcher } from './measuring/measured-words.ts';
import { ReceivedAudio } from './playback/received-audio.ts';
import { SessionPlayback } from './playback/session-playback.ts';
import { Publisher } from './publisher.ts';
import { type RecordedFrame, Recorder } from './recorder/recorder.ts';
import type { Closing, Route } from './route.ts';
import { type ContextEvents, Contexts } from './sending/contexts.ts';
import { FollowedFrames } from './sending/followed-frames.ts';
import { streamWhenLoaded } from './sending/live-model-source.ts';
import { Models } from './sending/models.ts';
import { Outbox, type OutboxEvents } from './sending/outbox.ts';
import type { Tokenizer } from './sending/simulated-model-source.ts';
import { Speaking } from './sending/speaking.ts';
import { Stopping } from './sending/stopping.ts';
import { Conversation, type ConversationEvents } from './turns/conversation.ts';
import type { SessionTurn } from './turns/session-turn.ts';
import { sessionTotals } from './turns/totals.ts';
import type { ConnectionState, SessionUpdate } from './views.ts';

export interface EndpointSessionOptions {
  environment: SessionEnvironment;
  report: (update: SessionUpdate) => void;
  tokens?: Tokenizer;
  chat?: ChatStreamer;
  /** Searches words in the sound of speech without word times; without it these are estimated alone. */
  openWordSearcher?: OpenWordSearcher;
  /** Opens tracks over the output's port. */
  openTracks?: (port: TrackPort) => Tracks;
  /** Makes the session a replay on these simulated sockets. Only a `ClientReplayer` sends. */
  replayed?: SessionEnvironment;
  /** Frames that waited for a decoder have been handled, so that a replay goes on. */
  caughtUp?: () => void;
}

/** The parts by which a replay repeats what was recorded. */
export interface ReplayedParts {
  connections: Connections;
  contexts: Contexts;
  conversation: Conversation;
  followed: FollowedFrames;
  measuring: MeasuredWords;
  outbox: Outbox;
  playback: SessionPlayback;
  recorder: Recorder;
  stopping: Stopping;
}

interface SessionParts extends ReplayedParts {
  audio: ReceivedAudio;
  models: Models;
  publisher: Publisher;
  speaking: Speaking;
  watchdog: LivenessWatchdog;
}

type CommandOf<Type> = Extract<SessionCommand, { type: Type }>;

/** A server that closes because of an error does so within this time after the error frame. */
const CONSEQUENCE_MS = 2000;

/** Characters of a model's token that its mark keeps. */
const MAX_MARK_CHARS = 60;

/**
 * One conversation with one endpoint. It knows no vendor, no DOM and no React. Its parts know only the parts below them. They
 * report views to the publisher and what happened to the session, which alone acts on it. Everything goes one way:
 *
 * - sending: `Speaking` and `Stopping` → `Outbox` (with `Cancels`, `Contexts` and `Models`) → the ready `Link` of the speaker's
 *   `Route`, which `Connections` picks → socket. `FollowedFrames` are those that the outbox did not make.
 * - receiving: socket → `Link` → dialect → `Conversation`
 * - playing: `ReceivedAudio` → `Feeder` of the speaker → audio thread; `SessionPlayback` decides what is heard and when
 *
 * The recorder gets every frame in `Link`. The publisher reports all changes to the page.
 */
export class EndpointSession {
  readonly #parts: SessionParts;
  readonly #clock: Clock;
  /** Sockets and their clock, which are simulated in a replay. */
  readonly #network: SessionEnvironment;
  readonly #caughtUp: () => void;

  constructor({
    environment,
    report,
    tokens = tokenize,
    chat = streamWhenLoaded,
    openWordSearcher,
    openTracks,
    replayed,
    caughtUp = () => {},
  }: EndpointSessionOptions) {
    this.#caughtUp = caughtUp;
    const clock = environment;
    const network = replayed ?? environment;
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
    const connections = new Connections({ network, recorder, publisher, events: this.#connectionEvents });
    const conversation = new Conversation(publisher, this.#conversationEvents);
    const contexts = new Contexts({
      network,
      connections,
      conversation,
      publisher,
      events: this.#contextEvents,
    });
    const models = new Models({ clock, publisher });
    const playback = new SessionPlayback({
      clock,
      publisher,
      recorder,
      openTracks,
      conversation,
      cutOff: (turn) => stopping.interrupt(turn),
    });
    const audio = new ReceivedAudio({ network, playback, publisher });
    const measuring = new MeasuredWords({
      open: openWordSearcher ?? null,
      storeOf: (turn) => playback.storeOf(turn),
      found: (turn, words) => {
        publisher.turnChanged(turn);
        if (words.isFinal) recorder.played({ kind: 'measured', turn, words }, network.nowMs());
      },
    });
    const outbox = new Outbox({
      network,
      connections,
      contexts,
      conversation,
      publisher,
      isSilent: () => watchdog.isNoticed,
      events: this.#outboxEvents,
    });
    const followed = new FollowedFrames({ connections, contexts, conversation, outbox });
    const speech = { clock, conversation, models, outbox, playback, recorder };
    const stopping = new Stopping({ ...speech, network, publisher });
    const speaking = new Speaking(speech, tokens, chat);
    const watchdog = new LivenessWatchdog({
      clock: network,
      publisher,
      debt: () => {
        const { routes } = connections;
        const isOpening = ({ state, ready }: Route): boolean => state === 'open' && ready === null;
        const owing = this.#leaving[0] ?? routes.find(isOpening) ?? routes[0];
        if (!owing) return null;
        const { state, sinceMs, ready } = owing;
        const connection = { state, sinceMs, isReady: ready !== null, isLeaving: this.#leaving.length > 0 };
        return debtOf(connection, conversation.owedTurn);
      },
      warned: () => {
        for (const route of this.#leaving) this.#leave(route);
      },
    });
    const replayable = {
      connections,
      contexts,
      conversation,
      followed,
      measuring,
      outbox,
      playback,
      recorder,
      stopping,
    };
    this.#parts = { ...replayable, audio, models, publisher, speaking, watchdog };
  }

  /** Opens a session that repeats a recording, with the parts by which its replay acts for a person and for the server. */
  static replayed(options: EndpointSessionOptions & { replayed: SessionEnvironment }): {
    session: EndpointSession;
    parts: ReplayedParts;
  } {
    const session = new EndpointSession(options);
    return { session, parts: session.#parts };
  }

  get endpoint(): Endpoint {
    return this.#parts.connections.endpoint;
  }

  /** The state of its connection now, which reports show a frame later. */
  get state(): ConnectionState {
    return this.#parts.connections.state;
  }

  /** Frames that came wait for a decoder. */
  get isWaiting(): boolean {
    return this.#parts.connections.isWaiting;
  }

  /** Something is spoken or heard, or is about to be. */
  get isBusy(): boolean {
    return this.#parts.conversation.inFlight.length > 0 || this.#parts.playback.isBusy;
  }

  handle(command: SessionCommand): void {
    // The handlers are typed by command, which the look-up loses.
    const handler = this.#handlers[command.type] as (command: SessionCommand) => void;
    handler(command);
  }

  readonly #handlers: { [Type in SessionCommand['type']]: (command: CommandOf<Type>) => void } = {
    target: ({ target, settings }) => {
      this.#parts.connections.wanted = settings;
      if (!this.#parts.connections.isAimedAt(target)) this.#aim(target);
      this.#dropUnused();
    },
    settings: ({ settings }) => {
      this.#parts.connections.wanted = settings;
      this.#dropUnused();
    },
    attachPlayer: ({ port, sampleRate }) => this.#parts.playback.attach(port, sampleRate),
    detachPlayer: () => this.#parts.playback.detach(),
    attachRecordings: ({ port }) => {
      this.#parts.recorder.attach(port);
      port.onmessage = ({ data }: MessageEvent<FaultReport>) => this.#parts.connections.faultReported(data);
    },
    endRecording: () => this.#parts.recorder.end(),
    anchor: ({ anchor }) => this.#parts.playback.anchor(anchor),
    connect: () => this.#parts.connections.open(),
    speak: ({ text }) => this.#parts.speaking.speak(text),
    say: ({ text, origin }) => this.#parts.speaking.say(text, origin),
    simulate: ({ text, profile, seed }) => this.#parts.speaking.simulate(text, profile, seed),
    ask: (question) => this.#parts.speaking.ask(question),
    flush: () => this.#parts.speaking.flush(),
    endTurn: () => this.#parts.speaking.endText('endTurn'),
    sendFrame: ({ frame }) => this.#parts.followed.sendByHand(frame),
    cancel: ({ context = null, pressedMs }) => this.#parts.stopping.cancel(context, pressedMs),
    talkOver: ({ speech }) => this.#parts.stopping.talkOver(speech),
    speakers: ({ speakers }) => {
      this.#parts.contexts.speakers = speakers;
      // No settings are left to open the context of a removed speaker with.
      const isOrphan = ({ context, asked }: SessionTurn): boolean =>
        asked.line !== null && this.#parts.contexts.speaker(context) === undefined;
      if (this.#parts.connections.endpoint.contexts) this.#parts.outbox.cancelUnsent(isOrphan);
      this.#dropUnused();
    },
    perform: ({ lines, source, closeAfter }) => this.#parts.speaking.perform(lines, source, closeAfter),
    listen: ({ listening, pauseMs }) => {
      if (this.#parts.connections.endpoint.contexts) {
        const action = { kind: 'listening', turn: null, context: null, listening, pauseMs } as const;
        this.#parts.recorder.acted(action, this.#clock.nowMs());
      }
      this.#parts.playback.listen(listening, pauseMs);
    },
    openContext: ({ context }) => this.#parts.contexts.open(context),
    closeContext: ({ context, immediate }) => {
      if (immediate) this.#parts.stopping.dropContext(context);
      this.#parts.contexts.close(context, immediate);
    },
    disconnect: () => this.#parts.stopping.disconnect(),
    repeat: ({ turn: id, fromSample }) => {
      const turn = this.#parts.conversation.turns.find((candidate) => candidate.id === id);
      if (turn?.heard.repeatable && this.#parts.conversation.inFlight.length === 0)
        this.#parts.playback.repeat(turn, fromSample);
    },
    stopRepeat: () => this.#parts.playback.repeatStopped(),
    takeSamples: ({ turn: id, port }) => {
      const turn = this.#parts.conversation.turns.find((candidate) => candidate.id === id);
      port.postMessage((turn && this.#parts.playback.storeOf(turn)?.slice()) ?? null);
    },
    dismissProblems: ({ ids }) => this.#parts.publisher.dismissProblems(ids),
  };

  readonly #connectionEvents: ConnectionEvents = {
    opened: (route, link) => {
      this.#parts.conversation.opened(link);
      this.#parts.outbox.opened(route, link);
      this.#parts.contexts.openWanted(route);
      this.#sendWaiting();
      this.#watch();
    },
    received: (link, frame) => this.#received(link, frame),
    closed: (route, link, closing) => this.#closed(route, link, closing),
    draining: (link) => {
      this.#parts.conversation.startDraining(link);
      this.#expectClose(link);
    },
    drained: (link, closing) => {
      this.#passEnd(link, closing);
      const lost = this.#parts.conversation.disconnected(link, this.#network.nowMs());
      if (lost && !closing.asked) this.#reportLoss(closing, lost);
      this.#goOn();
    },
    abandoned: (link) => {
      this.#parts.conversation.disconnected(link, this.#network.nowMs());
      this.#goOn();
    },
    dropped: (route, link, carried) => {
      const keepsUnsent = carried !== 'nothing';
      const nowMs = this.#network.nowMs();
      const isOfRoute = (settings: Settings): boolean =>
        this.#parts.connections.routeWith(settings) === route;
      this.#parts.watchdog.ended();
      this.#parts.outbox.disconnected(route, link, keepsUnsent);
      if (link) this.#parts.conversation.disconnected(link, nowMs);
      if (!keepsUnsent) this.#parts.conversation.loseUnsent(nowMs, ({ asked }) => isOfRoute(asked.settings));
      this.#parts.outbox.cancels.settle();
      this.#parts.contexts.disconnected(route, link, carried);
      if (this.#parts.connections.links.length > 0) this.#watch();
      if (keepsUnsent) return;
      this.#parts.followed.dropWaiting(route);
      this.#parts.models.stopThose((context) =>
        isOfRoute(
          this.#parts.conversation.openTurn(context)?.asked.settings ??
            this.#parts.connections.settingsOf(context),
        ),
      );
    },
    caughtUp: () => this.#caughtUp(),
    closing: () => this.#watch(),
  };

  readonly #conversationEvents: ConversationEvents = {
    begun: (turn) => {
      this.#noteQuestion(turn);
      this.#parts.publisher.changed('totals');
      this.#parts.publisher.turnChanged(turn);
    },
    ended: (turn) => {
      for (const link of this.#parts.connections.links) if (link === turn.connection) this.#expectClose(link);
      this.#parts.playback.turnEnded(turn);
      this.#parts.audio.ended(turn);
      this.#parts.measuring.ended(turn);
      this.#parts.models.turnEnded(turn);
      this.#parts.publisher.changed('totals');
    },
  };

  readonly #contextEvents: ContextEvents = {
    opening: (context) => this.#parts.playback.contextOpening(context),
    opened: () => this.#parts.outbox.send(),
    ended: (context) => this.#parts.playback.contextEnded(context),
  };

  readonly #outboxEvents: OutboxEvents = {
    written: (turn, text) => {
      this.#parts.playback.prepare(turn);
      this.#noteToken(turn, text);
    },
    ended: () => this.#watch(),
  };

  #aim(target: Target): void {
    this.#parts.stopping.leaveServer();
    this.#parts.measuring.leave();
    this.#parts.connections.aim(target);
    this.#parts.conversation.speakWith(this.#parts.connections.endpoint);
    this.#parts.contexts.speakWith(this.#parts.connections.endpoint);
    this.#parts.playback.speakWith(target);
    this.#parts.publisher.changed('totals');
  }

  #received(link: Link, frame: RecordedFrame): void {
    const events = link.dialect.decode(frame.frame);
    const main = mainEvent(events);
    const turns = events.map((event) => {
      // An error that skips one chunk does not announce a close.
      link.errorMs = event.type === 'error' && event.chunk === undefined ? frame.atMs : null;
      if (event.type === 'audio' || event.type === 'turnEnded')
        this.#parts.connections.routeOf(link)?.proven();
      // The server may end a connection by an error that nobody has used.
      if (event.type === 'error' && link.isSpare) return null;
      const own = this.#noteContext(event, frame.number) ? this.#pass(event, frame, link) : null;
      // Behind the event, because a turn that it ended gets no more text.
      this.#noteOpened(event);
      return own;
    });
    if (main) link.recorder.understood(frame, noteOf(main, ownerOf(main, events, turns)));
    link.reply();
    this.#goOn();
  }

  /** Returns whether to retry. After an error frame most servers would only repeat the error. */
  #closed(route: Route, link: Link, closing: Closing): boolean {
    this.#passEnd(link, closing);
    const { connections, contexts, conversation, outbox } = this.#parts;
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
    if (!this.#parts.conversation.isSpeakingOn(link))
      this.#parts.connections.routeOf(link)?.expectClose(link);
  }

  /** Closes connections whose voice no speaker and no waiting turn has. */
  #dropUnused(): void {
    const { connections, conversation } = this.#parts;
    const waiting = conversation.waiting.map(({ asked }) => asked);
    this.#network.initiate(() => connections.dropUnused(waiting, (link) => conversation.isSpeakingOn(link)));
  }

  #reportLoss(closing: Closing, lost: SessionTurn | null): void {
    const words = describeLoss(closing, lost !== null, this.#parts.connections.address);
    this.#parts.publisher.problem({ turn: lost?.id ?? null, severity: 'error', ...words, isForSender: true });
  }

  /** A frame or the end of a connection may have ended a wait. */
  #goOn(): void {
    this.#parts.outbox.cancels.settle();
    this.#dropUnused();
    this.#sendWaiting();
    this.#network.initiate(() => this.#parts.watchdog.heard());
  }

  #sendWaiting(): void {
    this.#parts.followed.sendWaiting();
    this.#parts.outbox.send();
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
    const { contexts, publisher } = this.#parts;
    if (event.type === 'error') {
      publisher.mark('error', this.#network.nowMs(), { context: event.context, frame });
    }
    if (!('context' in event) || event.context === null) return true;
    const { context } = event;
    if (event.type === 'contextClosed') return contexts.closed(context, event.usage);
    if (event.type === 'error') contexts.refused(context);
    return true;
  }

  /** An event of a context shows that the server has opened it, so that its text may go out. */
  #noteOpened(event: SpeechEvent): void {
    if (!('context' in event) || event.context === null) return;
    if (event.type === 'contextClosed' || event.type === 'error') return;
    this.#parts.contexts.opened(event.context);
    this.#parts.contexts.touched(event.context);
  }

  /** Returns the turn of the event. */
  #pass(event: SpeechEvent, frame: RecordedFrame, link: Link): SessionTurn | null {
    const { contexts, conversation, playback } = this.#parts;
    const mayBegin = !('context' in event && event.context !== null && contexts.isClosed(event.context));
    const { turn, isLate } = conversation.receive(event, frame.atMs, mayBegin, link);
    if (!turn || isLate) return turn;
    if (event.type === 'audio')
      contexts.received(turn.context, this.#parts.audio.receive(turn, event, frame));
    else if (event.type === 'audioEnded') playback.complete(turn);
    if (event.type === 'audio' || event.type === 'chunkCompleted')
      this.#parts.measuring.received(turn, event.chunk, link.held ?? link.settings);
    return turn;
  }

  /** Notes and marks that a turn begins with a question. */
  #noteQuestion({ id, context, asked: { answer } }: SessionTurn): void {
    if (!answer || answer.turn !== null) return;
    answer.turn = id;
    this.#parts.publisher.mark('asked', answer.askedMs, { context, turn: id });
  }

  /** Notes and marks a token of the answer that a turn speaks; nothing for any other turn. */
  #noteToken({ id, context, asked: { answer } }: SessionTurn, token: string): void {
    const nowMs = this.#network.nowMs();
    answer?.token(token, nowMs);
    const text = token.slice(0, MAX_MARK_CHARS);
    if (answer) this.#parts.publisher.mark('token', nowMs, { context, turn: id, amount: token.length, text });
  }

  #watch(): void {
    this.#network.initiate(() => this.#parts.watchdog.asked());
  }

  /** Ends a connection that only the close of the server would end. Text that waits for its end goes to the next one. */
  #leave(route: Route): void {
    const isWanted = this.#parts.outbox.waitingFor(route).length > 0 || this.#parts.contexts.hasWanted(route);
    route.drop(isWanted ? 'unsent' : 'nothing');
    if (isWanted) route.open();
  }

  /** Only the server's close is awaited of them. */
  get #leaving(): readonly Route[] {
    const { owedTurn } = this.#parts.conversation;
    return this.#parts.connections.routes.filter(
      ({ link, state }) => state === 'closing' && (link !== null || !owedTurn),
    );
  }
}
