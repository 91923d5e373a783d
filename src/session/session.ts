import type { TrackPort } from '#player/messages.ts';
import type { Tracks } from '#player/sink.ts';
import { tokenize } from '#text/tokens.ts';
import { SocketConnection } from './connection.ts';
import type { SessionEnvironment } from './environment.ts';
import type { SessionCommand, Target } from './messages.ts';
import { Playback } from './playback/playback.ts';
import { Publisher } from './publisher.ts';
import { Receiver } from './receiver.ts';
import { Feed } from './recorder/feed.ts';
import { Recorder } from './recorder/recorder.ts';
import { Contexts } from './sending/contexts.ts';
import { Outbox } from './sending/outbox.ts';
import { SimulatedModels, type Tokenizer } from './sending/simulated-models.ts';
import { Speaking } from './sending/speaking.ts';
import { Stopping } from './sending/stopping.ts';
import { Conversation } from './turns/conversation.ts';
import type { SessionUpdate } from './views.ts';

export interface EndpointSessionOptions {
  environment: SessionEnvironment;
  report: (update: SessionUpdate) => void;
  /** Splits a text into a model's tokens. */
  tokens?: Tokenizer;
  /** Opens tracks over the output's port. */
  openTracks?: (port: TrackPort) => Tracks;
  /**
   * Makes the session a replay: connections lead nowhere and wait on this environment's clock. The session sends
   * nothing by itself; a `Reenactment` repeats what was sent.
   */
  replayed?: SessionEnvironment;
}

/** The collaborators of a session. Each is constructed with them, and reads the others only when it handles a call. */
export type SessionParts = Omit<EndpointSession, 'handle'>;

/**
 * One conversation with one endpoint. It knows no vendor, no DOM and no React. Everything goes one way:
 *
 * - sending: `Speaking` → `Outbox` (with `Contexts` and `SimulatedModels`) → `SocketConnection` → socket
 * - receiving: socket → `SocketConnection` → `Receiver` → `Conversation`
 * - playing: `Receiver` → `Playback` → tracks, in the order of the line queue
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
  readonly playback: Playback;
  readonly contexts: Contexts;
  readonly models: SimulatedModels;
  readonly outbox: Outbox;
  readonly stopping: Stopping;
  readonly receiver: Receiver;
  readonly #feed: Feed;
  readonly #speaking: Speaking;

  constructor({ environment, report, tokens = tokenize, openTracks, replayed }: EndpointSessionOptions) {
    this.isReplay = replayed !== undefined;
    this.environment = environment;
    this.network = replayed ?? environment;
    this.#feed = new Feed(environment);
    this.recorder = new Recorder(this.#feed);
    this.publisher = new Publisher(this, report);
    this.connection = new SocketConnection(this);
    this.conversation = new Conversation(this);
    this.playback = new Playback(this, openTracks);
    this.contexts = new Contexts(this);
    this.models = new SimulatedModels(environment, this.publisher, tokens);
    this.outbox = new Outbox(this);
    this.stopping = new Stopping(this);
    this.receiver = new Receiver(this);
    this.#speaking = new Speaking(this);
  }

  handle(command: SessionCommand): void {
    const { publisher, connection, playback, contexts, outbox, stopping } = this;
    switch (command.type) {
      case 'target':
        connection.wanted = command.settings;
        if (!connection.isAimedAt(command.target)) this.#aim(command.target);
        break;
      case 'settings':
        connection.wanted = command.settings;
        break;
      case 'attachPlayer':
        playback.attach(command.port, command.sampleRate);
        break;
      case 'detachPlayer':
        playback.detach();
        break;
      case 'attachRecordings':
        this.#feed.attach(command.port);
        break;
      case 'anchor':
        playback.anchor(command.anchor);
        break;
      case 'connect':
        connection.open();
        break;
      case 'speak':
        this.#speaking.speak(command.text);
        break;
      case 'say':
        this.#speaking.say(command.text, command.origin);
        break;
      case 'simulate':
        this.#speaking.simulate(command.text, command.profile, command.seed);
        break;
      case 'flush':
      case 'endTurn':
        this.#speaking.endText(command.type);
        break;
      case 'sendFrame':
        outbox.sendByHand(command.frame);
        break;
      case 'cancel':
        stopping.cancel(command.context ?? null, command.pressedMs);
        break;
      case 'speakers':
        contexts.speakers = command.speakers;
        stopping.cancelOrphans();
        break;
      case 'perform':
        this.#speaking.perform(command.lines, command.source, command.closeAfter);
        break;
      case 'listen':
        this.#listen(command);
        break;
      case 'openContext':
        contexts.open(command.context);
        break;
      case 'closeContext':
        stopping.closeContext(command.context, command.immediate);
        break;
      case 'disconnect':
        stopping.disconnect();
        break;
      case 'replay':
        this.#replay(command.turn, command.fromSample);
        break;
      case 'stopReplay':
        playback.replayStopped();
        break;
      case 'dismissProblem':
        publisher.dismissProblem(command.id);
        break;
    }
  }

  #aim(target: Target): void {
    const { connection, contexts, conversation, publisher, stopping } = this;
    stopping.leaveServer();
    connection.aim(target);
    conversation.speakWith(connection.endpoint);
    contexts.speakWith(connection.endpoint);
    publisher.changed('totals');
  }

  #listen({ listening, pauseMs }: Extract<SessionCommand, { type: 'listen' }>): void {
    const { connection, playback } = this;
    if (connection.endpoint.contexts) {
      const action = { kind: 'listening', turn: null, context: null, listening, pauseMs } as const;
      this.recorder.acted(action, this.environment.nowMs());
    }
    playback.listen(listening, pauseMs);
  }

  #replay(id: number, fromSample: number): void {
    const { conversation, playback } = this;
    const turn = conversation.turns.find((candidate) => candidate.id === id);
    if (turn?.replayable && conversation.inFlight.length === 0) playback.replay(turn, fromSample);
  }
}
