import { randomUUID } from 'node:crypto';
import { type Generation, namedContext, parseRequest } from '#protocol/cartesia/wire/client-frames.ts';
import {
  type CartesiaError,
  errorFrame,
  IDLE_CONNECTION_MS,
  IDLE_REASON,
} from '#protocol/cartesia/wire/errors.ts';
import type { Version } from '#protocol/cartesia/wire/settings.ts';
import { hasWord } from '#protocol/cartesia/wire/words.ts';
import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import { describeIssues } from '#protocol/core/issue.ts';
import type { Fields } from '#protocol/core/json-frame.ts';
import type { Connection } from '../connection.ts';
import type { EndpointMeter } from '../metrics/meter.ts';
import { MAX_SPOKEN_TURN_CHARS } from '../sessions/context-speech.ts';
import { type IdleTimer, JsonSession } from '../sessions/json-session.ts';
import { CLOSE_POLICY } from '../sockets/web-socket.ts';
import type { KeyAccount, Lease } from '../state/key-accounts.ts';
import type { CartesiaServices } from './access.ts';
import { type CartesiaSpeaker, readSpeaker, transcriptExcess } from './speaker.ts';
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

/** Messages in a row that are no JSON object, until the close (cartesia-error-12). */
const MAX_UNREADABLE = 10;
/** Contexts of a connection that are not over (cartesia-limit-7). Plans bound those that speak. */
const MAX_CONTEXTS = 100;
/** Ids that are known to be over, and their characters. A client that uses an older one again opens it anew (cartesia-context-8). */
const MAX_ENDED = { ids: 1000, chars: 64_000 };

const invalid = (message: string): CartesiaError => ({ name: 'invalid_request', message });

/** One connection: contexts, which speak independently of one another. An error ends its context only. */
export class CartesiaSession extends JsonSession<Options> {
  readonly #contexts = new Map<string, SpokenContext>();
  readonly #ended = new Set<string>();
  #endedChars = 0;
  /** Its time passes only while nothing is spoken. */
  readonly #idle: IdleTimer;
  #unreadable = 0;

  constructor(options: Options) {
    super(options);
    this.#idle = this.idleTimer(
      IDLE_CONNECTION_MS,
      () => this.isBusy,
      () => this.close(CLOSE_CODES.normal, IDLE_REASON),
    );
  }

  protected get contexts(): readonly SpokenContext[] {
    return [...this.#contexts.values()];
  }

  protected read(fields: Fields): void {
    this.#idle.touch();
    this.#unreadable = 0;
    const parsed = parseRequest(fields, this.options.version);
    if (!parsed.ok) {
      this.#fail(namedContext(fields), invalid(describeIssues(parsed.issues)));
    } else if (parsed.value.kind === 'generation') this.#generate(parsed.value);
    else {
      const context = this.#contexts.get(parsed.value.context);
      if (context) context.cancel();
      else this.#log('cancel of an unknown context ignored');
    }
  }

  protected unreadable(problem: string): void {
    this.#idle.touch();
    this.#unreadable += 1;
    this.#fail(null, invalid(problem));
    if (this.#unreadable >= MAX_UNREADABLE) this.close(CLOSE_POLICY, problem);
  }

  /** Ignores binary messages (cartesia-limit-6). */
  binary(): void {
    this.#log('binary message ignored');
  }

  override gone(): void {
    super.gone();
    this.options.lease.leave();
  }

  #generate(request: Generation): void {
    const id = request.context ?? randomUUID();
    const known = this.#contexts.get(id);
    const found = readSpeaker(request.settings, this.options.services.voices);
    const refusal =
      transcriptExcess(request) ??
      this.#refusalOf(id, request, known) ??
      ('refusal' in found ? found.refusal : null);
    if (refusal) this.#fail(id, refusal);
    else if ('speaker' in found) (known ?? this.#open(id, found.speaker)).say(request, found.speaker);
  }

  #refusalOf(
    id: string,
    { transcript, settings }: Generation,
    known: SpokenContext | undefined,
  ): CartesiaError | null {
    if (this.#ended.has(id))
      return invalid(
        'The context has expired, or an earlier request on it has failed; use a new context_id.',
      );
    if (!known) {
      if (!hasWord(transcript)) return { name: 'invalid_transcript' };
      return this.#contexts.size < MAX_CONTEXTS
        ? null
        : {
            name: 'concurrency_limited',
            message: `expected at most ${MAX_CONTEXTS} contexts of a connection`,
          };
    }
    if (known.isTooLongWith(transcript))
      return invalid(
        `transcript: expected at most ${MAX_SPOKEN_TURN_CHARS} characters without a flush, got more`,
      );
    if (known.isEnding) return invalid('An earlier request has ended this context; use a new context_id.');
    return known.fits(settings) ? null : invalid('Voice and output format cannot change within a context.');
  }

  #open(id: string, speaker: CartesiaSpeaker): SpokenContext {
    const context = new SpokenContext({
      ...this.partsOfContext(() => this.#fail(id, { name: 'internal_error' })),
      id,
      speaker,
      admit: () => this.#admit(id),
      finished: () => this.#end(id),
    });
    this.#contexts.set(id, context);
    return context;
  }

  async #admit(id: string): Promise<Lease | null> {
    const { account, services } = this.options;
    const lease = await services.accounts.admit(account, 'contexts');
    if (!('refusal' in lease)) return lease;
    this.#fail(id, { name: lease.refusal });
    return null;
  }

  /** Sends an error, which ends its context. @param id null for the connection, which stays open */
  #fail(id: string | null, error: CartesiaError): void {
    if (this.isOver) return;
    const { meter, requestId, version } = this.options;
    meter.refused(error.name);
    this.#contexts.get(id ?? '')?.stop();
    this.send(JSON.stringify(errorFrame(error, id, version, requestId)));
    if (id !== null) this.#end(id);
  }

  /** A frame with `done` was sent. */
  #end(id: string): void {
    this.#contexts.delete(id);
    this.#remember(id);
    this.#idle.touch();
    this.closeIfLeaving();
  }

  #remember(id: string): void {
    if (this.#ended.has(id)) return;
    this.#ended.add(id);
    this.#endedChars += id.length;
    for (const oldest of this.#ended) {
      if (this.#ended.size <= MAX_ENDED.ids && this.#endedChars <= MAX_ENDED.chars) break;
      this.#ended.delete(oldest);
      this.#endedChars -= oldest.length;
    }
  }

  #log(what: string): void {
    const { services, requestId } = this.options;
    services.log.info({ requestId }, what);
  }
}
