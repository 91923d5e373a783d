import { randomUUID } from 'node:crypto';
import { type Generation, parseRequest } from '#protocol/cartesia/wire/client-frames.ts';
import {
  type CartesiaError,
  errorFrame,
  IDLE_CONNECTION_MS,
  IDLE_REASON,
} from '#protocol/cartesia/wire/errors.ts';
import type { Version } from '#protocol/cartesia/wire/versions.ts';
import { hasWord } from '#protocol/cartesia/wire/words.ts';
import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import { describeIssues } from '#protocol/core/issue.ts';
import { parseBounded } from '#protocol/core/json-frame.ts';
import { type Connection, GOING_AWAY_CLOSE, type Session } from '../connection.ts';
import { faultFields } from '../log.ts';
import type { EndpointMeter } from '../metrics/meter.ts';
import { WaitingText } from '../speech/generation-queue.ts';
import type { KeyAccount, Lease } from '../state/key-accounts.ts';
import { CLOSE_POLICY } from '../web-socket.ts';
import type { CartesiaServices } from './services.ts';
import { type CartesiaSpeaker, readSpeaker } from './speaker.ts';
import { SpokenContext } from './spoken-context.ts';

interface Options {
  connection: Connection;
  services: CartesiaServices;
  meter: EndpointMeter;
  /** Of errors, and fairness at the engine. */
  requestId: string;
  account: KeyAccount;
  /** The place of the socket. */
  lease: Lease;
  version: Version;
}

/** Messages in a row that are no JSON object, until the close (O7). */
const MAX_UNREADABLE = 10;
/** Ids that are known to be over. A client that uses an older one again opens it anew. Ours. */
const MAX_ENDED = 1000;

const invalid = (message: string): CartesiaError => ({ name: 'invalid_request', message });

/** One connection: contexts, which speak independently of one another. An error ends its context only (E5, O16). */
export class CartesiaSession implements Session {
  readonly #options: Options;
  readonly #waiting: WaitingText;
  readonly #contexts = new Map<string, SpokenContext>();
  readonly #ended = new Set<string>();
  #opened = 0;
  #unreadable = 0;
  #isLeaving = false;
  /** Nothing more is read or sent. */
  #isOver = false;
  #stopIdling: () => void = () => {};

  constructor(options: Options) {
    this.#options = options;
    this.#waiting = new WaitingText(options.connection);
    this.#touch();
  }

  text(message: string): void {
    if (this.#isOver || this.#isLeaving) return;
    this.#touch();
    const read = parseBounded(message);
    if (!('fields' in read)) {
      this.#refuseUnreadable(read.kind);
      return;
    }
    this.#unreadable = 0;
    const parsed = parseRequest(read.fields, this.#options.version);
    if (!parsed.ok) {
      const { context_id: id } = read.fields;
      this.#fail(typeof id === 'string' ? id : null, invalid(describeIssues(parsed.issues)));
      return;
    }
    const request = parsed.value;
    if (request.kind === 'cancel') this.#cancel(request.context);
    else this.#generate(request.context ?? randomUUID(), request);
  }

  /** Ours (O12). */
  binary(): void {
    this.#log('binary message ignored');
  }

  gone(): void {
    this.#stop();
    this.#options.lease.leave();
  }

  goingAway(): void {
    if (this.#isOver) return;
    this.#isLeaving = true;
    this.#closeIfLeaving();
  }

  get #isBusy(): boolean {
    return [...this.#contexts.values()].some((context) => context.isBusy);
  }

  #cancel(id: string): void {
    const context = this.#contexts.get(id);
    if (context) context.cancel();
    else this.#log('cancel of an unknown context ignored');
  }

  #generate(id: string, request: Generation): void {
    const known = this.#contexts.get(id);
    const found = readSpeaker(request.settings, this.#options.services.voices);
    const refusal = this.#refusalOf(id, request, known) ?? ('refusal' in found ? found.refusal : null);
    if (refusal) this.#fail(id, refusal);
    else if ('speaker' in found) (known ?? this.#open(id, found.speaker)).say(request, found.speaker);
  }

  #refusalOf(
    id: string,
    { transcript, settings }: Generation,
    known: SpokenContext | undefined,
  ): CartesiaError | null {
    if (this.#ended.has(id)) return invalid('The context has expired; use a new context_id.');
    if (!known) return hasWord(transcript) ? null : { name: 'invalid_transcript' };
    if (known.isEnding) return invalid('An earlier request has ended this context; use a new context_id.');
    return known.fits(settings) ? null : invalid('Voice and output format cannot change within a context.');
  }

  #open(id: string, speaker: CartesiaSpeaker): SpokenContext {
    const { connection, services, requestId } = this.#options;
    this.#opened += 1;
    const context = new SpokenContext({
      id,
      speaker,
      connection,
      engine: services.engine,
      share: { session: requestId, context: String(this.#opened) },
      waiting: this.#waiting,
      admit: () => this.#admit(id),
      send: (frame) => this.#send(frame),
      finished: () => this.#end(id),
      emptied: () => this.#closeIfLeaving(),
      failed: (error) => {
        services.log.error({ requestId, ...faultFields(error) }, 'generation failed');
        this.#fail(id, { name: 'internal_error' });
      },
    });
    this.#contexts.set(id, context);
    return context;
  }

  async #admit(id: string): Promise<Lease | null> {
    const { account, services } = this.#options;
    const lease = await services.access.admit(account, 'contexts');
    if (typeof lease !== 'string') return lease;
    this.#fail(id, { name: lease });
    return null;
  }

  /** Sends an error, which ends its context. @param id null for the connection, which stays open (E6) */
  #fail(id: string | null, error: CartesiaError): void {
    if (this.#isOver) return;
    const { meter, requestId, version } = this.#options;
    meter.refused(error.name);
    this.#contexts.get(id ?? '')?.stop();
    this.#send(errorFrame(error, id, version, requestId));
    if (id !== null) this.#end(id);
  }

  /** A frame with `done` was sent. */
  #end(id: string): void {
    this.#contexts.delete(id);
    this.#ended.add(id);
    for (const oldest of this.#ended) {
      if (this.#ended.size <= MAX_ENDED) break;
      this.#ended.delete(oldest);
    }
    this.#touch();
    this.#closeIfLeaving();
  }

  #refuseUnreadable(kind: string): void {
    this.#unreadable += 1;
    const problem = `expected a JSON object, got ${kind}`;
    this.#fail(null, invalid(problem));
    if (this.#unreadable >= MAX_UNREADABLE) this.#close(CLOSE_POLICY, problem);
  }

  #send(frame: object): void {
    if (!this.#isOver) this.#options.connection.send(JSON.stringify(frame));
  }

  /** Restarts the idle time, which passes only while nothing is spoken (Q1). */
  #touch(): void {
    this.#stopIdling();
    if (this.#isOver) return;
    this.#stopIdling = this.#options.connection.clock.after(IDLE_CONNECTION_MS, () => {
      if (this.#isBusy) this.#touch();
      else this.#close(CLOSE_CODES.normal, IDLE_REASON);
    });
  }

  #closeIfLeaving(): void {
    if (this.#isLeaving && !this.#isBusy) this.#close(GOING_AWAY_CLOSE.code, GOING_AWAY_CLOSE.reason);
  }

  #close(code: number, reason: string): void {
    if (this.#isOver) return;
    this.#stop();
    this.#options.connection.close(code, reason);
  }

  #stop(): void {
    this.#isOver = true;
    this.#stopIdling();
    for (const context of this.#contexts.values()) context.stop();
  }

  #log(what: string): void {
    const { services, requestId } = this.#options;
    services.log.info({ requestId }, what);
  }
}
