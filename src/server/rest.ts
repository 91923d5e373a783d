import { MIMEType } from 'node:util';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { describeIssues, issuesOf } from '#protocol/core/issue.ts';
import { parseBounded } from '#protocol/core/json-frame.ts';
import type { z } from '#protocol/core/zod.ts';
import { onClose } from './answers/on-close.ts';
import { BodyRefused, type CallBodies } from './call-bodies.ts';
import { faultFields, type Log } from './log.ts';
import { isAllowedOrigin, remoteOf } from './origin.ts';
import type { Handler } from './reply.ts';
import type { SpeechRequest } from './speech/engine.ts';
import type { KeyAccount } from './state/key-accounts.ts';
import { type Peer, peerOf } from './state/shares.ts';
import { StateUnavailable } from './state/state.ts';

/** A larger body, or one of more JSON values, is refused before it is read. */
export interface BodyLimits {
  bytes: number;
  values: number;
}

const CALL: BodyLimits = { bytes: 256 * 1024, values: 1000 };
/** A voice's reference recording of some minutes. */
export const FILE: BodyLimits = { bytes: 16 * 1024 * 1024, values: 1000 };
/** A form of more parts is refused, because each part takes time to read. */
const MAX_PARTS = 100;
/** Longer headers of a part are refused, because each line and each escape in a name takes time to read. */
const MAX_HEAD_BYTES = 8 * 1024;
const PREFLIGHT_SECONDS = 600;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Methods that change nothing. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Wait before a retry, in seconds. */
const RETRY_SECONDS = 5;
/** Header of a refusal that a retry may overcome (wire-http-1). */
export const RETRY_AFTER = { 'Retry-After': `${RETRY_SECONDS}` } as const;

/** Statuses of refusals that a retry may overcome. */
const MAY_RETRY: ReadonlySet<number> = new Set([429, 503]);

/** Ends a request with an error in the vendor's form: JSON, or a text. The headers say when a retry may succeed. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;
  readonly body: object | string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    body: object | string,
    headers: Readonly<Record<string, string>> = {},
    mayRetry = MAY_RETRY.has(status),
  ) {
    super(`${status}`);
    this.status = status;
    this.body = body;
    this.headers = { ...(mayRetry && RETRY_AFTER), ...headers };
  }
}

interface Env {
  Bindings: HttpBindings;
  Variables: {
    bodies: CallBodies;
    /** Who calls, where `accountOf` or a route has found it. */
    account: KeyAccount;
  };
}

export type Rest = Hono<Env>;
export type RestContext = Context<Env>;

/** The calls of a vendor. */
export interface VendorRest {
  /** Body of an error, also of those that this module finds. */
  error(status: number, message: string, c: RestContext): object | string;
  /** Body of the error 400 for a call whose body has this problem; that of `error` unless given. */
  invalid?(problem: string, c: RestContext): object | string;
  /** Further headers of an error. */
  errorHeaders?(body: object | string): Readonly<Record<string, string>>;
  /** Status and message for a known path that has no such method, or is not offered. */
  notOffered: readonly [status: number, message: string];
  /** Paths of the vendor that are not offered here. */
  missing?: readonly string[];
  /** Adds the calls that need no key. */
  openRoutes?(rest: Rest): void;
  /** The account of each other call. Throws the refusal of its key. Without it, each route looks for itself. */
  accountOf?(c: RestContext): KeyAccount | Promise<KeyAccount>;
  /** Adds the other calls. */
  routes(rest: Rest): void;
}

interface Mounted extends VendorRest {
  /** Path of the vendor's host. */
  prefix: string;
  bodies: CallBodies;
  log: Log;
}

/**
 * The REST calls of a vendor: its routes, and what all vendors share: origins, body limit, errors. A path with a slash at
 * its end is that without.
 */
export function createRest({
  prefix,
  bodies,
  log,
  error,
  invalid = (problem, c) => error(400, problem, c),
  errorHeaders = () => ({}),
  notOffered,
  missing = [],
  openRoutes,
  accountOf,
  routes,
}: Mounted): Handler {
  const rest: Rest = new Hono<Env>({ strict: false }).basePath(prefix);
  const refuse = (c: RestContext, status: number, message: string) =>
    new Refused(status, error(status, message, c));
  rest.use(async (c, next) => {
    // A page of this machine may use the calls. The browser withholds answers from others, and nothing is done for them.
    const { origin, host } = c.env.incoming.headers;
    c.header('Cross-Origin-Resource-Policy', 'cross-origin');
    if (!isAllowedOrigin(origin, host) && !SAFE.has(c.req.method)) throw refuse(c, 403, 'Foreign origin');
    c.set('bodies', bodies);
    await next();
  });
  rest.use(
    cors({
      origin: (origin, c) => (isAllowedOrigin(origin, c.env.incoming.headers.host) ? origin : null),
      allowMethods: METHODS,
      // Each vendor has headers of its own, and the relay does not know them. All that are requested are allowed.
      exposeHeaders: ['*'],
      maxAge: PREFLIGHT_SECONDS,
    }),
  );
  openRoutes?.(rest);
  if (accountOf) {
    rest.use(async (c, next) => {
      c.set('account', await accountOf(c));
      await next();
    });
  }
  routes(rest);
  const known = new Set(rest.routes.filter(({ method }) => method !== 'ALL').map(({ path }) => path));
  for (const path of [...known, ...missing.map((each) => `${prefix}${each}`)]) {
    // Paths of routes include the prefix.
    rest.all(path.slice(prefix.length) || '/', (c) => {
      throw refuse(c, ...notOffered);
    });
  }
  rest.notFound((c) => {
    throw refuse(c, 404, 'Not found');
  });
  const refusalOf = (fault: unknown, c: RestContext): Refused => {
    if (fault instanceof Refused) return fault;
    if (fault instanceof BodyRefused) {
      const { status, message } = fault;
      const body = status === 400 ? invalid(message, c) : error(status, message, c);
      // A connection with an unfinished body cannot be used again.
      return status === 408 ? new Refused(status, body, { Connection: 'close' }) : new Refused(status, body);
    }
    if (fault instanceof StateUnavailable) {
      return refuse(c, 503, 'This cannot be stored now, try again shortly');
    }
    return refuse(c, 500, 'Internal server error');
  };
  rest.onError((fault, c) => {
    const refused = refusalOf(fault, c);
    // A client that left in the middle of its request is no fault of the server.
    if (refused !== fault && refused.status === 500 && !c.env.incoming.errored)
      log.error(faultFields(fault), 'request failed');
    const headers = { 'Cache-Control': 'no-store', ...errorHeaders(refused.body), ...refused.headers };
    const { body } = refused;
    const status = refused.status as ContentfulStatusCode;
    return typeof body === 'string' ? c.text(body, status, headers) : c.json(body, status, headers);
  });
  const listener = getRequestListener(rest.fetch, { overrideGlobalObjects: false });
  return async (request, response) => {
    await listener(request, response);
  };
}

export const json = (c: RestContext, value: unknown, status: ContentfulStatusCode = 200): Response =>
  c.json(value, status, { 'Cache-Control': 'no-store' });

/** The rows that a page has, by a query. @param wrong makes the refusal of another number */
export function pageSize(
  query: URLSearchParams,
  name: string,
  { usual, max }: { usual: number; max: number },
  wrong: (problem: string) => Refused,
): number {
  const text = query.get(name) ?? `${usual}`;
  const size = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (size >= 1 && size <= max) return size;
  throw wrong(`${name}: expected a whole number from 1 to ${max}`);
}

/** Runs a task when the answer is sent or its client has left. */
export function onLeave(c: RestContext, task: () => void): void {
  onClose(c.env.outgoing, task);
}

/** Share of a request at the engine: the requests of one address together get that of one connection. */
export const engineShare = (c: RestContext): Pick<SpeechRequest, 'session' | 'context'> => ({
  session: remoteOf(c.env.incoming),
  context: String(c.env.outgoing.getHeader('x-request-id')),
});

/** Who calls, to count what the server keeps for them. */
export const callerOf = (c: RestContext): Peer => peerOf(remoteOf(c.env.incoming), c.var.account);

/** Reads the JSON object of a body. */
export const readBody = <S extends z.ZodMiniType>(
  c: RestContext,
  schema: S,
  limits = CALL,
): Promise<z.output<S>> =>
  c.var.bodies.read(c.env.incoming, limits.bytes, (bytes) => parseBody(bytes.toString(), schema, limits));

/** Reads the JSON object of a body's text. */
export function parseBody<S extends z.ZodMiniType>(
  text: string,
  schema: S,
  { values }: Pick<BodyLimits, 'values'> = CALL,
): z.output<S> {
  const read = parseBounded(text, values);
  if (!('fields' in read)) throw new BodyRefused(400, `expected a JSON object, got ${read.kind}`);
  const parsed = schema.safeParse(read.fields);
  if (parsed.success) return parsed.data;
  const issues = issuesOf(parsed.error, read.fields);
  throw new BodyRefused(400, describeIssues(issues), issues);
}

/** Reads the parts of a form with files. */
export function readForm(c: RestContext): Promise<FormData> {
  const type = c.req.header('content-type') ?? '';
  return c.var.bodies.read(c.env.incoming, FILE.bytes, (bytes) => {
    const excess = excessOfForm(bytes, type);
    if (excess !== null) throw new BodyRefused(400, `expected ${excess}`);
    const headers = { 'Content-Type': type };
    return new Response(new Uint8Array(bytes), { headers }).formData().catch(() => {
      throw new BodyRefused(400, `expected ${A_FORM}`);
    });
  });
}

const A_FORM = 'a body of multipart/form-data';

/** Names the bound that a form exceeds; null where it exceeds none. */
function excessOfForm(form: Buffer, type: string): string | null {
  const boundary = `--${boundaryOf(type) ?? ''}`;
  if (boundary === '--') return A_FORM;
  let parts = 0;
  for (let at = form.indexOf(boundary); at !== -1; at = form.indexOf(boundary, at)) {
    at += boundary.length;
    // The last boundary has no part.
    if (form.toString('latin1', at, at + 2) === '--') continue;
    parts += 1;
    if (parts > MAX_PARTS) return `at most ${MAX_PARTS} parts`;
    if (!form.subarray(at, at + MAX_HEAD_BYTES).includes('\r\n\r\n'))
      return `headers of at most ${MAX_HEAD_BYTES} bytes in each part`;
  }
  return null;
}

/** Reads a type as the parser of forms does, so that both see the same parts. Null for another type. */
function boundaryOf(type: string): string | null {
  try {
    const { essence, params } = new MIMEType(type);
    return essence === 'multipart/form-data' ? params.get('boundary') : null;
  } catch {
    return null;
  }
}

/** Address of a path on this server as the client named it. */
export function absolute(c: RestContext, path: string): string {
  const { host = '', 'x-forwarded-proto': forwarded } = c.env.incoming.headers;
  return `${forwarded === 'https' ? 'https' : 'http'}://${host}${path}`;
}
