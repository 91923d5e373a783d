import type { Endpoint } from '#protocol/core/endpoint.ts';
import { type Fields, fieldsOf, parseBounded } from '#protocol/core/json-frame.ts';
import { z } from '#protocol/core/zod.ts';
import { ENDPOINTS, vendorOf } from '#protocol/registry.ts';
import type { NewEntry, RecordEntry } from './entry.ts';

/**
 * REST calls of a program, as a recording of the server. A call is a turn: the head of its request, the parts of the
 * body, the head of its answer, the parts of that body, and its end.
 */

/** The REST API of a vendor. */
export interface RestApi {
  /** Stands in recordings in place of an endpoint's registry name. */
  id: string;
  title: string;
  /** The path prefix of the vendor's host on the local server. */
  localPrefix: Endpoint['localPrefix'];
}

export const REST_APIS: readonly RestApi[] = [
  ...new Map(ENDPOINTS.map((endpoint) => [endpoint.localPrefix, endpoint])).values(),
].map((endpoint) => ({
  id: `${vendorOf(endpoint)}-rest`,
  title: `${endpoint.vendor} REST`,
  localPrefix: endpoint.localPrefix,
}));

/** Returns the API whose calls a recording holds; null for a recording of sockets. */
export const restApiOf = (endpoint: string): RestApi | null =>
  REST_APIS.find(({ id }) => id === endpoint) ?? null;

/** Kinds of the entries of a call, beside those of faults. */
export const CALL_KINDS = {
  request: 'request',
  body: 'body',
  response: 'response',
  /** A response with a status of 400 or more. */
  refusal: 'error',
  ended: 'ended',
  /** The end of a call whose answer the server or the vendor broke off. */
  brokenOff: 'failed',
} as const;

const FIRST_REFUSAL = 400;
export const isRefusal = ({ status }: Pick<ResponseHead, 'status'>): boolean => status >= FIRST_REFUSAL;

/** Names in lower case. */
const headersSchema = z.record(z.string(), z.string());

const requestSchema = z.object({
  method: z.string(),
  /** On the vendor's host, with its query. */
  path: z.string(),
  headers: headersSchema,
});
export type RequestHead = z.output<typeof requestSchema>;

const responseSchema = z.object({ status: z.int(), reason: z.string(), headers: headersSchema });
export type ResponseHead = z.output<typeof responseSchema>;

/** `bytes` passed on. Parts of them were recorded up to `kept` decompressed bytes, where the rest is missing. */
const sizeSchema = z.object({ bytes: z.int(), kept: z.optional(z.int()) });
export type BodySize = z.output<typeof sizeSchema>;

const endSchema = z.object({ how: z.string(), sent: sizeSchema, received: sizeSchema });
export type CallEnd = z.output<typeof endSchema>;

type Read = { request: RequestHead } | { response: ResponseHead } | { end: CallEnd };

/** Reads an entry of a call. Null for a body, an entry of a socket, and what an other program wrote differently. */
export function readCallEntry({
  kind,
  turn,
  payload,
}: Pick<RecordEntry, 'kind' | 'turn'> & { payload: RecordEntry['payload'] | null }): Read | null {
  const fields =
    turn === null || payload === null || !HAS_FIELDS.has(kind) ? null : fieldsOf(payload, parseBounded);
  if (!fields) return null;
  // That of its kind first, because a failure takes longer than a match.
  const first = READERS[kind] ?? readRequest;
  return first(fields) ?? readRequest(fields) ?? readResponse(fields) ?? readEnd(fields);
}

type ReadFields = (fields: Fields) => Read | null;

const readRequest: ReadFields = (fields) => {
  const read = requestSchema.safeParse(fields);
  return read.success ? { request: read.data } : null;
};
const readResponse: ReadFields = (fields) => {
  const read = responseSchema.safeParse(fields);
  return read.success ? { response: read.data } : null;
};
const readEnd: ReadFields = (fields) => {
  const read = endSchema.safeParse(fields);
  return read.success ? { end: read.data } : null;
};

const READERS: Readonly<Record<string, ReadFields | undefined>> = {
  [CALL_KINDS.request]: readRequest,
  [CALL_KINDS.response]: readResponse,
  [CALL_KINDS.refusal]: readResponse,
  [CALL_KINDS.ended]: readEnd,
  [CALL_KINDS.brokenOff]: readEnd,
};

const HAS_FIELDS: ReadonlySet<string> = new Set(
  Object.values(CALL_KINDS).filter((kind) => kind !== CALL_KINDS.body),
);

/** What the entries of one call say. */
export class RecordedCall {
  request: RequestHead = { method: 'GET', path: '', headers: {} };
  response: ResponseHead | null = null;
  end: CallEnd | null = null;
  /** The server or the vendor broke the answer off. */
  isBrokenOff = false;
  readonly firstUs: number;
  readonly lastUs: number;
  /** Of the last part of the request before its answer. A refusal may come before the body. */
  sentUs: number;
  answeredUs: number;
  /** Parts of the bodies. Their payloads may be on disk. */
  readonly #sent: NewEntry[] = [];
  readonly #received: NewEntry[] = [];

  constructor(entries: readonly NewEntry[]) {
    this.firstUs = entries[0]?.atUs ?? 0;
    this.lastUs = entries.at(-1)?.atUs ?? 0;
    this.sentUs = this.firstUs;
    this.answeredUs = this.lastUs;
    for (const entry of entries) this.#take(entry);
  }

  /** Parts of the body. */
  get sent(): RecordEntry['payload'][] {
    return this.#sent.map(({ payload }) => payload);
  }

  get received(): { atUs: number; part: RecordEntry['payload'] }[] {
    return this.#received.map(({ atUs, payload }) => ({ atUs, part: payload }));
  }

  #take(entry: NewEntry): void {
    const { kind, direction, atUs } = entry;
    if (direction === 'out' && !this.response) this.sentUs = atUs;
    if (kind === CALL_KINDS.brokenOff) this.isBrokenOff = true;
    if (kind === CALL_KINDS.body) {
      (direction === 'out' ? this.#sent : this.#received).push(entry);
      return;
    }
    const read = readCallEntry(entry);
    if (!read) return;
    if ('request' in read) this.request = read.request;
    else if ('end' in read) this.end = read.end;
    else {
      this.response = read.response;
      this.answeredUs = atUs;
    }
  }
}
