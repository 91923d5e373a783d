import type { ClockAnchor } from '#player/clock.ts';
import type { TrackPort } from '#player/messages.ts';
import { TrackOpener, type Tracks } from '#player/sink.ts';
import type { SessionEnvironment } from './environment.ts';
import type { Command, Report } from './messages.ts';
import { Replay } from './replay/replay.ts';
import { Session } from './session.ts';

interface Options {
  environment: SessionEnvironment;
  report: (report: Report) => void;
  /** The worker's end of the output's port, as something that opens tracks. */
  openTracks?: (port: TrackPort) => Tracks;
  /** Cuts a text into a model's tokens. */
  tokens?: (text: string) => Promise<string[]>;
}

/** What stays with the session that is live, while a recording is replayed. */
const OF_LIVE: ReadonlySet<Command['type']> = new Set<Command['type']>([
  'target',
  'settings',
  'speakers',
  'listen',
  'attachRecordings',
]);

/** What stays with the session that is replayed; anything else is for the live one, and leaves the replay. */
const OF_SHOWN: ReadonlySet<Command['type']> = new Set<Command['type']>([
  'anchor',
  'cancel',
  'replay',
  'stopReplay',
  'dismissProblem',
]);

/**
 * The sessions of a worker: the live one, and that of a recording while one is replayed. There is one output, which goes
 * to and fro between them; the live session's connection goes on meanwhile.
 */
export class Sessions {
  readonly #environment: SessionEnvironment;
  readonly #report: (report: Report) => void;
  readonly #openTracks: (port: TrackPort) => Tracks;
  readonly #live: Session;
  #replay: Replay | null = null;
  #runs = 0;
  #output: { port: MessagePort; sampleRate: number; tracks: Tracks } | null = null;
  #anchor: ClockAnchor | null = null;

  constructor({ environment, report, openTracks = (port) => new TrackOpener(port), tokens }: Options) {
    this.#environment = environment;
    this.#report = report;
    this.#openTracks = openTracks;
    this.#live = new Session({
      environment,
      report: (update) => report({ type: 'update', update, run: null }),
      openTracks: () => this.#lend(),
      ...(tokens ? { tokens } : {}),
    });
  }

  handle(command: Command): void {
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
      case 'openReplay':
        this.#endReplay();
        this.#live.handle({ type: 'detachPlayer' });
        this.#replay = new Replay({
          environment: this.#environment,
          recording: command.recording,
          port: command.port,
          openTracks: () => this.#lend(),
          report: (update, run) => this.#report({ type: 'update', update, run }),
          changed: (replay) => this.#report({ type: 'replay', replay }),
          nextRun: () => {
            this.#runs += 1;
            return this.#runs;
          },
          began: (session) => this.#giveOutput(session),
        });
        break;
      case 'controlReplay':
        this.#replay?.control(command.control);
        break;
      case 'leaveReplay':
        this.#leave();
        this.#report({ type: 'replay', replay: null });
        break;
      default:
        if (command.type === 'anchor') this.#anchor = command.anchor;
        if (!this.#replay || OF_LIVE.has(command.type)) this.#live.handle(command);
        else if (OF_SHOWN.has(command.type)) this.#replay.session?.handle(command);
        else {
          this.#leave();
          this.#report({ type: 'replay', replay: null });
          this.#live.handle(command);
        }
    }
  }

  /** The one that has the output; null where it is to be given to a replay later. */
  get #heard(): Session | null {
    return this.#replay ? this.#replay.heard : this.#live;
  }

  #leave(): void {
    if (!this.#replay) return;
    this.#endReplay();
    this.#giveOutput(this.#live);
  }

  #endReplay(): void {
    this.#replay?.end();
    this.#replay = null;
  }

  #giveOutput(session: Session | null): void {
    if (!this.#output || !session) return;
    const { port, sampleRate } = this.#output;
    session.handle({ type: 'attachPlayer', port, sampleRate });
    if (this.#anchor) session.handle({ type: 'anchor', anchor: this.#anchor });
  }

  /** The output's tracks, of which a session that lets go of them closes only its own. */
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
