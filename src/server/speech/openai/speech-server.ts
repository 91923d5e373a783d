import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultFields, SpeechFault } from './speech-fault.ts';

/** Address of a server with OpenAI's `POST /v1/audio/speech`, and what to send it. */
export interface SpeechServerSettings {
  /** Base address as clients of OpenAI take it, with `/v1`, without a trailing slash. */
  readonly url: URL;
  /** Empty for a server without keys. */
  readonly key: string;
  readonly model: string;
  /** Of audio that does not state its rate, in Hz. */
  readonly sampleRate: number;
  /** Longest time of the server without an answer, and without audio of it. */
  readonly timeoutMs: number;
  /** Requests at a time. */
  readonly requests: number;
}

/** An answer whose body is read part by part. */
export interface ServerAnswer {
  readonly status: number;
  /** Media type in lower case, without parameters. */
  readonly type: string;
  /** Rate that a header states; undefined without one. */
  readonly statedRate: number | undefined;
  /** Reads no faster than it is pulled. Leaving it early closes the connection. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Extends the time limit of the answer by audio that came, and by the time for which its reader paused. */
  readonly heard: (audioMs: number, pausedMs: number) => void;
  /** Closes the connection of an answer that is not read. */
  readonly close: () => void;
}

/** Attempts after the first, where the server asks for them or has closed an idle connection. */
const RETRIES = 2;
/** Waits before a retry that the server sets no time for. */
const RETRY_AFTER_MS = [250, 1000] as const;
/** Longest time for which one refusal keeps requests away. */
const MAX_QUIET_MS = 60_000;
const PROBE_MS = 2000;
/** Audio that comes slower than at this part of its pace is no progress. Any byte would keep a request for ever. */
const SLOWEST_PACE = 0.1;
/** Statuses of a server that is overloaded, restarting, or behind a proxy that cannot reach it. */
const PASSING = new Set([408, 429, 502, 503, 504, 529]);
/** Read of an error's body. */
const MAX_ERROR_BYTES = 8192;
/** Errors of a connection that the server closed while it was idle. The request was not read. */
const CLOSED_IDLE = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** Calls one speech server over Node's `fetch`: time limits, retries, refusals by name. */
export class SpeechServer {
  readonly #settings: SpeechServerSettings;
  readonly #patienceMs: number;
  /** The server asked for no requests until then. */
  #quietUntilMs = 0;

  /** @param patienceMs longest wait that the server may ask for; a longer one fails the request at once */
  constructor(settings: SpeechServerSettings, patienceMs: number) {
    this.#settings = settings;
    this.#patienceMs = patienceMs;
  }

  /** Address of a path below `/v1`. */
  address(path: string): URL {
    return new URL(`${this.#settings.url.href.replace(/\/$/, '')}${path}`);
  }

  /** Address of a path of the same server outside of `/v1`. */
  outsideAddress(path: string): URL {
    return new URL(`${this.#settings.url.href.replace(/\/(v1\/?)?$/, '')}${path}`);
  }

  /**
   * Requests something and returns any answer but a refusal that a retry may overcome. Throws `signal.reason` after an
   * abort, which closes the connection at once, and a SpeechFault.
   */
  async call(address: URL, body: object | null, signal: AbortSignal): Promise<ServerAnswer> {
    for (let attempt = 0; ; attempt += 1) {
      await this.#wait(signal);
      const exchange = new Exchange(signal, this.#settings.timeoutMs);
      try {
        const answer = this.#withoutKey(await exchange.send(address, this.#request(body)));
        if (!PASSING.has(answer.status)) return answer;
        const code = await errorCode(answer, this.#settings.key);
        const fault = refusalFault(answer.status, code);
        if (attempt >= RETRIES || !fault.isPassing) throw fault;
        this.#beQuiet(exchange.retryAfterMs ?? RETRY_AFTER_MS[attempt] ?? 0);
      } catch (error) {
        exchange.close();
        const mayRetry = error instanceof SpeechFault && CLOSED_IDLE.has(String(error.fields.code));
        if (!mayRetry || attempt >= RETRIES) throw error;
      }
    }
  }

  /** The status of a path, without retries; undefined where there is none soon. */
  async probe(address: URL, signal: AbortSignal): Promise<number | undefined> {
    const exchange = new Exchange(signal, Math.min(PROBE_MS, this.#settings.timeoutMs));
    try {
      return (await exchange.send(address, this.#request(null))).status;
    } catch (error) {
      if (error instanceof SpeechFault) return undefined;
      throw error;
    } finally {
      exchange.close();
    }
  }

  /** Fails with the refusal of an answer that is none of the expected ones. */
  async refuse(answer: ServerAnswer): Promise<never> {
    throw refusalFault(answer.status, await errorCode(answer, this.#settings.key));
  }

  /** A type may be logged. */
  #withoutKey(answer: ServerAnswer): ServerAnswer {
    const { key } = this.#settings;
    return key !== '' && answer.type.includes(key.toLowerCase()) ? { ...answer, type: '' } : answer;
  }

  #request(body: object | null): RequestInit {
    const { key } = this.#settings;
    return {
      method: body === null ? 'GET' : 'POST',
      headers: {
        ...(key === '' ? {} : { Authorization: `Bearer ${key}` }),
        ...(body === null ? {} : { 'Content-Type': 'application/json' }),
      },
      body: body === null ? null : JSON.stringify(body),
      // Another host must not receive the text.
      redirect: 'manual',
    };
  }

  #beQuiet(ms: number): void {
    const untilMs = performance.now() + Math.min(ms, MAX_QUIET_MS);
    this.#quietUntilMs = Math.max(this.#quietUntilMs, untilMs);
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const waitMs = this.#quietUntilMs - performance.now();
    if (waitMs > this.#patienceMs) {
      const fields = { forMs: Math.round(waitMs) };
      throw new SpeechFault('the speech server takes no requests for now', fields, true);
    }
    if (waitMs <= 0) return signal.throwIfAborted();
    await sleep(waitMs, undefined, { signal }).catch(() => {});
    signal.throwIfAborted();
  }
}

/** One request and its answer: one connection, and one time limit for each. */
class Exchange {
  readonly #abort = new AbortController();
  readonly #signal: AbortSignal;
  readonly #timeoutMs: number;
  #deadlineMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isLate = false;
  #receivedBytes = 0;
  /** `Retry-After` of the answer; undefined without a readable one. */
  retryAfterMs: number | undefined;

  constructor(signal: AbortSignal, timeoutMs: number) {
    this.#signal = signal;
    this.#timeoutMs = timeoutMs;
    this.#deadlineMs = performance.now() + timeoutMs;
    signal.addEventListener('abort', this.close, { once: true });
  }

  readonly close = (): void => {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.close);
    this.#abort.abort();
  };

  async send(address: URL, request: RequestInit): Promise<ServerAnswer> {
    const response = await this.#inTime(() => fetch(address, { ...request, signal: this.#abort.signal }));
    this.#deadlineMs = performance.now() + this.#timeoutMs;
    const { status, headers, body } = response;
    this.retryAfterMs = retryAfterMs(headers);
    return {
      status,
      type: mediaType(headers),
      statedRate: statedRate(headers),
      bytes: this.#read(body?.getReader()),
      heard: (audioMs, pausedMs) => {
        const extendedMs = this.#deadlineMs + audioMs / SLOWEST_PACE + pausedMs;
        this.#deadlineMs = Math.min(extendedMs, performance.now() + this.#timeoutMs);
      },
      close: this.close,
    };
  }

  async *#read(
    reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (;;) {
        const part = await this.#inTime(async () => reader?.read());
        if (!part || part.done) return;
        this.#receivedBytes += part.value.length;
        yield part.value;
        this.#signal.throwIfAborted();
      }
    } finally {
      this.close();
    }
  }

  async #inTime<T>(step: () => Promise<T>): Promise<T> {
    this.#signal.throwIfAborted();
    const late = () => {
      this.#isLate = true;
      this.close();
    };
    const leftMs = this.#deadlineMs - performance.now();
    // Bytes without audio that are always there would be read before any timer runs.
    if (leftMs > 0) this.#timer = setTimeout(late, leftMs);
    else late();
    try {
      return await step();
    } catch (error) {
      this.#signal.throwIfAborted();
      throw this.#faultOf(error);
    } finally {
      clearTimeout(this.#timer);
    }
  }

  /** Never the message of the error, which may repeat an address or a header. */
  #faultOf(error: unknown): SpeechFault {
    const fields: FaultFields = this.#receivedBytes > 0 ? { afterBytes: this.#receivedBytes } : {};
    if (this.#isLate) {
      const within = { ...fields, withinMs: this.#timeoutMs };
      const what = this.#receivedBytes > 0 ? 'too little' : 'nothing';
      return new SpeechFault(`the speech server sent ${what} in time`, within, true);
    }
    const coded = { ...fields, code: codeOf(error) };
    if (this.#receivedBytes > 0) return new SpeechFault('the speech server cut the audio off', coded);
    return new SpeechFault('the speech server cannot be reached', coded, true);
  }
}

function refusalFault(status: number, code: string | undefined): SpeechFault {
  const fields = { status, ...(code === undefined ? {} : { code }) };
  const what =
    REFUSALS[status] ?? (status >= 300 && status < 400 ? 'redirects to another address' : 'refused');
  // No time brings credit back.
  const isPassing = PASSING.has(status) && code !== 'insufficient_quota';
  return new SpeechFault(`the speech server ${what}`, fields, isPassing);
}

const REFUSALS: Partial<Record<number, string>> = {
  400: 'does not accept the request',
  401: 'does not accept the key',
  403: 'does not accept the key',
  404: 'has no such path, model or voice',
  422: 'does not accept the request',
  429: 'has too many requests',
  503: 'is overloaded',
};

/** The `code` or `type` of OpenAI's error object. Never its message, which may repeat a text or a key. */
async function errorCode(answer: ServerAnswer, key: string): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of answer.bytes) {
    parts.push(part);
    bytes += part.length;
    if (bytes >= MAX_ERROR_BYTES) break;
  }
  let body: unknown;
  try {
    body = JSON.parse(Buffer.concat(parts).toString());
  } catch {
    return undefined;
  }
  const { error } = (body ?? {}) as { error?: { code?: unknown; type?: unknown } | null };
  const name = [error?.code, error?.type].find((each) => typeof each === 'string');
  const isPlain = typeof name === 'string' && /^[a-z_]{1,40}$/.test(name);
  return isPlain && !(key && name.includes(key)) ? name : undefined;
}

/** `Retry-After` in seconds or as a date, or OpenAI's `retry-after-ms`. */
function retryAfterMs(headers: Headers): number | undefined {
  const exact = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (exact >= 0) return exact;
  const text = headers.get('retry-after') ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

const MEDIA_TYPE = /^[a-z]+\/[a-z0-9.+-]{1,40}$/;

function mediaType(headers: Headers): string {
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  const plain = type.trim().toLowerCase();
  return MEDIA_TYPE.test(plain) ? plain : '';
}

/** `audio/pcm; rate=24000`, or the header `X-Sample-Rate` of some servers. */
function statedRate(headers: Headers): number | undefined {
  const rate = /;\s*rate=(\d{1,6})\b/i.exec(headers.get('content-type') ?? '')?.[1];
  const text = rate ?? headers.get('x-sample-rate') ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}

const CODE = /^[A-Z_0-9]{1,40}$/;

/** The code of a network error, which `fetch` hides in its causes. */
function codeOf(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string' && CODE.test(at.code)) return at.code;
  }
  return 'unknown';
}
