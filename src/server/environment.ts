import { connectOrigin, type PageOrigins } from './headers.ts';
import type { KeyList } from './keys.ts';
import { isLoopbackHost } from './origin.ts';
import { type RelayTargets, readTarget, VENDOR_HOSTS } from './relay/targets.ts';
import { type EngineSettings, readEngineSettings } from './speech/engine-settings.ts';

/** Settings from environment variables. */
export interface Environment {
  host: string;
  /** 0 selects any free port. */
  port: number;
  logLevel: string;
  keys: KeyList;
  /** Further names that the server answers to. */
  hosts: string[];
  /** The vendor that is mounted at `/` as well; null for none. */
  root: string | null;
  /** Further origins that the page may connect to. */
  connect: PageOrigins['extra'];
  /** The hosts of the relay. */
  relays: RelayTargets;
  /** Pages may watch the server's other clients. */
  captures: boolean;
  engine: EngineSettings;
  /** Address of the Redis that several servers share; undefined for a single server. */
  redis: URL | undefined;
  limits: SocketLimits;
  /** `/metrics` is answered. */
  metrics: boolean;
  /** Lines that a start says about variables without an effect. */
  notices: readonly string[];
}

/** Numbers of sockets at a time, over all endpoints, and over all servers that share a Redis. */
export interface SocketLimits {
  sockets: number;
  /** Sockets of one address or one key, so that no client can use up all of them. */
  socketsOfOne: number;
}

/** The server cannot start. The message is one line that says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

const NO_DATA_FILE =
  'VOICEWIRE_DATA has no effect any more: what clients create stays in memory, or in the Redis of VOICEWIRE_REDIS.';

/** Sockets over all endpoints (wire-limit-2). */
const DEFAULT_SOCKETS = 500;
const MAX_SOCKETS = 100_000;
const SHARE_OF_ONE = 0.8;

const DEFAULT_PORT = 4173;
const MAX_PORT = 65_535;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Reads the environment variables. Throws a StartError that names the invalid one. */
export function readEnvironment(variables: Readonly<Record<string, string | undefined>>): Environment {
  const { HOST, PORT, LOG_LEVEL, VOICEWIRE_KEYS, VOICEWIRE_HOSTS, VOICEWIRE_CONNECT } = variables;
  const { VOICEWIRE_ROOT, VOICEWIRE_DATA, VOICEWIRE_CAPTURE } = variables;
  const { VOICEWIRE_REDIS, VOICEWIRE_SOCKETS, VOICEWIRE_METRICS } = variables;
  const host = HOST || '127.0.0.1';
  const logLevel = LOG_LEVEL || 'warn';
  if (!LOG_LEVELS.includes(logLevel)) {
    throw new StartError(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}, not ${shown(logLevel)}.`);
  }
  return {
    host,
    port: readNumber('PORT', PORT, DEFAULT_PORT, 0, MAX_PORT),
    logLevel,
    keys: readKeys(VOICEWIRE_KEYS),
    hosts: listed(VOICEWIRE_HOSTS),
    root: readRoot(VOICEWIRE_ROOT),
    connect: listed(VOICEWIRE_CONNECT).map((text) => {
      const origin = connectOrigin(text);
      if (origin) return origin;
      throw new StartError(
        `VOICEWIRE_CONNECT must list addresses such as wss://tts.example.com, separated by commas, not ${shown(text)}.`,
      );
    }),
    relays: readRelays(variables),
    captures: readSwitch('VOICEWIRE_CAPTURE', VOICEWIRE_CAPTURE) ?? isLoopbackHost(host),
    engine: readEngineSettings(variables, (problem) => new StartError(problem)),
    redis: readRedis(VOICEWIRE_REDIS),
    limits: socketLimits(readNumber('VOICEWIRE_SOCKETS', VOICEWIRE_SOCKETS, DEFAULT_SOCKETS, 1, MAX_SOCKETS)),
    metrics: readSwitch('VOICEWIRE_METRICS', VOICEWIRE_METRICS) ?? false,
    notices: VOICEWIRE_DATA ? [NO_DATA_FILE] : [],
  };
}

const socketLimits = (sockets: number): SocketLimits => ({
  sockets,
  socketsOfOne: Math.ceil(sockets * SHARE_OF_ONE),
});

function readNumber(name: string, text: string | undefined, unset: number, min: number, max: number): number {
  if (!text) return unset;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new StartError(`${name} must be a whole number from ${min} to ${max}, not ${shown(text)}.`);
}

/** The message repeats nothing of the address, because it may hold a password. */
function readRedis(text: string | undefined): URL | undefined {
  if (!text) return undefined;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isRedis = url?.protocol === 'redis:' || url?.protocol === 'rediss:';
  if (url && isRedis && url.hostname !== '' && /^\/?\d{0,5}$/.test(url.pathname) && !url.search && !url.hash)
    return url;
  throw new StartError(
    'VOICEWIRE_REDIS must be an address such as redis://127.0.0.1:6379 or rediss://user:password@redis.example.com:6380/1.',
  );
}

/** `only:one,two` replaces the documented keys. */
function readKeys(text: string | undefined): KeyList {
  const [, only, list] = /^\s*(only:)?(.*)$/s.exec(text ?? '') ?? [];
  const keys = listed(list);
  if (!only || keys.length > 0) return { keys, only: only !== undefined };
  throw new StartError(`VOICEWIRE_KEYS must name at least one key after only:, not ${shown(text ?? '')}.`);
}

function readRoot(text: string | undefined): string | null {
  if (!text) return null;
  const vendors = Object.keys(VENDOR_HOSTS);
  if (vendors.includes(text)) return text;
  throw new StartError(`VOICEWIRE_ROOT must be one of ${vendors.join(', ')}, not ${shown(text)}.`);
}

const RELAY_PREFIX = 'VOICEWIRE_RELAY_';

/** Every `VOICEWIRE_RELAY_<VENDOR>` replaces the host of its vendor. */
function readRelays(variables: Readonly<Record<string, string | undefined>>): RelayTargets {
  const names = Object.keys(VENDOR_HOSTS).map((vendor) => RELAY_PREFIX + vendor.toUpperCase());
  const named = Object.entries(variables).flatMap(([name, text]) => {
    if (!name.startsWith(RELAY_PREFIX) || !text) return [];
    if (!names.includes(name))
      throw new StartError(`${name} names no vendor; expected ${names.join(' or ')}.`);
    const target = readTarget(text);
    if (target) return [[name.slice(RELAY_PREFIX.length).toLowerCase(), target] as const];
    throw new StartError(
      `${name} must be a ws, wss, http or https address such as wss://tts.example.com, without key or query, not ${shown(text)}.`,
    );
  });
  return { ...VENDOR_HOSTS, ...Object.fromEntries(named) };
}

/** Undefined where it is not set. */
function readSwitch(name: string, text: string | undefined): boolean | undefined {
  if (!text) return undefined;
  if (text === 'on' || text === 'off') return text === 'on';
  throw new StartError(`${name} must be on or off, not ${shown(text)}.`);
}

const listed = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Quoted on one line, also where the value has line breaks. */
const shown = (text: string): string => JSON.stringify(text.slice(0, 60));
