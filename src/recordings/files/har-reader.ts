import { decodeBase64 } from '#lib/base64.ts';
import { count, counted } from '#lib/format.ts';
import { z } from '#protocol/core/zod.ts';
import { type ImportError, wrongLine } from '#record/files/import-error.ts';
import { checked, parseJson, wrongAt } from '#record/files/json.ts';
import {
  connectionSchema,
  entryOf,
  entrySchema,
  FORMAT_VERSION,
  infoSchema,
  MAX_NAMES,
  MAX_TIME_S,
  NameLimit,
  noteShape,
} from '#record/files/recording-schema.ts';
import { withoutNamedSecrets } from '#record/named-secrets.ts';
import type { RecordEntry } from '#record/record.ts';
import { FileSecrets, MAX_SECRETS } from './file-secrets.ts';
import {
  HAR_ENTRIES,
  type HarMessage,
  type HarPath,
  type HarRecording,
  type HarSocket,
  type HarSplit,
  harRecordings,
} from './har-recordings.ts';

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
}

/**
 * Reads the sockets of a HAR file, of DevTools or the own writer. Secrets that addresses, frames or headers name are
 * replaced wherever they are repeated. Ids and times are claims of the file.
 * @param progressed receives how much is read, from 0 to 1
 * @throws ImportError
 */
export function readHar(
  text: string,
  limits: Partial<HarLimits> = {},
  split: HarSplit = 'endpoint',
  progressed: (done: number) => void = () => {},
): HarImport {
  return new HarReader(text, { ...HAR_LIMITS, ...limits }, split, progressed).read();
}

/** Part of the progress until the JSON is parsed, which is done in one piece. */
const PARSE_SHARE = 0.3;
/** Progress is reported after so many entries. */
const REPORT_ENTRIES = 256;

const rootSchema = z.object({
  log: z.object({ entries: z.array(z.unknown()), _voicewire: z.optional(z.unknown()) }),
});

const socketSchema = z.object({
  startedDateTime: z.optional(z.string().check(z.maxLength(100))),
  request: z.object({ url: z.string().check(z.maxLength(8192)) }),
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

const messageSchema = z.object({
  type: z.string().check(z.maxLength(100)),
  /** Seconds since 1970. */
  time: z.number().check(z.nonnegative(), z.lte(MAX_TIME_S)),
  opcode: z.int(),
  data: z.string(),
  _voicewire: z.optional(z.unknown()),
});

const ownLogSchema = z.object({ version: z.literal(FORMAT_VERSION), info: infoSchema });
const index = z.int().check(z.nonnegative());
const ownSocketSchema = z.object({
  connection: connectionSchema,
  events: z.array(z.unknown()),
});
const ownMessageSchema = z.object({ index, ...noteShape });
const ownEventSchema = z.object({ index, ...entrySchema.shape });

interface Socket extends Omit<HarSocket, 'messages' | 'texts'> {
  messages: readonly unknown[];
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
  #entries = 0;
  #allEntries = 0;
  #leftMessages = 0;
  #leftSockets = 0;

  constructor(text: string, limits: HarLimits, split: HarSplit, progressed: (done: number) => void) {
    this.#text = text;
    this.#limits = limits;
    this.#split = split;
    this.#progressed = progressed;
  }

  read(): HarImport {
    const { chars, depth, values } = this.#limits;
    if (this.#text.length > chars)
      throw wrongLine(1, `at most ${counted(chars, 'character')}`, count(this.#text.length));
    const clean = this.#text.startsWith('\ufeff') ? this.#text.slice(1) : this.#text;
    const { log } = checked(rootSchema, parseJson(clean, { depth, values }), clean);
    const sockets = log.entries.flatMap((entry, i) => this.#socket(entry, ['log', 'entries', i]) ?? []);
    this.#allEntries = sockets.reduce((sum, { messages }) => sum + messages.length, 0);
    this.#progressed(PARSE_SHARE);
    if (log._voicewire !== undefined) return this.#own(log._voicewire, sockets);
    return this.#foreign(sockets, log.entries);
  }

  /** Null where the entry is no socket, and not of the own writer. */
  #socket(value: unknown, path: HarPath): Socket | null {
    if (typeof value !== 'object' || value === null) throw this.#wrong(path, 'an object', typeof value);
    if (!('_webSocketMessages' in value || '_voicewire' in value)) return null;
    const socket = this.#checked(socketSchema, value, path);
    const startedMs = Date.parse(socket.startedDateTime ?? '');
    return {
      path,
      url: socket.request.url,
      startedMs: startedMs >= 0 ? startedMs : null,
      messages: socket._webSocketMessages,
      own: socket._voicewire,
    };
  }

  /** Reads a file of the own writer, in which every entry has its index. */
  #own(value: unknown, sockets: readonly Socket[]): HarImport {
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
        const clean = typeof payload === 'string' ? withoutNamedSecrets(payload) : payload;
        put({ ...head, ...notes, connection, payload: clean }, notesPath);
        this.#entryRead();
      }
    }
    const whole = this.#whole(entries);
    if (whole.length === 0) throw this.#wrong(['log', 'entries'], 'at least one entry', 'none');
    const durationUs = Math.max(info.durationUs, whole.at(-1)?.atUs ?? 0);
    return {
      recordings: [{ info: { ...info, entries: whole.length, durationUs }, entries: whole }],
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

  #foreign(sockets: readonly Socket[], entries: readonly unknown[]): HarImport {
    this.#checkCounts(sockets);
    const read = sockets.map((socket): HarSocket => {
      const messages = this.#messages(socket).map(([, message]) => message);
      if (messages.length === 0) this.#leftSockets += 1;
      return { ...socket, messages, texts: [socket.url, ...messages.map(({ payload }) => payload)] };
    });
    const requests = requestTexts(entries, new Set(sockets.map(({ url }) => hostOf(url))));
    const secrets = new FileSecrets([...read.map(({ texts }) => texts), requests]);
    const { recordings, addresses } = harRecordings(read, {
      split: this.#split,
      secrets,
      maxNames: this.#limits.names,
      maxRecordings: this.#limits.recordings,
      wrong: (...problem) => this.#wrong(...problem),
      entryRead: () => this.#entryRead(),
    });
    if (recordings.length === 0) throw this.#wrong(HAR_ENTRIES, 'a WebSocket with messages', 'none');
    return { recordings, addresses, notes: [...this.#notes(), ...(secrets.hasMore ? [MORE_SECRETS] : [])] };
  }

  #entryRead(): void {
    this.#entries += 1;
    if (this.#entries % REPORT_ENTRIES === 0)
      this.#progressed(PARSE_SHARE + (1 - PARSE_SHARE) * (this.#entries / this.#allEntries));
  }

  /** Checked before any message is read. */
  #checkCounts(sockets: readonly Socket[]): void {
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

  /** The messages of a socket with their paths. */
  #messages({ path, messages }: Socket): [HarPath, Message][] {
    return messages.flatMap((value, i): [HarPath, Message][] => {
      const at = [...path, '_webSocketMessages', i];
      const message = this.#message(value, at);
      return message ? [[at, message]] : [];
    });
  }

  /** Null for no message: DevTools lists errors among them, and other tools control frames. */
  #message(value: unknown, path: HarPath): Message | null {
    const { type, time, opcode, data, _voicewire: own } = this.#checked(messageSchema, value, path);
    if ((type !== 'send' && type !== 'receive') || (opcode !== TEXT && opcode !== BINARY)) {
      this.#leftMessages += 1;
      return null;
    }
    const direction: 'out' | 'in' = type === 'send' ? 'out' : 'in';
    const atMs = time * 1000;
    if (opcode === TEXT) return { head: { direction, opcode: 'text' }, atMs, payload: data, own };
    const decoded = decodeBase64(data);
    if ('problem' in decoded) {
      const found = `something else (${decoded.problem})`;
      throw this.#wrong([...path, 'data'], 'base64, as the opcode is 2', found);
    }
    return { head: { direction, opcode: 'binary' }, atMs, payload: decoded.bytes, own };
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

const TEXT = 1;
const BINARY = 2;

/** Returns addresses and header lines of the requests to these hosts. */
const requestTexts = (entries: readonly unknown[], hosts: ReadonlySet<string>): string[] =>
  entries
    .flatMap((entry) => requestSchema.safeParse(entry).data?.request ?? [])
    .filter(({ url }) => hosts.has(hostOf(url)))
    .flatMap(({ url, headers }) => [url, ...headers.map(({ name, value }) => `${name}: ${value}`)]);

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '');
