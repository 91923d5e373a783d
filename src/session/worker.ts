import { holdMessages } from '#lib/held-messages.ts';
import { wordList } from '#lib/word-list.ts';
import type { SpeechNews } from '#microphone/speech-news.ts';
import type { ClockAnchor } from '#player/clock.ts';
import { TrackOpener, type Tracks } from '#player/track-opener.ts';
import type { TrackPort } from '#player/worklet-messages.ts';
import { loadProtocolOf } from '#protocol/protocols.ts';
import { PAGE_ENDPOINTS } from '#protocol/registry.ts';
import { leaveReferences } from '#trace/words/text-search.ts';
import { AUDIBLE, type Command, type Report } from './commands.ts';
import { browserEnvironment } from './link.ts';
import { type OpenWordSearcher, searchInWorker } from './measuring/measured-words.ts';
import { Replay } from './replay/replay.ts';
import { EndpointSession, type EndpointSessionOptions } from './session.ts';
import { warmUpSession } from './warm-up.ts';

interface Options
  extends Pick<
    EndpointSessionOptions,
    'environment' | 'openTracks' | 'tokens' | 'chat' | 'openWordSearcher'
  > {
  report: (report: Report) => void;
}

/** Commands that go to the live session also during a replay. */
const OF_LIVE: ReadonlySet<Command['type']> = new Set<Command['type']>(
  wordList('target settings speakers listen attachRecordings endRecording'),
);

/** Commands that go to the replayed session. Any other command leaves the replay, and goes to the live session. */
const OF_SHOWN: ReadonlySet<Command['type']> = new Set<Command['type']>(
  wordList('anchor cancel repeat stopRepeat takeSamples dismissProblems'),
);

/** The live session, and that of a replay. They share one output. The live session keeps its connection meanwhile. */
export class Sessions {
  readonly #environment: Options['environment'];
  readonly #report: (report: Report) => void;
  readonly #openTracks: (port: TrackPort) => Tracks;
  readonly #openWordSearcher: OpenWordSearcher | undefined;
  readonly #live: EndpointSession;
  readonly #warmUp = new AbortController();
  #replay: Replay | null = null;
  #runs = 0;
  #output: { port: MessagePort; sampleRate: number; tracks: Tracks } | null = null;
  #anchor: ClockAnchor | null = null;
  #microphone: MessagePort | null = null;

  constructor({
    environment,
    report,
    openTracks = (port) => new TrackOpener(port),
    tokens,
    chat,
    openWordSearcher,
  }: Options) {
    this.#environment = environment;
    this.#report = report;
    this.#openTracks = openTracks;
    this.#openWordSearcher = openWordSearcher;
    this.#live = new EndpointSession({
      environment,
      report: (update) => report({ type: 'update', update, run: null }),
      openTracks: () => this.#lend(),
      ...(tokens ? { tokens } : {}),
      ...(chat ? { chat } : {}),
      ...(openWordSearcher ? { openWordSearcher } : {}),
    });
  }

  handle(command: Command): void {
    // A person waits for the sound, so that a warm-up ends, and none begins any more.
    if (AUDIBLE.has(command.type) || command.type === 'openReplay') this.#warmUp.abort();
    switch (command.type) {
      case 'attachPlayer': {
        const { port, sampleRate } = command;
        this.#heard?.handle({ type: 'detachPlayer' });
        this.#output?.tracks.end();
        this.#output = { port, sampleRate, tracks: this.#openTracks(port) };
        this.#anchor = null;
        this.#giveOutput(this.#heard);
        break;
      }
      case 'detachPlayer':
        this.#heard?.handle(command);
        this.#output?.tracks.end();
        this.#output = null;
        break;
      case 'attachMicrophone':
        this.#microphone?.close();
        this.#microphone = command.port;
        command.port.onmessage = ({ data }: MessageEvent<SpeechNews>) =>
          this.handle({ type: 'talkOver', speech: data });
        break;
      case 'openReplay':
        this.#endReplay();
        this.#live.handle({ type: 'detachPlayer' });
        this.#replay = new Replay({
          environment: this.#environment,
          report: this.#report,
          // A number that no other run has.
          nextRun: () => {
            this.#runs += 1;
            return this.#runs;
          },
          giveOutput: (session) => this.#giveOutput(session),
          recording: command.recording,
          port: command.port,
          openTracks: () => this.#lend(),
          ...(this.#openWordSearcher ? { openWordSearcher: this.#openWordSearcher } : {}),
        });
        break;
      case 'leaveReferences':
        leaveReferences();
        break;
      case 'controlReplay':
        this.#replay?.control(command.control);
        break;
      case 'leaveReplay':
        this.#leave();
        break;
      case 'talkOver':
        if (this.#replay) this.#replay.talkOver(command);
        else this.#live.handle(command);
        break;
      case 'warmUp': {
        const endpoint = PAGE_ENDPOINTS.find(({ id }) => id === this.#live.endpoint.id);
        if (endpoint) void warmUpSession(endpoint, { clock: this.#environment, signal: this.#warmUp.signal });
        break;
      }
      default:
        if (command.type === 'anchor') this.#anchor = command.anchor;
        if (!this.#replay || OF_LIVE.has(command.type)) this.#live.handle(command);
        else if (OF_SHOWN.has(command.type)) this.#replay.session?.handle(command);
        else {
          this.#leave();
          this.#live.handle(command);
        }
    }
  }

  /** The session that has the output; null until a replay is ready for it. */
  get #heard(): EndpointSession | null {
    return this.#replay ? this.#replay.heard : this.#live;
  }

  #leave(): void {
    if (this.#replay) {
      this.#endReplay();
      this.#giveOutput(this.#live);
    }
    this.#report({ type: 'replay', replay: null });
  }

  #endReplay(): void {
    this.#replay?.dispose();
    this.#replay = null;
  }

  #giveOutput(session: EndpointSession | null): void {
    if (!this.#output || !session) return;
    const { port, sampleRate } = this.#output;
    session.handle({ type: 'attachPlayer', port, sampleRate });
    if (this.#anchor) session.handle({ type: 'anchor', anchor: this.#anchor });
  }

  /** Returns the output's tracks. A session that releases them closes only its own. */
  #lend(): Tracks {
    const tracks = this.#output?.tracks;
    return {
      open: (track) => {
        if (!tracks) throw new Error('There is no output to open a track on.');
        return tracks.open(track);
      },
      close: (track) => tracks?.close(track),
      end() {},
    };
  }
}

/** The used part of a dedicated worker's scope, because the types of pages and workers exclude one another. */
interface WorkerScope {
  postMessage(report: Report): void;
  onmessage: ((event: MessageEvent<Command>) => void) | null;
}

/** A session loads no protocol but that of its endpoint. */
function protocolFor(command: Command): Promise<unknown> | null {
  let spoken: string | null = null;
  if (command.type === 'target') spoken = command.target.endpoint;
  if (command.type === 'openReplay') spoken = command.recording.endpoint;
  return loadProtocolOf(spoken);
}

// Tests import this file outside of a worker.
if ('DedicatedWorkerGlobalScope' in globalThis) {
  const scope = globalThis as unknown as WorkerScope;
  const sessions = new Sessions({
    environment: browserEnvironment,
    report: (report) => scope.postMessage(report),
    openWordSearcher: searchInWorker,
  });
  scope.onmessage = ({ data }) => sessions.handle(data);
  holdMessages(scope, ({ data }) => protocolFor(data));
}
