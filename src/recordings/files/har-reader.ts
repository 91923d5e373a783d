import { count, counted } from '#lib/format.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { z } from '#protocol/core/zod.ts';
import type { RecordEntry } from '#trace/entry.ts';
import { type ImportError, wrongLine } from '#trace/files/import-error.ts';
import { checked, parseJson, wrongAt } from '#trace/files/json.ts';
import {
  connectionSchema,
  entryOf,
  entrySchema,
  FORMAT_VERSION,
  infoSchema,
  MAX_NAMES,
  NameLimit,
  noteShape,
} from '#trace/files/recording-schema.ts';
import { withoutNamedSecrets } from '#trace/secrets/named-secrets.ts';
import { endpointFor, notedAnewAs } from '#trace/trace.ts';
import { FileSecrets, MAX_SECRETS } from './file-secrets.ts';
import { HarDamage } from './har-damage.ts';
import {
  HAR_ENTRIES,
  type HarEvent,
  type HarMessage,
  type HarPath,
  type HarRecording,
  type HarSocket,
  type HarSplit,
  harRecordings,
} from './har-recordings.ts';
import {
  dateMs,
  decodedMessage,
  eventsOf,
  type ForeignSocket,
  foreignSocket,
  isMessage,
  MAX_DATE_CHARS,
  MAX_URL_CHARS,
  messageShape,
} from './har-sockets.ts';

export interface HarLimits {
  /** Of the file, which is read as a whole. */
  chars: number;
  depth: number;
  values: number;
  /** Sockets with messages, in a file of another program. */
  sockets: number;
  entries: number;
  /** Different kinds and contexts of a recording. */
  names: number;
  /** Recordings that one file may become. */
  recordings: number;
}

export const HAR_LIMITS: HarLimits = {
  chars: 256 * 2 ** 20,
  // Initiators in files of DevTools are nested call stacks.
  depth: 200,
  values: 32_000_000,
  sockets: 10_000,
  entries: 2_000_000,
  names: MAX_NAMES,
  recordings: 100,
};

export interface HarImport {
  /** One for each endpoint or address, see {@link harRecordings}. */
  recordings: HarRecording[];
  /** Different addresses of its connections. */
  addresses: number;
  /** Sentences for people about what was left out. */
  notes: string[];
  /** Those about parts that are damaged; absent for a whole file. */
  missing?: string[];
}

/**
 * Reads the sockets of a HAR file, of another program or the own writer. Secrets that addresses, frames or headers name are
 * replaced wherever they are repeated. Ids and times are claims of the file. A damaged part of a file of another program is
 * left out and named. The file is refused where nothing else is in it.
 * @param progressed receives how much is read, from 0 to 1
 * @param asked endpoint of sockets whose addresses are of none, and of a recording without one
 * @throws ImportError
 */
export function readHar(
  text: string,
  limits: Partial<HarLimits> = {},
  split: HarSplit = 'endpoint',
  progressed: (done: number) => void = () => {},
  asked: Endpoint | null = null,
): HarImport {
  return new HarReader(text, { ...HAR_LIMITS, ...limits }, split, progressed, asked).read();
}

/** Part of the progress until the JSON is parsed, which is done in one piece. */
const PARSE_SHARE = 0.3;
/** Progress is reported after so many entries. */
const REPORT_ENTRIES = 256;

const rootSchema = z.object({
  log: z.object({ entries: z.array(z.unknown()), _voicewire: z.optional(z.unknown()) }),
});

/** Of the own writer. */
const socketSchema = z.object({
  startedDateTime: z.optional(z.string().check(z.maxLength(MAX_DATE_CHARS))),
  request: z.object({ url: z.string().check(z.maxLength(MAX_URL_CHARS)) }),
  /** None in REST calls of the own writer. */
  _webSocketMessages: z._default(z.array(z.unknown()), []),
  _voicewire: z.optional(z.unknown()),
});

/** Of a socket or a call of a REST API. */
const requestSchema = z.object({
  request: z.object({
    url: z.string(),
    headers: z.catch(z.array(z.object({ name: z.string(), value: z.string() })), []),
  }),
});

const messageSchema = z.object({ ...messageShape, _voicewire: z.optional(z.unknown()) });

const ownLogSchema = z.object({ version: z.literal(FORMAT_VERSION), info: infoSchema });
const index = z.int().check(z.nonnegative());
const ownSocketSchema = z.object({
  connection: connectionSchema,
  events: z.array(z.unknown()),
});
const ownMessageSchema = z.object({ index, ...noteShape });
const ownEventSchema = z.object({ index, ...entrySchema.shape });

/** Of the own writer. */
interface Socket extends ForeignSocket {
  own: unknown;
}

interface Message extends HarMessage {
  own: unknown;
}

class HarReader {
  readonly #text: string;
  readonly #limits: HarLimits;
  readonly #split: HarSplit;
  readonly #progressed: (done: number) => void;
  readonly #asked: Endpoint | null;
  readonly #damage = new HarDamage();
  #entries = 0;
  #allEntries = 0;
  #leftMessages = 0;
  #leftSockets = 0;

  constructor(
    text: string,
    limits: HarLimits,
    split: HarSplit,
    progressed: (done: number) => void,
    asked: Endpoint | null,
  ) {
    this.#text = text;
    this.#limits = limits;
    this.#split = split;
    this.#progressed = progressed;
    this.#asked = asked;
  }

  read(): HarImport {
    const { chars, depth, values } = this.#limits;
    if (this.#text.length > chars)
      throw wrongLine(1, `at most ${counted(chars, 'character')}`, count(this.#text.length));
    const clean = this.#text.startsWith('\ufeff') ? this.#text.slice(1) : this.#text;
    const { log } = checked(rootSchema, parseJson(clean, { depth, values }), clean);
    const isOwn = log._voicewire !== undefined && log._voicewire !== null;
    return isOwn ? this.#own(log._voicewire, log.entries) : this.#foreign(log.entries);
  }

  /** The sockets are known, and their messages are read next. */
  #begin(sockets: readonly ForeignSocket[]): void {
    this.#allEntries = sockets.reduce((sum, { messages }) => sum + messages.length, 0);
    this.#progressed(PARSE_SHARE);
  }

  /** An entry of the own writer. Null where it is no socket. */
  #socket(value: unknown, path: HarPath): Socket | null {
    if (typeof value !== 'object' || value === null) throw this.#wrong(path, 'an object', typeof value);
    if (!('_webSocketMessages' in value || '_voicewire' in value)) return null;
    const socket = this.#checked(socketSchema, value, path);
    return {
      path,
      url: socket.request.url,
      startedMs: dateMs(socket.startedDateTime),
      messages: socket._webSocketMessages,
      own: socket._voicewire,
    };
  }

  /** Reads a file of the own writer, in which every entry has its index. */
  #own(value: unknown, all: readonly unknown[]): HarImport {
    const sockets = all.flatMap((entry, i) => this.#socket(entry, [...HAR_ENTRIES, i]) ?? []);
    this.#begin(sockets);
    const { info } = this.#checked(ownLogSchema, value, ['log', '_voicewire']);
    const entries: (RecordEntry | undefined)[] = [];
    const names = new NameLimit(this.#limits.names);
    const put = (entry: RecordEntry, path: HarPath): void => {
      if (entry.index >= this.#limits.entries) throw this.#tooMany(path, `index ${count(entry.index)}`);
      if (entries[entry.index])
        throw this.#wrong([...path, 'index'], 'an index of its own', String(entry.index));
      const fewerNames = names.take(entry);
      if (fewerNames !== null) throw this.#wrong(path, fewerNames, 'more');
      entries[entry.index] = entry;
    };
    for (const socket of sockets) {
      const ownPath = [...socket.path, '_voicewire'];
      const { connection, events } = this.#checked(ownSocketSchema, socket.own, ownPath);
      for (const [i, event] of events.entries()) {
        const at = [...ownPath, 'events', i];
        const record = this.#checked(ownEventSchema, event, at);
        const entry = entryOf({ ...record, connection }, record.index);
        if ('field' in entry) throw this.#wrong([...at, entry.field], entry.expected, entry.found);
        put(entry, at);
      }
      for (const [at, { head, own, payload }] of this.#messages(socket)) {
        const notesPath = [...at, '_voicewire'];
        const notes = this.#checked(ownMessageSchema, own, notesPath);
        put({ ...head, ...notes, connection, payload: withoutNamedSecrets(payload) }, notesPath);
        this.#entryRead();
      }
    }
    const whole = this.#whole(entries);
    if (whole.length === 0) throw this.#wrong(['log', 'entries'], 'at least one entry', 'none');
    const durationUs = Math.max(info.durationUs, whole.at(-1)?.atUs ?? 0);
    const asked = endpointFor(info, this.#asked?.id ?? null);
    const endpoint = asked?.id ?? info.endpoint;
    const noted = asked ? whole.map(notedAnewAs(asked)) : whole;
    return {
      recordings: [{ info: { ...info, endpoint, entries: whole.length, durationUs }, entries: noted }],
      addresses: 1,
      notes: this.#notes(),
    };
  }

  #whole(sparse: readonly (RecordEntry | undefined)[]): RecordEntry[] {
    let lastUs = 0;
    return Array.from(sparse, (entry, i) => {
      if (!entry) throw this.#wrong(HAR_ENTRIES, `an entry of index ${i}`, 'none');
      if (entry.atUs < lastUs) {
        throw this.#wrong(HAR_ENTRIES, `times in the order of their indexes`, `${entry.atUs} at index ${i}`);
      }
      lastUs = entry.atUs;
      return entry;
    });
  }

  #foreign(entries: readonly unknown[]): HarImport {
    const sockets = entries.flatMap(
      (entry, i) => foreignSocket(entry, [...HAR_ENTRIES, i], this.#damage) ?? [],
    );
    this.#begin(sockets);
    this.#checkCounts(sockets);
    const skipped = () => {
      this.#leftMessages += 1;
    };
    const read = sockets.map((socket): HarSocket => {
      const events = eventsOf(socket, this.#damage, skipped);
      if (events.length === 0) this.#leftSockets += 1;
      return { ...socket, events, texts: [socket.url, ...events.flatMap(textOf)] };
    });
    const requests = requestTexts(entries, new Set(sockets.map(({ url }) => hostOf(url))));
    const secrets = new FileSecrets([...read.map(({ texts }) => texts), requests]);
    const { recordings, addresses } = harRecordings(read, {
      split: this.#split,
      asked: this.#asked,
      secrets,
      maxNames: this.#limits.names,
      maxRecordings: this.#limits.recordings,
      wrong: (...problem) => this.#wrong(...problem),
      entryRead: () => this.#entryRead(),
    });
    if (recordings.length === 0)
      throw this.#damage.refusal(this.#text) ?? this.#wrong(HAR_ENTRIES, 'a WebSocket with messages', 'none');
    const missing = this.#damage.words(this.#text);
    const notes = [...missing, ...this.#notes(), ...(secrets.hasMore ? [MORE_SECRETS] : [])];
    return { recordings, addresses, notes, ...(missing.length > 0 && { missing }) };
  }

  #entryRead(): void {
    this.#entries += 1;
    if (this.#entries % REPORT_ENTRIES === 0)
      this.#progressed(PARSE_SHARE + (1 - PARSE_SHARE) * (this.#entries / this.#allEntries));
  }

  /** Checked before any message is read. */
  #checkCounts(sockets: readonly ForeignSocket[]): void {
    const { sockets: most, entries } = this.#limits;
    const withMessages = sockets.filter(({ messages }) => messages.length > 0);
    if (withMessages.length > most) {
      const expected = `at most ${counted(most, 'WebSocket')} with messages`;
      throw this.#wrong(HAR_ENTRIES, expected, count(withMessages.length));
    }
    // An entry for each message, and one for the opening of its connection.
    const all = withMessages.reduce((sum, { messages }) => sum + messages.length + 1, 0);
    if (all > entries) throw this.#tooMany(HAR_ENTRIES, count(all));
  }

  /** The messages of a socket of the own writer with their paths. */
  #messages({ path, messages }: Socket): [HarPath, Message][] {
    return messages.flatMap((value, i): [HarPath, Message][] => {
      const at = [...path, '_webSocketMessages', i];
      const { _voicewire: own, ...fields } = this.#checked(messageSchema, value, at);
      if (!isMessage(fields)) {
        this.#leftMessages += 1;
        return [];
      }
      const read = decodedMessage(fields, at);
      if ('fault' in read) throw this.#wrong(read.fault.path, read.fault.expected, read.fault.found);
      return [[at, { ...read, own }]];
    });
  }

  #notes(): string[] {
    const notes: string[] = [];
    const [messages, sockets] = [this.#leftMessages, this.#leftSockets];
    if (messages > 0) notes.push(`${counted(messages, 'message')} left out: neither text nor binary.`);
    if (sockets > 0) notes.push(`${counted(sockets, 'WebSocket')} left out: no messages.`);
    return notes;
  }

  #checked<S extends z.ZodMiniType>(schema: S, value: unknown, path: HarPath): z.output<S> {
    return checked(schema, value, this.#text, 1, path);
  }

  #wrong(path: HarPath, expected: string, found: string): ImportError {
    return wrongAt(this.#text, path, expected, found);
  }

  #tooMany(path: HarPath, found: string): ImportError {
    return this.#wrong(path, `at most ${counted(this.#limits.entries, 'entry', 'entries')}`, found);
  }
}

const MORE_SECRETS = `It names more than ${MAX_SECRETS} secrets. Each is replaced where it is named, but not all are looked for elsewhere.`;

/** The text of an event in which secrets may be named. */
const textOf = (event: HarEvent): Frame[] =>
  'payload' in event ? [event.payload] : 'close' in event ? [event.close.reason] : [];

/** Returns addresses and header lines of the requests to these hosts. */
const requestTexts = (entries: readonly unknown[], hosts: ReadonlySet<string>): string[] =>
  entries
    .flatMap((entry) => requestSchema.safeParse(entry).data?.request ?? [])
    .filter(({ url }) => hosts.has(hostOf(url)))
    .flatMap(({ url, headers }) => [url, ...headers.map(({ name, value }) => `${name}: ${value}`)]);

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '');
