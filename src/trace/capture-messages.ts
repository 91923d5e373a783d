import { encodeBase64 } from '#lib/base64.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { z } from '#protocol/core/zod.ts';

/**
 * Messages of `/capture`, over which a page watches the other clients of its server. `GET` of the same path returns an
 * answer of `captureAccessSchema`; the socket takes the token as `?token=`. All times are ms since 1970 on the server's clock.
 */
export const CAPTURE_PATH = '/capture';

/** Null where the server captures nothing. */
export const captureAccessSchema = z.object({ token: z.nullable(z.string()) });

/** Another client of the server: one connection, or the REST calls of one program. */
const clientSchema = z.object({
  /** The `x-request-id` of its handshake or its first call, unless a vendor behind the relay sent its own. */
  id: z.string(),
  /** Registry name, or that of a {@link RestApi}; empty for an endpoint that the page cannot decode. */
  endpoint: z.string(),
  /** As the client sees it, without a key. */
  address: z.string(),
  /** Its `User-Agent`; empty without one. */
  program: z.string(),
  startedAtMs: z.number(),
  /** Null while it is open, or may call again. Calls end without a code. */
  end: z.nullable(z.object({ atMs: z.number(), code: z.nullable(z.int()), reason: z.string() })),
  /** Null for a connection. */
  calls: z.nullable(z.object({ running: z.int(), failed: z.int() })),
  /** Payload bytes of frames and bodies, both ways. */
  bytes: z.int(),
  /** Or calls. */
  turns: z.int(),
  /** Null where the length of some audio is unknown. */
  audioMs: z.nullable(z.number()),
  findings: z.object({ violations: z.int(), warnings: z.int(), advice: z.int() }),
  /** Entries that were dropped to make room. */
  lost: z.int(),
});
export type CapturedClient = z.output<typeof clientSchema>;

const entrySchema = z.object({
  atMs: z.number(),
  /** `connection`: one of its own events, with a JSON payload. */
  direction: z.literal(['out', 'in', 'connection']),
  /** `opening`, `opened`, `closed` or `fault` of the connection itself; empty for a frame. See {@link CALL_KINDS}. */
  kind: z.string(),
  /** Number of the call that it belongs to, from 1. */
  call: z.optional(z.int().check(z.positive())),
  /** Exactly one of the two. */
  text: z.optional(z.string()),
  base64: z.optional(z.string()),
});
export type CapturedMessage = z.output<typeof entrySchema>;

/** Page to server. A watched client is sent from its first kept entry on. */
export const pageMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('watch'), client: z.string() }),
  z.object({ type: z.literal('unwatch'), client: z.string() }),
]);

export type PageMessage = z.output<typeof pageMessageSchema>;

/** Server to page. */
export const captureMessageSchema = z.discriminatedUnion('type', [
  /** Clients that are new or have changed, and those whose entries are gone. The first one holds all. */
  z.object({ type: z.literal('clients'), changed: z.array(clientSchema), gone: z.array(z.string()) }),
  z.object({
    type: z.literal('entries'),
    client: z.string(),
    entries: z.array(entrySchema),
    /** Entries dropped to make room right before these. */
    lost: z.int(),
    /** All entries up to this time have been sent. */
    untilMs: z.number(),
    /** Now, so that the page can relate this clock to its own. */
    sentAtMs: z.number(),
    /** No more will come. */
    isLast: z.boolean(),
  }),
  /** A fault was injected into a connection whose address carries this mark. */
  z.object({ type: z.literal('fault'), mark: z.string(), atMs: z.number(), what: z.string() }),
]);
export type CaptureMessage = z.output<typeof captureMessageSchema>;
export type FaultReport = Extract<CaptureMessage, { type: 'fault' }>;

export interface CapturedEntry extends Pick<CapturedMessage, 'atMs' | 'direction' | 'kind' | 'call'> {
  payload: Frame;
}

export const messageOfEntry = ({ payload, ...head }: CapturedEntry): CapturedMessage =>
  typeof payload === 'string' ? { ...head, text: payload } : { ...head, base64: encodeBase64(payload) };
