import { decodeBase64 } from '#lib/base64.ts';
import type { Frame } from '#protocol/core/endpoint.ts';
import { z } from '#protocol/core/zod.ts';
import { endpointAt, noteReader } from '#record/frame-notes.ts';
import { byteLength } from '#record/frame-size.ts';
import { withoutNamedSecrets } from '#record/named-secrets.ts';
import type { RecordEntry, RecordingInfo } from '#record/record.ts';
import { NO_NOTE } from '#record/recorded-event.ts';
import { type ImportError, wrongLine } from '../format/import-error.ts';
import { FileSecrets, MAX_SECRETS } from './file-secrets.ts';
import { checked, parseJson, wrongAt } from './json.ts';
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
} from './recording-schema.ts';

export interface HarLimits {
  /** Of the file, which is read as a whole. */
  chars: number;
  depth: number;
  values: number;
  entries: number;
  /** Different kinds and contexts. */
  names: number;
}

const HAR_LIMITS: HarLimits = {
  chars: 256 * 2 ** 20,
  // Initiators in files of DevTools are nested call stacks.
  depth: 200,
  values: 32_000_000,
  entries: 2_000_000,
  names: MAX_NAMES,
};

export interface HarRecording {
  info: RecordingInfo;
  entries: RecordEntry[];
}

export interface HarImport {
  /** One for each address with messages, in order of time. */
  recordings: HarRecording[];
  /** Sentences for people about what was left out. */
  notes: string[];
}

/**
 * Reads the sockets of a HAR file, of DevTools or the own writer. Headers and cookies are ignored. Named secrets in
 * addresses and frames are replaced wherever they are repeated. Ids and times are claims of the file.
 * @throws ImportError
 */
export function readHar(text: string, limits: Partial<HarLimits> = {}): HarImport {
  return new HarReader(text, { ...HAR_LIMITS, ...limits }).read();
}

const rootSchema = z.object({
  log: z.object({ entries: z.array(z.unknown()), _voicewire: z.unknown().optional() }),
});

const socketSchema = z.object({
  startedDateTime: z.string().max(100).optional(),
  request: z.object({ url: z.string().max(8192) }),
  _webSocketMessages: z.array(z.unknown()),
  _voicewire: z.unknown().optional(),
});

const messageSchema = z.object({
  type: z.string().max(100),
  /** Seconds since 1970. */
  time: z.number().nonnegative().max(MAX_TIME_S),
  opcode: z.int(),
  data: z.string(),
  _voicewire: z.unknown().optional(),
});

const ownLogSchema = z.object({ version: z.literal(FORMAT_VERSION), info: infoSchema });
const index = z.int().nonnegative();
const ownSocketSchema = z.object({
  connection: connectionSchema,
  events: z.array(z.unknown()),
});
const ownMessageSchema = z.object({ index, ...noteShape });
const ownEventSchema = z.object({ index, ...entrySchema.shape });

type Path = readonly PropertyKey[];

interface Socket {
  path: Path;
  url: string;
  startedMs: number | null;
  messages: readonly unknown[];
  own: unknown;
}

interface ReadSocket extends Socket {
  sent: readonly Message[];
  texts: readonly Frame[];
}

interface Message {
  head: { direction: 'out' | 'in'; opcode: 'text' | 'binary' };
  atMs: number;
  payload: Frame;
  own: unknown;
}

class HarReader {
  readonly #text: string;
  readonly #limits: HarLimits;
  #left = 0;
  #leftKinds = 0;

  constructor(text: string, limits: HarLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  read(): HarImport {
    const { chars, depth, values } = this.#limits;
    if (this.#text.length > chars) throw wrongLine(1, `at most ${chars} characters`, `${this.#text.length}`);
    const clean = this.#text.startsWith('\ufeff') ? this.#text.slice(1) : this.#text;
    const { log } = checked(rootSchema, parseJson(clean, { depth, values }), clean);
    const sockets = log.entries.flatMap((entry, i) => this.#socket(entry, ['log', 'entries', i]) ?? []);
    if (log._voicewire !== undefined) return this.#own(log._voicewire, sockets);
    return this.#foreign(sockets);
  }

  /** Null where the entry is no socket. */
  #socket(value: unknown, path: Path): Socket | null {
    if (typeof value !== 'object' || value === null) throw this.#wrong(path, 'an object', typeof value);
    if (!('_webSocketMessages' in value)) return null;
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
    const put = (entry: RecordEntry, path: Path): void => {
      if (entry.index >= this.#limits.entries) throw this.#tooMany(path);
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
      }
    }
    const whole = this.#whole(entries);
    const durationUs = Math.max(info.durationUs, whole.at(-1)?.atUs ?? 0);
    return {
      recordings: [{ info: { ...info, entries: whole.length, durationUs }, entries: whole }],
      notes: this.#notes(),
    };
  }

  #whole(sparse: readonly (RecordEntry | undefined)[]): RecordEntry[] {
    let lastUs = 0;
    const path = ['log', 'entries'];
    return Array.from(sparse, (entry, i) => {
      if (!entry) throw this.#wrong(path, `an entry of index ${i}`, 'none');
      if (entry.atUs < lastUs) {
        throw this.#wrong(path, `times in the order of their indexes`, `${entry.atUs} at index ${i}`);
      }
      lastUs = entry.atUs;
      return entry;
    });
  }

  #foreign(sockets: readonly Socket[]): HarImport {
    const read = sockets.map((socket): ReadSocket => {
      const sent = this.#messages(socket).map(([, message]) => message);
      return { ...socket, sent, texts: [socket.url, ...sent.map(({ payload }) => payload)] };
    });
    const secrets = new FileSecrets(read.map(({ texts }) => texts));
    const byAddress = new Map<string, ReadSocket[]>();
    for (const socket of read) {
      if (socket.messages.length === 0) {
        this.#leftKinds += 1;
        continue;
      }
      const address = addressOf(socket.url);
      const its = byAddress.get(address) ?? [];
      byAddress.set(address, its);
      its.push(socket);
    }
    const recordings = [...byAddress]
      .map(([address, its]) => this.#recording(address, its, secrets))
      .filter(({ entries }) => entries.length > 0);
    if (recordings.length === 0) {
      throw this.#wrong(['log', 'entries'], 'a WebSocket with messages', 'none');
    }
    return {
      recordings: recordings.sort((a, b) => a.info.startedAtMs - b.info.startedAtMs),
      notes: [...this.#notes(), ...(secrets.hasMore ? [MORE_SECRETS] : [])],
    };
  }

  /** The messages of a socket with their paths. */
  #messages({ path, messages }: Socket): [Path, Message][] {
    return messages.flatMap((value, i): [Path, Message][] => {
      const at = [...path, '_webSocketMessages', i];
      const message = this.#message(value, at);
      return message ? [[at, message]] : [];
    });
  }

  #recording(address: string, sockets: readonly ReadSocket[], secrets: FileSecrets): HarRecording {
    const endpoint = endpointAt(address);
    const timed: (Omit<RecordEntry, 'index' | 'atUs'> & { atMs: number })[] = [];
    const clean = secrets.cleanerOf(sockets.map(({ texts }) => texts));
    const cleanAddress = String(clean(address));
    const count = { turns: 0 };
    const names = new NameLimit(this.#limits.names);
    for (const [i, { path, startedMs, sent }] of sockets.entries()) {
      const connection = i + 1;
      const frameNotes = noteReader(endpoint, count);
      const [first] = sent;
      if (!first) continue;
      timed.push({
        ...EVENT,
        connection,
        kind: 'opening',
        // No frame may precede its connection.
        atMs: Math.min(startedMs ?? first.atMs, first.atMs),
        payload: JSON.stringify({ address: cleanAddress }),
      });
      for (const { head, atMs, payload } of sent) {
        const notes = head.direction === 'in' ? frameNotes.received(payload) : frameNotes.sent(payload);
        timed.push({
          ...head,
          ...notes,
          context: notes.context && String(clean(notes.context)),
          connection,
          bytes: byteLength(payload),
          atMs,
          payload: clean(payload),
        });
        if (timed.length > this.#limits.entries) throw this.#tooMany(path);
        const fewerNames = names.take(notes);
        if (fewerNames !== null) throw this.#wrong(path, fewerNames, 'more');
      }
    }
    timed.sort((a, b) => a.atMs - b.atMs);
    const startedAtMs = timed[0]?.atMs ?? 0;
    const entries = timed.map(({ atMs, ...entry }, index): RecordEntry => {
      const atUs = Math.round((atMs - startedAtMs) * 1000);
      return { ...entry, index, atUs };
    });
    return {
      info: {
        id: '',
        name: '',
        endpoint: endpoint?.id ?? '',
        address: cleanAddress,
        startedAtMs,
        durationUs: entries.at(-1)?.atUs ?? 0,
        entries: entries.length,
        bytes: entries.reduce((sum, entry) => sum + entry.bytes, 0),
        pinned: false,
      },
      entries,
    };
  }

  /** Null for no message: DevTools lists errors among them, and other tools control frames. */
  #message(value: unknown, path: Path): Message | null {
    const { type, time, opcode, data, _voicewire: own } = this.#checked(messageSchema, value, path);
    if ((type !== 'send' && type !== 'receive') || (opcode !== TEXT && opcode !== BINARY)) {
      this.#left += 1;
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
    if (this.#left > 0) notes.push(`${this.#left} messages were left out: neither text nor binary.`);
    if (this.#leftKinds > 0) notes.push(`${this.#leftKinds} WebSockets without messages were left out.`);
    return notes;
  }

  #checked<S extends z.ZodType>(schema: S, value: unknown, path: Path): z.output<S> {
    return checked(schema, value, this.#text, 1, path);
  }

  #wrong(path: Path, expected: string, found: string): ImportError {
    return wrongAt(this.#text, path, expected, found);
  }

  #tooMany(path: Path): ImportError {
    return this.#wrong(path, `at most ${this.#limits.entries} entries`, 'more');
  }
}

const MORE_SECRETS = `It names more than ${MAX_SECRETS} secrets. Each is replaced where it is named, but not all are looked for elsewhere.`;

const TEXT = 1;
const BINARY = 2;

const EVENT = { ...NO_NOTE, direction: 'connection', opcode: 'none', bytes: 0 } as const;

/** Drops query, fragment, user and password, which may hold a key and differ between connections. */
function addressOf(url: string): string {
  try {
    const { protocol, host, pathname } = new URL(url);
    return `${protocol}//${host}${pathname}`;
  } catch {
    return withoutNamedSecrets(url.split(/[?#]/, 1)[0] ?? '');
  }
}
