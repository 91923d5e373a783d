import { systemClock } from '#lib/clock.ts';
import type { Session } from '../connection.ts';
import { createFakeClock, type FakeClock, settle } from '../fake-clock.test-helper.ts';
import { NO_METER } from '../metrics/meter.ts';
import { clientText, expectDescribed } from '../session-world.test-helper.ts';
import { type Frame, kindsOf } from '../socket-client.test-helper.ts';
import { type Engine, EngineBusyError } from '../speech/engine.ts';
import { LOCAL_CATALOGUE } from '../speech/voices/voice-catalogue.ts';
import { openMemoryState } from '../state/memory-state.ts';
import { testConnection } from '../test-connection.test-helper.ts';
import { createTestEngine, type TestEngine } from '../test-engine.test-helper.ts';
import { MultiSession } from './multi-session.ts';
import { RequestSession } from './request-session.ts';
import { createKugelStore, type SessionOptions } from './store.ts';
import { StreamSession } from './stream-session.ts';

/** The parts that a session has in a test, and its output. */
interface SessionWorld {
  options: SessionOptions;
  clock: FakeClock;
  engine: TestEngine;
  /** Sent, in order. */
  frames: Frame[];
  closes: [code: number, reason: string][];
  logged: unknown[];
}

function createSessionWorld(priced: boolean): SessionWorld {
  const clock = createFakeClock();
  const engine = createTestEngine();
  const frames: Frame[] = [];
  const closes: [number, string][] = [];
  const logged: unknown[] = [];
  const note = (...line: unknown[]) => {
    logged.push(line);
  };
  const options: SessionOptions = {
    connection: testConnection(clock),
    services: {
      engine,
      store: createKugelStore(openMemoryState(), LOCAL_CATALOGUE),
      log: {
        info: note,
        warn: note,
        error: note,
        child() {
          return this;
        },
      },
    },
    account: { name: 'a', condition: priced ? 'works' : 'unpriced', isShared: false },
    meter: NO_METER('other'),
    requestId: 'r-1',
  };
  return { options, clock, engine, frames, closes, logged };
}

/**
 * One step of a conversation: a message of the client, milliseconds that pass after everything has settled, or
 * `hold`, `release`: the engine pauses, and resumes;
 * `fail`, `busy`: the engine refuses the next chunk;
 * `going away`: the server shuts down; `gone`: the client left;
 * `|`: marks in the kinds of frames what has been sent so far.
 */
export type Step = Frame | number | 'hold' | 'release' | 'fail' | 'busy' | 'going away' | 'gone' | '|';

/** Kinds of frames of one chunk. */
export const CHUNK = 'generation_started audio chunk_complete';

interface Conditions {
  priced?: boolean;
  /** Real speech, which takes real time, in place of the test engine and the fake clock. */
  speech?: Engine | undefined;
}

/** The sessions of each endpoint. */
const SESSIONS = {
  'kugel-stream': StreamSession,
  'kugel-multi': MultiSession,
  'kugel-tts': RequestSession,
} as const;

export type SessionId = keyof typeof SESSIONS;
type SessionClass = new (options: SessionOptions) => Session;

/** A session on a fake clock, and all that it sent. */
export class PlayedSession {
  readonly world: SessionWorld;
  readonly session: Session;
  readonly #endpoint: SessionId;
  readonly #marks: { at: number; text: string }[] = [];

  constructor(endpoint: SessionId, { priced = true, speech }: Conditions = {}) {
    this.#endpoint = endpoint;
    const Session: SessionClass = SESSIONS[endpoint];
    this.world = createSessionWorld(priced);
    const { options } = this.world;
    this.session = new Session({
      ...options,
      services: { ...options.services, engine: speech ?? options.services.engine },
      connection: {
        ...options.connection,
        clock: speech ? systemClock : options.connection.clock,
        send: (message) => this.sent(String(message)),
        close: (code, reason) => this.closed(code, reason),
      },
    });
  }

  get requests() {
    return this.world.engine.requests;
  }

  /** Takes the steps in order; whatever needs no time has happened when it resolves. */
  async play(...steps: Step[]): Promise<this> {
    for (const step of steps) {
      if (typeof step === 'number') {
        await this.#quiet();
        await this.world.clock.advance(step);
        this.passed();
      } else if (typeof step === 'object') this.say(clientText(this.#endpoint, step));
      else this.#do(step);
    }
    await this.#quiet();
    return this;
  }

  /** Kinds of frames in order, runs of audio as one, with marks and the codes of closes; or those of one context. */
  kinds(contextId?: string): string {
    const { frames } = this.world;
    const meant = (from: number, to: number) =>
      kindsOf(
        frames.slice(from, to).filter((frame) => contextId === undefined || frame.context_id === contextId),
      );
    const kinds: string[] = [];
    let from = 0;
    for (const { at, text } of this.#marks) {
      if (text !== '|' && contextId !== undefined) continue;
      kinds.push(...meant(from, at), text);
      from = at;
    }
    return [...kinds, ...meant(from, frames.length)].join(' ');
  }

  of(marker: string): Frame[] {
    return this.world.frames.filter((frame) => marker in frame);
  }

  /** The last usage that was sent, of a context where one is named. */
  usage(contextId?: string): Frame | undefined {
    return this.of('usage').findLast((frame) => frame.context_id === contextId)?.usage as Frame | undefined;
  }

  protected say(message: string): void {
    this.session.text(message);
  }

  protected sent(message: string): void {
    expectDescribed(this.#endpoint, 'server', message);
    this.world.frames.push(JSON.parse(message) as Frame);
  }

  protected closed(code: number, reason: string): void {
    this.world.closes.push([code, reason]);
    this.#marks.push({ at: this.world.frames.length, text: String(code) });
  }

  /** Called after time has passed. */
  protected passed(): void {}

  /** Resolves when the session sends nothing more by itself. */
  async #quiet(): Promise<void> {
    for (let before = -1; before !== this.world.frames.length; ) {
      before = this.world.frames.length;
      await settle();
    }
  }

  #do(step: Exclude<Step, Frame | number>): void {
    const { engine, frames } = this.world;
    if (step === '|') this.#marks.push({ at: frames.length, text: '|' });
    else if (step === 'hold') engine.hold();
    else if (step === 'release') engine.release();
    else if (step === 'fail') engine.failNext();
    else if (step === 'busy') engine.failNext(new EngineBusyError('busy'));
    else if (step === 'going away') this.session.goingAway();
    else this.session.gone({ code: 1006, reason: '', asked: false });
  }
}
