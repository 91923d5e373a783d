import { addAll } from '#lib/collections/arrays.ts';
import { remember } from '#lib/collections/maps.ts';
import { money } from '#lib/format.ts';
import { isCompressed } from '#protocol/core/audio-format.ts';
import type { Endpoint, Intent, Settings } from '#protocol/core/endpoint.ts';
import type { Finding, Rule } from '#protocol/core/rule.ts';
import type { SpeechEvent, Usage } from '#protocol/core/speech-event.ts';
import { rulesOf } from '#protocol/lint/rule-book.ts';
import { endpointNamed } from '#protocol/registry.ts';
import { isCut as isCutStep, StepReader } from '#trace/client-steps.ts';
import { isClose, KEPT_CONNECTIONS, openingOf } from '#trace/connection.ts';
import type { NewEntry } from '#trace/entry.ts';
import { playerRecordOf } from '#trace/player-entry.ts';
import { RecordedSpeech, type RecordedTurn } from '#trace/recorded-speech.ts';
import type { ReferenceSource } from '#trace/words/text-search.ts';
import { levelFaults } from './levels.ts';
import { beginsWithWav, misreadFaults } from './misread.ts';
import { seamFaults } from './seams.ts';
import { type AskedFor, SessionHistory } from './session-history.ts';
import { silenceFaults } from './silence.ts';
import { SOUND_RULES } from './sound-rules.ts';
import { faultAt, listen, type SoundFault, type TurnSound } from './turn-sound.ts';
import { needsFound, wordFaults } from './word-times.ts';

/** The sound of all open turns: almost six minutes at 24 kHz. */
const OPEN_LIMITS = { samples: 2 ** 23, pieces: 2 ** 10 };
/** Delays of an MP3 encoder and of its decoder. No other compression is decoded here. */
const MP3_DELAY_SAMPLES = 576 + 529;
/** Faults of one turn. A faulty server may make any number. */
const MAX_A_TURN = 40;
/** Open turns. Beyond them, the oldest is not judged: a client may begin any number, and the server answer none. */
const MAX_OPEN = 1024;
/** Findings with which a turn is not compared with others. */
const NO_SPEECH: ReadonlySet<string> = new Set(['not-samples', 'two-channels', 'silent-turn']);
/** Turns that are over, whose late frames are ignored. */
const KEPT_ENDED = 1000;

interface OpenTurn {
  key: string;
  /** Null before its first speech. */
  sound: RecordedTurn | null;
  turn: number | null;
  context: string | null;
  connection: number;
  /** The first sample of a frame that begins with the header of a file; null for none. */
  header: number | null;
  /** Address and settings that its first text was sent with; null before it. */
  asked: AskedFor | null;
  /** Decoders of compressed audio change its length. */
  isExact: boolean;
  /** The client has abandoned the rest. */
  isCut: boolean;
  /** The client has asked for its end, which the server has not confirmed. */
  isLeft: boolean;
}

/** The client's side of a connection. */
interface Client {
  /** Null where it is not recorded. */
  address: string | null;
  steps: StepReader;
}

/**
 * Listens to the turns of a recording, live or stored, and reports what is wrong with their sound once they are over.
 * Takes entries in order, and keeps the samples of open turns only.
 */
export class SoundCheck {
  readonly rules: readonly Rule[] = rulesOf(SOUND_RULES);
  readonly #speech: RecordedSpeech;
  readonly #vendor: Endpoint | null;
  /** Fields that a client may choose. A hostile one sends any number of others. */
  readonly #fields: ReadonlySet<string>;
  /** By open connection. */
  readonly #clients = new Map<number, Client>();
  /** The connection of the last entry, which is the newest of the map. */
  #newest: number | null = null;
  readonly #open = new Map<string, OpenTurn>();
  /** Turns that are over, and overlong ones, by their keys. */
  readonly #ended = new Map<string, true>();
  readonly #history = new SessionHistory();
  readonly #reference: ReferenceSource;
  readonly #pause: () => Promise<void>;

  /**
   * @param endpoint its registry name; an unknown one has no sound
   * @param reference by which words are found; without one, the rules that need them report nothing
   * @param pause yields to other work of the thread
   */
  constructor(endpoint: string, reference: ReferenceSource, pause = async (): Promise<void> => {}) {
    this.#reference = reference;
    this.#pause = pause;
    this.#vendor = endpointNamed(endpoint);
    const { settings = [], contexts } = this.#vendor ?? {};
    this.#fields = new Set([...settings, ...(contexts?.settings ?? [])].map(({ field }) => field));
    this.#speech = new RecordedSpeech(endpoint, OPEN_LIMITS);
  }

  /** Returns the findings of the turns that end with this entry. Turns longer than the limits have none. */
  async take(entry: NewEntry, index: number): Promise<readonly Finding[]> {
    const { direction, connection } = entry;
    if (direction === 'player') {
      const record = playerRecordOf(entry);
      if (record) this.#speech.turnOf(entry)?.played(record);
      return [];
    }
    const turn = this.#turnOf(entry);
    const sample = turn.sound?.samples ?? 0;
    const isOver = this.#ended.has(turn.key);
    const decoded = isOver
      ? this.#speech.pass(entry)
      : await this.#speech.add(entry, index).catch(() => null);
    turn.sound = this.#speech.turnOf(entry);
    if (!decoded) remember(this.#ended, turn.key, true, KEPT_ENDED);
    if (this.#ended.has(turn.key)) {
      this.#open.delete(turn.key);
      if (turn.sound) this.#speech.forget(turn.sound);
    }
    if (!decoded) return [];
    const { events, intents } = decoded;
    const client = this.#clientOf(connection);
    const opening = openingOf(entry);
    if (client && opening) client.address = opening.address;
    if (client && direction === 'out') this.#sent(entry, intents, turn, client);
    if (events.some(hasHeader)) turn.header ??= sample;
    const findings: Finding[] = [];
    for (const event of events) addAll(findings, await this.#follow(event, turn));
    if (!isClose(entry)) return findings;
    this.#clients.delete(connection);
    const last = await this.#end((open) => open.connection === connection, !events.some(isTurnEnd));
    return [...findings, ...last];
  }

  /** The recording is over. Returns the findings of the turns that are still open. */
  async end(): Promise<readonly Finding[]> {
    return this.#end(() => true, true);
  }

  #turnOf({ turn, context, connection }: NewEntry): OpenTurn {
    const key = turn === null ? JSON.stringify([connection, context]) : `${connection} ${turn}`;
    const open = this.#open.get(key) ?? {
      key,
      sound: null,
      turn,
      context,
      connection,
      header: null,
      asked: null,
      isExact: true,
      isCut: false,
      isLeft: false,
    };
    if (!this.#ended.has(key)) this.#open.set(key, open);
    if (this.#open.size > MAX_OPEN) this.#dropOldest();
    return open;
  }

  #dropOldest(): void {
    const [oldest] = this.#open.values();
    if (!oldest) return;
    this.#open.delete(oldest.key);
    if (oldest.sound) this.#speech.forget(oldest.sound);
  }

  /** Null for an unknown endpoint. */
  #clientOf(connection: number): Client | null {
    if (!this.#vendor) return null;
    const known = this.#clients.get(connection);
    if (known && connection === this.#newest) return known;
    this.#newest = connection;
    const client = known ?? { address: null, steps: new StepReader(this.#vendor) };
    remember(this.#clients, connection, client, KEPT_CONNECTIONS);
    return client;
  }

  #sent(
    { connection, payload }: NewEntry,
    intents: readonly Intent[],
    turn: OpenTurn,
    { address, steps }: Client,
  ): void {
    for (const step of steps.read(payload, intents)) {
      const { context, text, under } = step;
      // A turn is spoken under the settings of its first text.
      if (text !== '') turn.asked ??= [address, ...under.map((all) => this.#chosen(all))];
      const isCut = isCutStep(step);
      if (!isCut && step.kind !== 'closeContext') continue;
      for (const open of this.#open.values()) {
        if (open.connection !== connection || (context ?? open.context) !== open.context) continue;
        open.isLeft = true;
        open.isCut ||= isCut;
      }
    }
  }

  #chosen(settings: Settings = {}): Settings {
    return Object.fromEntries(Object.entries(settings).filter(([field]) => this.#fields.has(field)));
  }

  async #follow(event: SpeechEvent, turn: OpenTurn): Promise<readonly Finding[]> {
    if (event.type === 'contextClosed') this.#clients.get(turn.connection)?.steps.forget(event.context);
    if (event.type === 'audio' && isCompressed(event.encoding)) turn.isExact = false;
    if (event.type === 'turnEnded') return this.#end((open) => open === turn, false, event.usage);
    const isOf = (context: string | null) => (open: OpenTurn) =>
      open.connection === turn.connection && (context === null || (open.context ?? '') === context);
    if (event.type === 'sessionEnded') return this.#end(isOf(null), true);
    if (event.type !== 'contextClosed' && event.type !== 'interrupted') return [];
    // Turns that the client has begun behind its request go on.
    const open = [...this.#open.values()].filter(isOf(event.context));
    const left = open.filter((one) => one.isLeft || (one === turn && one.turn !== null));
    const over = left.length > 0 ? left : open;
    return this.#end((one) => over.includes(one), true, event.usage);
  }

  async #end(
    isOver: (turn: OpenTurn) => boolean,
    isEarly: boolean,
    usage?: Usage | null,
  ): Promise<readonly Finding[]> {
    const over = [...this.#open.values()].filter(isOver);
    const findings: Finding[] = [];
    for (const turn of over) {
      this.#open.delete(turn.key);
      if (turn.turn !== null) remember(this.#ended, turn.key, true, KEPT_ENDED);
      // A bill of several turns is of none of them alone.
      const bill = over.length === 1 ? (usage ?? null) : null;
      addAll(findings, await this.#judge(turn, isEarly || turn.isCut, bill));
      if (turn.sound) this.#speech.forget(turn.sound);
    }
    return findings;
  }

  async #judge(open: OpenTurn, isCut: boolean, usage: Usage | null): Promise<readonly Finding[]> {
    const { sound, turn, context, connection, header, isExact } = open;
    const audio = sound?.sound.audio;
    if (!audio || sound.samples === 0) return [];
    const { sentText } = sound;
    const { sampleRate } = audio;
    const frames = sound.frames.filter(({ count }) => count > 0);
    const chunks = sound.chunks.filter(({ samples }) => samples > 0);
    const heard = listen({
      samples: audio.slice(),
      sampleRate,
      seams: frames.slice(1).map(({ sample }) => sample),
      delay: isExact ? 0 : MP3_DELAY_SAMPLES,
      chunks: chunks.map(({ id, startSample, samples, text: chunkText, words, statedSeconds }) => ({
        id,
        from: startSample,
        to: startSample + samples,
        text: chunkText,
        words,
        statedSeconds: isExact ? statedSeconds : null,
      })),
      text: chunks.every((chunk) => chunk.text !== null)
        ? chunks.map((chunk) => chunk.text).join(' ')
        : sentText,
      sentText,
      isCut,
    });
    const findingOf = ({ id, from, to, message }: SoundFault): Finding => {
      const { index, atUs } = frames.findLast(({ sample }) => sample <= from) ?? { index: 0, atUs: 0 };
      const place = { turn, fromS: from / sampleRate, toS: to / sampleRate };
      const rule = { id, ...SOUND_RULES[id], path: null, related: null };
      return { ...rule, frame: index, atUs, connection, context, message, sound: place };
    };
    const faults = faultsOf(heard, usage);
    // Samples that are no speech have no words.
    const isWorth = !heard.isSilent && !faults.some(({ id }) => NO_SPEECH.has(id));
    const hasRepeat = faults.some(({ id }) => id === 'repeat-at-seam');
    if (isWorth && needsFound(heard)) await sound.measure(this.#reference, this.#pause);
    const found = new Map(sound.chunks.map(({ id, measured }) => [id, measured ?? []]));
    const words = isWorth ? wordFaults(heard, found, hasRepeat) : [];
    const all = [...headerFaults(header), ...faults, ...words];
    const findings = all.slice(0, MAX_A_TURN).map(findingOf);
    const isSpeech = !findings.some(({ id }) => NO_SPEECH.has(id));
    return isSpeech ? [...findings, ...this.#history.add(heard, open.asked ?? [], findingOf)] : findings;
  }
}

/** The end of a connection may be that of its turn. */
const isTurnEnd = ({ type }: SpeechEvent): boolean => type === 'turnEnded';

const hasHeader = (event: SpeechEvent): boolean =>
  event.type === 'audio' && !isCompressed(event.encoding) && beginsWithWav(event.payload);

/** Bytes of the usual header, as 16-bit samples. */
const HEADER_SAMPLES = 22;

const headerFaults = (from: number | null): SoundFault[] =>
  from === null
    ? []
    : [faultAt('file-header', { from, to: from + HEADER_SAMPLES }, 'samples', 'the header of a WAV file')];

/** Samples that are something else make every other rule meaningless, and silence most of them. */
function faultsOf(sound: TurnSound, usage: Usage | null): SoundFault[] {
  const misread = misreadFaults(sound);
  if (misread.length > 0) return misread;
  const silences = silenceFaults(sound).map((fault) => ({
    ...fault,
    message: fault.message + costOf(sound, fault, usage),
  }));
  if (sound.isSilent) return silences;
  return [...silences, ...seamFaults(sound), ...levelFaults(sound)];
}

/** The part of the bill that the silence is of the sound. */
function costOf(sound: TurnSound, fault: SoundFault, usage: Usage | null): string {
  if (usage?.costCents == null) return '';
  const share = (fault.to - fault.from) / sound.samples.length;
  return `, for ${money(share * usage.costCents, usage.currency)} of the bill of ${money(usage.costCents, usage.currency)}`;
}
