import type { TrackPort } from '#player/messages.ts';
import type { Tracks } from '#player/sink.ts';
import type { FeedNews } from '#recordings/feed-messages.ts';
import type { ChatStreamer } from '#text/chat/stream-chat.ts';
import { tokenize } from '#text/tokens.ts';
import { SocketConnection } from './connection.ts';
import type { SessionEnvironment } from './environment.ts';
import type { SessionCommand, Target } from './messages.ts';
import { SessionPlayback } from './playback/session-playback.ts';
import { Publisher } from './publisher.ts';
import { QuietServer } from './quiet-server.ts';
import { Receiver } from './receiver.ts';
import { Feed } from './recorder/feed.ts';
import { Recorder } from './recorder/recorder.ts';
import { Contexts } from './sending/contexts.ts';
import { streamWhenLoaded } from './sending/live-model-source.ts';
import { Models } from './sending/models.ts';
import { Outbox } from './sending/outbox.ts';
import type { Tokenizer } from './sending/simulated-model-source.ts';
import { Speaking } from './sending/speaking.ts';
import { Stopping } from './sending/stopping.ts';
import { Conversation } from './turns/conversation.ts';
import type { SessionUpdate } from './views.ts';

export interface EndpointSessionOptions {
  environment: SessionEnvironment;
  report: (update: SessionUpdate) => void;
  tokens?: Tokenizer;
  chat?: ChatStreamer;
  /** Opens tracks over the output's port. */
  openTracks?: (port: TrackPort) => Tracks;
  /** Makes the session a replay on these simulated sockets. Only a `Reenactment` sends. */
  replayed?: SessionEnvironment;
}

type CommandOf<Type> = Extract<SessionCommand, { type: Type }>;

/** The collaborators of a session. Each is constructed with them, and reads the others only when it handles a call. */
export type SessionParts = Omit<EndpointSession, 'handle'>;

/**
 * One conversation with one endpoint. It knows no vendor, no DOM and no React. Everything goes one way:
 *
 * - sending: `Speaking` → `Outbox` (with `Contexts` and `Models`) → `SocketConnection` → socket
 * - receiving: socket → `SocketConnection` → `Receiver` → `Conversation`
 * - playing: `Receiver` → `SessionPlayback` → tracks, in the order of the line queue
 *
 * The recorder gets every frame in `SocketConnection`. The publisher reports all changes to the page.
 */
export class EndpointSession {
  readonly isReplay: boolean;
  readonly environment: SessionEnvironment;
  /** Sockets and their clock, which are simulated in a replay. */
  readonly network: SessionEnvironment;
  readonly recorder: Recorder;
  readonly publisher: Publisher;
  readonly connection: SocketConnection;
  readonly conversation: Conversation;
  readonly playback: SessionPlayback;
  readonly contexts: Contexts;
  readonly models: Models;
  readonly outbox: Outbox;
  readonly stopping: Stopping;
  readonly receiver: Receiver;
  readonly quiet: QuietServer;
  readonly #feed: Feed;
  readonly #speaking: Speaking;

  constructor({
    environment,
    report,
    tokens = tokenize,
    chat = streamWhenLoaded,
    openTracks,
    replayed,
  }: EndpointSessionOptions) {
    this.isReplay = replayed !== undefined;
    this.environment = environment;
    this.network = replayed ?? environment;
    this.#feed = new Feed(environment);
    this.recorder = new Recorder(this.#feed);
    this.publisher = new Publisher(this, report);
    this.connection = new SocketConnection(this);
    this.conversation = new Conversation(this);
    this.playback = new SessionPlayback(this, openTracks);
    this.contexts = new Contexts(this);
    this.models = new Models(this);
    this.outbox = new Outbox(this);
    this.stopping = new Stopping(this);
    this.receiver = new Receiver(this);
    this.quiet = new QuietServer(this);
    this.#speaking = new Speaking(this, tokens, chat);
  }

  handle(command: SessionCommand): void {
    // The handlers are typed by command, which the look-up loses.
    const handler = this.#handlers[command.type] as (command: SessionCommand) => void;
    handler(command);
  }

  readonly #handlers: { [Type in SessionCommand['type']]: (command: CommandOf<Type>) => void } = {
    target: ({ target, settings }) => {
      this.connection.wanted = settings;
      if (!this.connection.isAimedAt(target)) this.#aim(target);
    },
    settings: ({ settings }) => {
      this.connection.wanted = settings;
    },
    attachPlayer: ({ port, sampleRate }) => this.playback.attach(port, sampleRate),
    detachPlayer: () => this.playback.detach(),
    attachRecordings: ({ port }) => {
      this.#feed.attach(port);
      port.onmessage = ({ data }: MessageEvent<FeedNews>) => this.connection.faultReported(data);
    },
    anchor: ({ anchor }) => this.playback.anchor(anchor),
    connect: () => this.connection.open(),
    speak: ({ text }) => this.#speaking.speak(text),
    say: ({ text, origin }) => this.#speaking.say(text, origin),
    simulate: ({ text, profile, seed }) => this.#speaking.simulate(text, profile, seed),
    ask: (question) => this.#speaking.ask(question),
    flush: () => this.#speaking.endText('flush'),
    endTurn: () => this.#speaking.endText('endTurn'),
    sendFrame: ({ frame }) => this.outbox.sendByHand(frame),
    cancel: ({ context = null, pressedMs }) => this.stopping.cancel(context, pressedMs),
    talkOver: ({ speech }) => this.stopping.talkOver(speech),
    speakers: ({ speakers }) => {
      this.contexts.speakers = speakers;
      this.stopping.cancelOrphans();
    },
    perform: ({ lines, source, closeAfter }) => this.#speaking.perform(lines, source, closeAfter),
    listen: ({ listening, pauseMs }) => {
      if (this.connection.endpoint.contexts) {
        const action = { kind: 'listening', turn: null, context: null, listening, pauseMs } as const;
        this.recorder.acted(action, this.environment.nowMs());
      }
      this.playback.listen(listening, pauseMs);
    },
    openContext: ({ context }) => this.contexts.open(context),
    closeContext: ({ context, immediate }) => this.stopping.closeContext(context, immediate),
    disconnect: () => this.stopping.disconnect(),
    replay: ({ turn: id, fromSample }) => {
      const turn = this.conversation.turns.find((candidate) => candidate.id === id);
      if (turn?.replayable && this.conversation.inFlight.length === 0) this.playback.replay(turn, fromSample);
    },
    stopReplay: () => this.playback.replayStopped(),
    dismissProblems: ({ ids }) => this.publisher.dismissProblems(ids),
  };

  #aim(target: Target): void {
    const { connection, contexts, conversation, playback, publisher, stopping } = this;
    stopping.leaveServer();
    connection.aim(target);
    conversation.speakWith();
    contexts.speakWith(connection.endpoint);
    playback.speakWith(target);
    publisher.changed('totals');
  }
}
