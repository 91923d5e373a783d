import { encodeBase64Url } from '#lib/base64.ts';
import type { Endpoint, EndpointId, Settings } from '#protocol/core/endpoint.ts';
import { describeIssue } from '#protocol/core/issue.ts';
import type { Setting } from '#protocol/core/settings.ts';
import { z } from '#protocol/core/zod.ts';
import { PAGE_ENDPOINTS } from '#protocol/registry.ts';
import { withoutNamedSecrets } from '#trace/secrets/named-secrets.ts';
import type { Redaction } from '#trace/secrets/redaction.ts';
import { describedSettings } from '../settings/setting-value.ts';
import { type CastMember, MAX_CAST, SCRIPT_CHARS, speakerProblem } from '../stores/scene-store.ts';
import type { PageSettings } from '../stores/settings-store.ts';

/**
 * A link that restores a set-up: endpoint, server, settings, text and its source. The link is a fragment, which browsers
 * send to no server. Opening it sends nothing, and its server is only a proposal, so that no link redirects a key.
 */
export interface LinkedSession {
  endpoint: EndpointId;
  server: LinkedServer;
  settings: Settings;
  /** On an endpoint with contexts, the script. */
  text: string;
  /** The simulated model; null for typed text. */
  source: PageSettings['simulation'] | null;
  /** Empty without contexts. */
  cast: readonly Pick<CastMember, 'name' | 'settings'>[];
}

export type LinkedServer = { id: string } | { address: string };

/** How a fragment begins, with the version of its contents. */
const NAME = 'session=';
const VERSION = '1.';
/** Every browser and most chat programs keep a link of this length. */
const MAX_LINK_CHARS = 16_000;
/** Stops a decompression bomb. An honest link is far shorter. */
const MAX_PLAIN_CHARS = 200_000;
const MAX_ADDRESS_CHARS = 300;

export interface LinkProblem {
  problem: string;
}

/** @param why with or without a full stop */
const brokenLink = (why: string): LinkProblem => ({
  problem: `The link cannot be used: ${why.replace(/\.$/, '')}.`,
});

export type LinkResult = { fragment: string; leftOut: string[] } | LinkProblem;

/**
 * Returns the fragment for a session, without `#`. `leftOut` names settings that are not shared: unknown ones, and
 * secrets by their name.
 * @param redaction of all known keys, which the text may contain
 */
export async function writeLink(session: LinkedSession, redaction: Redaction): Promise<LinkResult> {
  const endpoint = PAGE_ENDPOINTS.find(({ id }) => id === session.endpoint);
  if (!endpoint) return { problem: `The endpoint ${session.endpoint} is not known.` };
  const leftOut = new Set<string>();
  const shared = (settings: Settings, described: readonly Setting[]): Settings => {
    const kept = describedSettings(settings, described);
    for (const field of Object.keys(settings)) if (!Object.hasOwn(kept, field)) leftOut.add(field);
    return kept;
  };
  const { source } = session;
  const value = {
    e: endpoint.id,
    s: shared(session.settings, endpoint.settings),
    v: 'id' in session.server ? session.server.id : plainAddress(session.server.address, endpoint),
    t: redaction.words(withoutNamedSecrets(session.text)),
    ...(source ? { m: [source.preset, source.tokensPerSecond, source.jitter, source.seed] } : {}),
    ...(session.cast.length > 0
      ? { c: session.cast.map(({ name, settings }) => [name, shared(settings, castSettings(endpoint))]) }
      : {}),
  };
  const json = String(redaction.frame(JSON.stringify(value)));
  const fragment = `${NAME}${VERSION}${await packed(json)}`;
  if (fragment.length <= MAX_LINK_CHARS) return { fragment, leftOut: [...leftOut] };
  return {
    problem: `The text is too long for a link: ${fragment.length} characters, at most ${MAX_LINK_CHARS} can be shared. Export a recording instead.`,
  };
}

/** Reads a link: the session, a problem, or null for a fragment that is no link. Sends nothing. */
export async function readLink(fragment: string): Promise<LinkedSession | LinkProblem | null> {
  const text = fragment.startsWith('#') ? fragment.slice(1) : fragment;
  if (!text.startsWith(NAME)) return null;
  const rest = text.slice(NAME.length);
  if (!rest.startsWith(VERSION)) return brokenLink('it is of another version');
  if (text.length > MAX_LINK_CHARS) return brokenLink(`it is longer than ${MAX_LINK_CHARS} characters`);
  let value: unknown;
  try {
    value = JSON.parse(await unpacked(rest.slice(VERSION.length)));
  } catch {
    return brokenLink('it is incomplete');
  }
  const parsed = linkSchema.safeParse(value);
  if (!parsed.success)
    return brokenLink(`its field ${parsed.error.issues[0]?.path.join('.') || '(root)'} is wrong`);
  const { e, v, s, t, m, c } = parsed.data;
  const endpoint = PAGE_ENDPOINTS.find(({ id }) => id === e);
  if (!endpoint) return brokenLink(`its endpoint ${JSON.stringify(e)} is not known here`);
  const server = serverOf(v, endpoint);
  if ('problem' in server) return brokenLink(server.problem);
  const issues = [
    ...endpoint.checkSettings(s),
    ...(c ?? []).flatMap(([, settings]) => endpoint.contexts?.checkSettings(settings) ?? []),
  ];
  if (issues[0]) return brokenLink(describeIssue(issues[0]));
  const cast = (endpoint.contexts ? (c ?? []) : []).map(([name, settings]) => ({
    name,
    settings: describedSettings(settings, castSettings(endpoint)),
  }));
  for (const [at, { name }] of cast.entries()) {
    const problem = speakerProblem(cast.slice(0, at), name);
    if (problem !== null) return brokenLink(`its cast has a wrong name. ${problem}`);
  }
  return {
    endpoint: endpoint.id,
    server,
    settings: describedSettings(s, endpoint.settings),
    text: t,
    source: m ? { preset: m[0], tokensPerSecond: m[1], jitter: m[2], seed: m[3] } : null,
    cast,
  };
}

const settingsSchema = z.record(z.string().check(z.maxLength(100)), z.unknown());

/** Keys are one letter, because links are short. */
const linkSchema = z.object({
  e: z.string().check(z.maxLength(100)),
  v: z.string().check(z.maxLength(MAX_ADDRESS_CHARS)),
  s: settingsSchema,
  t: z.string().check(z.maxLength(SCRIPT_CHARS)),
  m: z.optional(
    z.tuple([
      z.string().check(z.maxLength(40)),
      z.nullable(z.number().check(z.gte(0.5), z.lte(1000))),
      z.nullable(z.number().check(z.gte(0), z.lte(1))),
      z.int().check(z.gte(0), z.lte(999_999)),
    ]),
  ),
  c: z.optional(
    z
      .array(z.tuple([z.string().check(z.minLength(1), z.maxLength(40)), settingsSchema]))
      .check(z.maxLength(MAX_CAST)),
  ),
});

/** An id has no colon, an address does. */
function serverOf(text: string, endpoint: Endpoint): LinkedServer | LinkProblem {
  if (endpoint.servers.some(({ id }) => id === text)) return { id: text };
  if (!URL.canParse(text)) return { problem: `its server ${JSON.stringify(text)} is not known here` };
  const { protocol, username, password, search, hash } = new URL(text);
  const isPlain = (protocol === 'ws:' || protocol === 'wss:') && !(username || password || search || hash);
  return isPlain ? { address: text } : { problem: 'its server is no plain WebSocket address' };
}

/** Leaves out an invalid address and any key in its query, so that no link carries a secret. */
function plainAddress(text: string, endpoint: Endpoint): string {
  if (!URL.canParse(text)) return endpoint.servers[0]?.id ?? '';
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname.replace(/(?<!\/)\/+$/, '')}`;
}

const castSettings = (endpoint: Endpoint): readonly Setting[] => endpoint.contexts?.settings ?? [];

/** Returns a text as the part of an address. */
const packed = async (text: string): Promise<string> =>
  encodeBase64Url(await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(text)));

/** The inverse of {@link packed}. @throws an error for invalid or too long text */
async function unpacked(text: string): Promise<string> {
  if (!/^[\w-]*$/.test(text)) throw new TypeError('The text is no base64.');
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  const plain = await through(new DecompressionStream('deflate-raw'), bytes, MAX_PLAIN_CHARS);
  return new TextDecoder('utf-8', { fatal: true }).decode(plain);
}

/** Returns the output of a stream. @throws RangeError for more than `maxBytes` */
async function through(
  stream: CompressionStream | DecompressionStream,
  bytes: Uint8Array<ArrayBuffer>,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    length += part.value.length;
    if (length > maxBytes) {
      await reader.cancel();
      throw new RangeError(`More than ${maxBytes} bytes.`);
    }
    parts.push(part.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
