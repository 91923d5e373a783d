import { WebSocket } from 'ws';
import { keylessAddress, programHandshakeOf } from '#protocol/core/address.ts';
import type { Dialect, Endpoint, EndpointId, Intent, Settings } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { ONLY_CONTEXT, type SpeechEvent } from '#protocol/core/speech-event.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { type NoteReader, noteReader } from '#record/frame-notes.ts';
import { byteLength, opcodeOf } from '#record/frame-size.ts';
import type { NewEntry } from '#record/record.ts';
import { NO_NOTE } from '#record/recorded-event.ts';
import { ModelVoices } from '#server/deepgram/voices.ts';
import { readEnvironment } from '#server/environment.ts';
import { promptOf } from '#server/murmr/voice-prompt.ts';
import { type RunningServer, startServer } from '#server/running-server.ts';
import { LOCAL_CATALOGUE } from '#server/speech/voices/voice-catalogue.ts';
import { VOICES, type Voice } from '#server/speech/voices/voices.ts';

/** What speaks in a session. */
export interface Speaker {
  endpoint: EndpointId;
  voice: Voice;
  language: string;
  /** The settings of the format, as a person chooses them. */
  format: Settings;
}

/** A session as its client saw it, one turn for each text. */
export interface CleanSession extends Speaker {
  texts: readonly string[];
  entries: readonly NewEntry[];
}

/** For tables, such as `pcm_24000` or `mulaw 8000`. */
export const formatName = ({ format }: Pick<Speaker, 'format'>): string => Object.values(format).join(' ');

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

const { all: MODELS } = new ModelVoices(LOCAL_CATALOGUE);

/** The settings by which an endpoint speaks in a local voice; null where it does not. */
function voiceSettings({ endpoint, voice, language }: Omit<Speaker, 'format'>): Settings | null {
  const name = endpointWith(endpoint).languageValue(language);
  switch (endpoint) {
    case 'kugel-stream':
    case 'kugel-multi':
    case 'kugel-tts':
      return { voice_id: voice.id, language: name, word_timestamps: true };
    case 'murmr':
      return name === undefined
        ? null
        : { voice: voice.handle, voice_clone_prompt: promptOf({ catalogue: voice }), language: name };
    case 'elevenlabs-stream':
    case 'elevenlabs-multi':
      return name === undefined
        ? null
        : { voice_id: voice.handle, model_id: 'eleven_flash_v2_5', language_code: name };
    case 'deepgram':
    case 'deepgram-flux': {
      const family = endpoint === 'deepgram' ? 'aura' : 'flux';
      const model = MODELS.find((each) => each.family === family && each.voice === voice);
      return model && model.language === language ? { model: model.id } : null;
    }
    case 'cartesia':
      return name === undefined ? null : { voice: voice.handle, language: name, add_timestamps: true };
  }
}

function endpointWith(id: EndpointId): Endpoint {
  const endpoint = ENDPOINTS.find((each) => each.id === id);
  if (!endpoint) throw new Error(`${id} is no endpoint`);
  return endpoint;
}

/** All that this project can speak: each voice in its languages. */
export const VOICES_AND_LANGUAGES = VOICES.flatMap((voice) =>
  voice.languages.map((language) => ({ voice, language })),
);

/** Whether an endpoint speaks in this voice and language. */
export const canSpeak = (speaker: Omit<Speaker, 'format'>): boolean => voiceSettings(speaker) !== null;

/** The local server, in this process. */
export const startSpeaking = (): Promise<RunningServer> =>
  startServer(readEnvironment({ PORT: '0', LOG_LEVEL: 'silent' }));

/** Speaks texts one after another, and records what the client sees. @throws Error where a turn does not end */
export async function record(
  server: RunningServer,
  speaker: Speaker,
  texts: readonly string[],
): Promise<CleanSession> {
  const endpoint = endpointWith(speaker.endpoint);
  const voice = voiceSettings(speaker);
  if (!voice) throw new Error(`${speaker.endpoint} does not speak ${speaker.language}`);
  const entries: NewEntry[] = [];
  const ofSession = new Session(endpoint, speaker, voice, server, entries);
  for (const text of texts) await ofSession.speak(text);
  ofSession.end();
  return { ...speaker, texts, entries };
}

/** A client of one endpoint, which opens as many connections as its turns need. */
class Session {
  readonly #endpoint: Endpoint;
  readonly #settings: Settings;
  readonly #ofContext: Settings;
  readonly #base: string;
  readonly #entries: NewEntry[];
  readonly #count = { turns: 0 };
  readonly #startMs = performance.now();
  #connections = 0;
  #link: Link | null = null;

  constructor(
    endpoint: Endpoint,
    { format }: Speaker,
    voice: Settings,
    server: RunningServer,
    entries: NewEntry[],
  ) {
    const { initialSettings, contexts, localPrefix, settings } = endpoint;
    const of = (fields: readonly { field: string }[], values: Settings): Settings =>
      Object.fromEntries(
        Object.entries(values).filter(([name]) => fields.some(({ field }) => field === name)),
      );
    const { voice_description: _, language: __, ...initial } = initialSettings;
    const wanted = { ...initial, ...voice, ...format };
    this.#endpoint = endpoint;
    this.#settings = of(settings, wanted);
    this.#ofContext = of(contexts?.settings ?? [], wanted);
    this.#base = `${server.ws}${localPrefix}`;
    this.#entries = entries;
  }

  async speak(text: string): Promise<void> {
    const link = this.#link ?? (await this.#open());
    this.#link = link;
    await link.turn(text);
    if (link.isOver) this.#link = null;
  }

  end(): void {
    this.#link?.end();
  }

  async #open(): Promise<Link> {
    this.#connections += 1;
    const address = keylessAddress(this.#endpoint, this.#base, { ...this.#settings, ...this.#ofContext });
    const connection = this.#connections;
    const atUs = () => Math.round((performance.now() - this.#startMs) * 1000);
    const link = new Link(this.#endpoint, address, this.#settings, this.#ofContext, this.#count, (entry) =>
      this.#entries.push({ ...NO_NOTE, ...entry, atUs: atUs(), connection }),
    );
    await link.ready;
    return link;
  }
}

type OfLink = Pick<NewEntry, 'direction' | 'kind' | 'opcode' | 'bytes' | 'payload'> & Partial<NewEntry>;

/** One connection. */
class Link {
  isOver = false;
  readonly ready: Promise<unknown>;
  readonly #dialect: Dialect;
  readonly #notes: NoteReader;
  readonly #socket: WebSocket;
  readonly #endpoint: Endpoint;
  readonly #ofContext: Settings;
  readonly #add: (entry: OfLink) => void;
  readonly #seen: SpeechEvent[] = [];
  #look = (): void => {};
  #turns = 0;

  constructor(
    endpoint: Endpoint,
    address: string,
    settings: Settings,
    ofContext: Settings,
    count: { turns: number },
    add: (entry: OfLink) => void,
  ) {
    const key = endpoint.localKey;
    this.#endpoint = endpoint;
    this.#ofContext = ofContext;
    this.#add = add;
    this.#notes = noteReader(endpoint, address, count);
    this.#dialect = protocolOf(endpoint).open({ settings: { ...settings, ...ofContext }, key });
    this.#happened('opening', { address, format: endpoint.audioFormat({ ...settings, ...ofContext }) });
    const { url, protocols, headers } = programHandshakeOf(endpoint, address, key);
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

  async turn(text: string): Promise<void> {
    const { contexts, flushEndsTurn } = this.#endpoint;
    const context = contexts ? 'speaker' : ONLY_CONTEXT;
    const settings = this.#ofContext;
    if (this.#turns === 0 && contexts && this.#dialect.traits.confirmsOpening) {
      this.#send({ kind: 'openContext', context, settings });
      await this.#until(() => this.#has('contextOpened'));
    }
    const opens = this.#turns === 0 && contexts && !this.#dialect.traits.confirmsOpening;
    this.#turns += 1;
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
    this.#add({ ...this.#notes.received(frame), ...OF_FRAME(frame), direction: 'in' });
    this.#seen.push(...this.#dialect.decode(frame));
    for (const reply of this.#dialect.replies?.() ?? []) this.#sendFrame(reply);
    this.#look();
  }

  #send(intent: Intent): void {
    for (const frame of this.#dialect.encode(intent)) this.#sendFrame(frame);
  }

  #sendFrame(frame: Frame): void {
    this.#socket.send(frame);
    this.#add({ ...this.#notes.sent(frame), ...OF_FRAME(frame), direction: 'out' });
  }

  #happened(kind: string, what: object): void {
    const payload = JSON.stringify(what);
    this.#add({ direction: 'connection', kind, opcode: 'none', bytes: payload.length, payload });
  }
}

const OF_FRAME = (payload: Frame) => ({ payload, opcode: opcodeOf(payload), bytes: byteLength(payload) });
