import { WebSocket } from 'ws';
import { keylessAddress, programHandshakeOf } from '#protocol/core/address.ts';
import type { VoiceInfo } from '#protocol/core/catalogue.ts';
import type { Dialect, Endpoint, EndpointId, Intent, Settings } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { without } from '#protocol/core/json-frame.ts';
import { LOCAL_KEY } from '#protocol/core/servers.ts';
import {
  languageSetting,
  type Setting,
  settingOfKind,
  speakerSettings,
  wordTimesSetting,
} from '#protocol/core/settings.ts';
import { ONLY_CONTEXT, type SpeechEvent } from '#protocol/core/speech-event.ts';
import { ENDPOINTS, endpointOf } from '#protocol/registry.ts';
import { readEnvironment } from '#server/environment.ts';
import { type RunningServer, startServer } from '#server/running-server.ts';
import { VOICES, type Voice } from '#server/speech/voices/voices.ts';
import type { NewEntry } from '#trace/entry.ts';
import { byteLength, opcodeOf } from '#trace/frame-size.ts';
import { UNREAD } from '#trace/recorded-event.ts';
import { Trace } from '#trace/trace.ts';
import { protocolOf } from '../support/protocols.ts';

export interface VoiceAndLanguage {
  voice: Voice;
  language: string;
}

/** What speaks in a session. */
export interface Speaker extends VoiceAndLanguage {
  endpoint: EndpointId;
  /** The settings of the format, as a person chooses them. */
  format: Settings;
  /** The setting of that name; without it, the endpoint's own. */
  speed?: number;
  /** Voices that take turns with it. */
  others?: readonly VoiceAndLanguage[];
}

/** A turn of a session. */
export interface Line extends VoiceAndLanguage {
  text: string;
}

/** A session as its client saw it, one turn for each line. */
export interface CleanSession extends Speaker {
  entries: readonly NewEntry[];
}

/** For tables, such as `pcm_24000` or `mulaw 8000`. */
export const formatName = ({ format }: Pick<Speaker, 'format'>): string => Object.values(format).join(' ');

const SPEEDS = [0.8, 1.25];

/** Paces beside the ordinary one that an endpoint can speak in; none where it has no setting for that. */
export function speedsOf(endpoint: Endpoint): number[] {
  const described = endpoint.settings.concat(endpoint.contexts?.settings ?? []);
  const control = described.find(({ field }) => field === 'speed')?.control;
  if (control?.kind !== 'range') return [];
  return SPEEDS.map((speed) => Math.min(control.max, Math.max(control.min, speed)));
}

const FORMAT_FIELDS = ['output_format', 'encoding', 'sample_rate', 'binary_mode'];

/** Every format that an endpoint sends and this project decodes without a browser. */
export function formatsOf(endpoint: Endpoint): Settings[] {
  const described = endpoint.settings.concat(endpoint.contexts?.settings ?? []);
  const fields = described.filter(({ field }) => FORMAT_FIELDS.includes(field));
  const token = fields.find(({ field }) => field === 'output_format');
  const product = (token ? [token] : fields).reduce<Settings[]>(
    (all, { field, control }) => {
      const values: readonly unknown[] = control.kind === 'choice' ? control.values : [false, true];
      return all.flatMap((settings) => values.map((value) => ({ ...settings, [field]: value })));
    },
    [{}],
  );
  return product.filter(
    (settings) =>
      endpoint.checkSettings({ ...endpoint.initialSettings, ...settings }).length === 0 &&
      endpoint.audioFormat(settings).encoding !== 'opus',
  );
}

/** The local server, in this process. */
export const startSpeaking = (): Promise<RunningServer> =>
  startServer(readEnvironment({ PORT: '0', LOG_LEVEL: 'silent' }));

/** The voices that the local server lists for each endpoint. */
async function readVoices(): Promise<ReadonlyMap<EndpointId, readonly VoiceInfo[]>> {
  const server = await startSpeaking();
  const listed = ENDPOINTS.map(async (endpoint) => {
    const request = { base: `${server.http}${endpoint.localPrefix}`, key: LOCAL_KEY };
    return [endpoint.id, await protocolOf(endpoint).catalogue.voices(request)] as const;
  });
  const all = new Map(await Promise.all(listed));
  await server.stop();
  return all;
}
const LISTED = await readVoices();

/** The settings by which an endpoint speaks in a local voice; null where it does not. */
function voiceSettings(id: EndpointId, { voice, language }: VoiceAndLanguage): Settings | null {
  const endpoint = endpointOf(id);
  const own = settingOfKind(speakerSettings(endpoint), 'voice');
  const described = endpoint.settings.concat(endpoint.contexts?.settings ?? []);
  const [ofLanguage, ofTimes] = [languageSetting(described), wordTimesSetting(described)];
  const value = endpoint.languageValue(language);
  // A voice without a setting of its language has one language.
  const info = LISTED.get(id)?.find(
    ({ name, languages }) => name === voice.name && (ofLanguage || languages.includes(language)),
  );
  if (!own || (ofLanguage ? value === undefined : !info)) return null;
  // Lists name voices as the vendor does, but the local server takes its own names as well.
  if (!info && own.control.brings.length > 0) return null;
  return {
    [own.field]: own.control.ids.toValue(info?.id ?? voice.handle),
    ...info?.settings,
    ...(ofLanguage && { [ofLanguage.field]: value }),
    ...(ofTimes && { [ofTimes.field]: true }),
  };
}

/** All that this project can speak: each voice in its languages. */
export const VOICES_AND_LANGUAGES = VOICES.flatMap((voice) =>
  voice.languages.map((language) => ({ voice, language })),
);

/** Whether an endpoint speaks in this voice and language. */
export const canSpeak = (endpoint: EndpointId, one: VoiceAndLanguage): boolean =>
  voiceSettings(endpoint, one) !== null;

/** Speaks lines one after another, and records what the client sees. @throws Error where a turn does not end */
export async function record(
  server: RunningServer,
  speaker: Speaker,
  lines: readonly Line[],
): Promise<CleanSession> {
  const entries: NewEntry[] = [];
  const session = new Session(speaker, server, entries);
  for (const line of lines) await session.speak(line);
  session.end();
  return { ...speaker, entries };
}

/** A client of one endpoint, which opens as many connections and contexts as its voices and turns need. */
class Session {
  readonly #endpoint: Endpoint;
  readonly #speaker: Speaker;
  readonly #base: string;
  readonly #entries: NewEntry[];
  readonly #trace: Trace;
  readonly #startMs = performance.now();
  readonly #links = new Map<string, Link>();
  #connections = 0;

  constructor(speaker: Speaker, server: RunningServer, entries: NewEntry[]) {
    this.#endpoint = endpointOf(speaker.endpoint);
    this.#trace = new Trace(this.#endpoint);
    this.#speaker = speaker;
    this.#base = `${server.ws}${this.#endpoint.localPrefix}`;
    this.#entries = entries;
  }

  async speak(line: Line): Promise<void> {
    const { settings, ofContext } = this.#settingsOf(line);
    const key = JSON.stringify(settings);
    const link = this.#links.get(key) ?? (await this.#open(settings, ofContext));
    this.#links.set(key, link);
    await link.turn(line.text, ofContext);
    if (link.isOver) this.#links.delete(key);
  }

  end(): void {
    for (const link of this.#links.values()) link.end();
  }

  /** Those of a connection, and of a context in it. */
  #settingsOf(line: Line): { settings: Settings; ofContext: Settings } {
    const { initialSettings, contexts, settings, id } = this.#endpoint;
    const { format, speed } = this.#speaker;
    const voice = voiceSettings(id, line);
    if (!voice) throw new Error(`${id} does not speak ${line.language}`);
    // A description, or another language, would compete with the voice.
    const all = settings.concat(contexts?.settings ?? []);
    const isOther = ({ control, isLanguage }: Setting) => control.kind === 'description' || isLanguage;
    const others = new Set(all.filter(isOther).map(({ field }) => field));
    const initial = without(initialSettings, others);
    const wanted = { ...initial, ...voice, ...format, ...(speed !== undefined && { speed }) };
    const of = (fields: readonly { field: string }[]): Settings =>
      Object.fromEntries(
        Object.entries(wanted).filter(([name]) => fields.some(({ field }) => field === name)),
      );
    return { settings: of(settings), ofContext: of(contexts?.settings ?? []) };
  }

  async #open(settings: Settings, ofContext: Settings): Promise<Link> {
    this.#connections += 1;
    const address = keylessAddress(this.#endpoint, this.#base, { ...settings, ...ofContext });
    const connection = this.#connections;
    const atUs = () => Math.round((performance.now() - this.#startMs) * 1000);
    const link = new Link(this.#endpoint, address, settings, ofContext, (happened) => {
      const entry = { ...happened, atUs: atUs(), connection };
      this.#entries.push({ ...entry, ...this.#trace.append(entry).note });
    });
    await link.ready;
    return link;
  }
}

type OfLink = Pick<NewEntry, 'direction' | 'kind' | 'opcode' | 'bytes' | 'payload'>;

/** One connection. */
class Link {
  isOver = false;
  readonly ready: Promise<unknown>;
  readonly #dialect: Dialect;
  readonly #socket: WebSocket;
  readonly #endpoint: Endpoint;
  readonly #add: (entry: OfLink) => void;
  readonly #seen: SpeechEvent[] = [];
  /** Names of the open contexts, by their settings. */
  readonly #contexts = new Map<string, string>();
  #look = (): void => {};

  constructor(
    endpoint: Endpoint,
    address: string,
    settings: Settings,
    ofContext: Settings,
    add: (entry: OfLink) => void,
  ) {
    this.#endpoint = endpoint;
    this.#add = add;
    this.#dialect = protocolOf(endpoint).open({ settings: { ...settings, ...ofContext }, key: LOCAL_KEY });
    this.#happened('opening', { address, format: endpoint.audioFormat({ ...settings, ...ofContext }) });
    const { url, protocols, headers } = programHandshakeOf(endpoint, address, LOCAL_KEY);
    this.#socket = new WebSocket(url, [...protocols], { headers });
    this.#socket.on('message', (data, isBinary) => {
      this.#received(isBinary ? new Uint8Array(data as Buffer) : String(data));
    });
    this.#socket.on('close', (code, reason) => {
      this.isOver = true;
      this.#happened('closed', { code, reason: String(reason), asked: false, left: false, retries: false });
      this.#seen.push(...(this.#dialect.closed?.(code, String(reason)) ?? []));
      this.#look();
    });
    this.ready = new Promise((resolve, reject) => {
      this.#socket.once('open', () => {
        this.#happened('opened', {});
        this.#send({ kind: 'open', settings });
        resolve(null);
      });
      this.#socket.once('error', reject);
    }).then(() => this.#until(() => this.#dialect.isReady !== false));
  }

  async turn(text: string, settings: Settings): Promise<void> {
    const { contexts, flushEndsTurn } = this.#endpoint;
    const key = JSON.stringify(settings);
    const isNew = Boolean(contexts) && !this.#contexts.has(key);
    const context = contexts
      ? (this.#contexts.get(key) ?? `speaker-${this.#contexts.size + 1}`)
      : ONLY_CONTEXT;
    this.#contexts.set(key, context);
    const { confirmsOpening } = this.#dialect.traits;
    if (isNew && confirmsOpening) {
      this.#send({ kind: 'openContext', context, settings });
      await this.#until(() => this.#has('contextOpened'));
    }
    const opens = isNew && !confirmsOpening;
    this.#seen.length = 0;
    this.#send({ kind: 'say', context, text, ...(opens && { opens: settings }) });
    this.#send({ kind: flushEndsTurn ? 'flush' : 'endTurn', context });
    await this.#until(() => this.#has('turnEnded'));
    if (this.#dialect.traits.turnEnd === 'connection') await this.#until(() => this.isOver);
  }

  end(): void {
    this.#socket.terminate();
  }

  #has(type: SpeechEvent['type']): boolean {
    return this.#seen.some((event) => event.type === type);
  }

  #until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#look = () => {
        const error = this.#seen.find((event) => event.type === 'error');
        if (isSo()) resolve();
        else if (error) reject(new Error(`${this.#endpoint.id}: ${error.message}`));
        else if (this.isOver) reject(new Error(`${this.#endpoint.id}: the connection ended`));
      };
      this.#look();
    });
  }

  #received(frame: Frame): void {
    this.#add({ ...OF_FRAME(frame), direction: 'in' });
    this.#seen.push(...this.#dialect.decode(frame));
    for (const reply of this.#dialect.replies?.() ?? []) this.#sendFrame(reply);
    this.#look();
  }

  #send(intent: Intent): void {
    for (const frame of this.#dialect.encode(intent)) this.#sendFrame(frame);
  }

  #sendFrame(frame: Frame): void {
    this.#socket.send(frame);
    this.#add({ ...OF_FRAME(frame), direction: 'out' });
  }

  #happened(kind: string, what: object): void {
    const payload = JSON.stringify(what);
    this.#add({ direction: 'connection', kind, opcode: 'none', bytes: payload.length, payload });
  }
}

const OF_FRAME = (payload: Frame) => ({
  payload,
  kind: UNREAD,
  opcode: opcodeOf(payload),
  bytes: byteLength(payload),
});
