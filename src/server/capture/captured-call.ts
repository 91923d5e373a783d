import type { Frame } from '#protocol/core/frame.ts';
import type { CapturedEntry } from '#trace/capture-messages.ts';
import { FAULT_KIND } from '#trace/entry.ts';
import {
  CALL_KINDS,
  type CallEnd,
  isRefusal,
  type RequestHead,
  type ResponseHead,
} from '#trace/rest-calls.ts';
import { isSecretHeader, KEY_MARK } from '#trace/secrets/named-secrets.ts';
import type { FairMemory, Peer } from '../state/shares.ts';
import { CallBody } from './call-body.ts';
import type { CallCount } from './call-count.ts';
import type { CapturedConnection } from './captured-connection.ts';
import type { BodyPart } from './queued-body.ts';
import { headerSecrets, querySecrets, type SecretFilter } from './secret-filter.ts';

/** Names in lower case. */
type Headers = Readonly<Record<string, unknown>>;

/** A head of a request or an answer, as Node has it. */
type Raw<Head extends { headers: unknown }> = Omit<Head, 'headers'> & { headers: Headers };

interface Options {
  record: CapturedConnection;
  calls: CallCount;
  /** Of this call alone. */
  secrets: SecretFilter;
  waiting: FairMemory;
  peer: Peer;
}

const FORM = /^application\/x-www-form-urlencoded\b/i;

/** Records one call without its secrets. All times are those at which something happened. */
export class CapturedCall {
  readonly #number: number;
  readonly #options: Options;
  readonly #sent: CallBody;
  readonly #isForm: boolean;
  #received: CallBody | null = null;
  /** The body of the request has arrived. */
  #isSent = false;
  #isRefused = false;
  #isOver = false;
  #atMs: number;

  constructor(atMs: number, request: Raw<RequestHead>, options: Options) {
    const { headers, path } = request;
    this.#atMs = atMs;
    this.#options = options;
    this.#number = options.calls.begin();
    options.secrets.learn([...headerSecrets(headers), ...querySecrets(path)]);
    this.#isForm = FORM.test(String(headers['content-type']));
    this.#sent = this.#body('out', headers);
    this.#head('out', CALL_KINDS.request, request);
  }

  injected(atMs: number, what: string): void {
    this.#atMs = atMs;
    if (!this.#isOver) this.#event(FAULT_KIND, { what });
  }

  /** Records a part of the request's body; null for its end. */
  sent(atMs: number, part: BodyPart | null): void {
    this.#atMs = atMs;
    if (this.#isOver) return;
    this.#options.record.bytes += part?.length ?? 0;
    if (part) this.#sent.add(part);
    else {
      this.#isSent = true;
      this.#sent.end(() => {});
    }
  }

  answered(atMs: number, response: Raw<ResponseHead>): void {
    this.#atMs = atMs;
    this.#isRefused = isRefusal(response);
    this.#received = this.#body('in', response.headers);
    this.#head('in', this.#isRefused ? CALL_KINDS.refusal : CALL_KINDS.response, response);
  }

  /** Records a part of the answer's body. */
  received(atMs: number, part: BodyPart): void {
    this.#atMs = atMs;
    if (this.#isOver) return;
    this.#options.record.bytes += part.length;
    this.#received?.add(part);
  }

  /** @param isBroken the server broke the answer off */
  ended(atMs: number, how: string, isBroken: boolean): void {
    this.#atMs = atMs;
    if (this.#isOver) return;
    this.#isOver = true;
    if (!this.#isSent) this.#sent.breakOff();
    const last = () => {
      const end: CallEnd = { how, sent: this.#sent.size, received: this.#received?.size ?? { bytes: 0 } };
      this.#event(isBroken ? CALL_KINDS.brokenOff : CALL_KINDS.ended, end);
      this.#options.calls.end(isBroken || this.#isRefused);
    };
    if (this.#received) this.#received.end(last);
    else last();
  }

  #body(direction: 'out' | 'in', headers: Headers): CallBody {
    const { waiting, peer } = this.#options;
    const record = (part: Frame) => this.#part(direction, part);
    return new CallBody({ headers, isAnswer: direction === 'in', waiting, peer, record });
  }

  #part(direction: 'out' | 'in', part: Frame): void {
    const { secrets } = this.#options;
    // The first field of a form is named like that of a query.
    const isForm = this.#isForm && direction === 'out' && typeof part === 'string';
    const payload = isForm ? secrets.frame('out', `?${part}`).slice(1) : secrets.frame(direction, part);
    this.#append({ direction, kind: CALL_KINDS.body, payload });
  }

  #head(direction: 'out' | 'in', kind: string, head: Raw<RequestHead> | Raw<ResponseHead>): void {
    const { secrets } = this.#options;
    const headers = Object.entries(head.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[secrets.words(name), isSecretHeader(name) ? KEY_MARK : String(value)]],
    );
    this.#append({
      direction,
      kind,
      payload: secrets.json({ ...head, headers: Object.fromEntries(headers) }),
    });
  }

  #event(kind: string, what: object): void {
    this.#append({ direction: 'connection', kind, payload: this.#options.secrets.json(what) });
  }

  #append(entry: Omit<CapturedEntry, 'atMs' | 'call'>): void {
    this.#options.record.append({ ...entry, call: this.#number }, this.#atMs);
  }
}
