import { SOURCE_RATES } from './openai/sample-reader.ts';
import type { SpeechServerSettings } from './openai/speech-server.ts';

export type EngineName = 'espeak' | 'openai';

/** Which engines speak, from environment variables. */
export interface EngineSettings {
  /** Speaks in every voice that names no engine of its own. */
  readonly first: EngineName;
  /** espeak speaks where the first engine fails. */
  readonly takesOver: boolean;
  /** JSON file of voices; undefined for those of the speech server. */
  readonly voicesPath: string | undefined;
  /** Null without an address. */
  readonly server: SpeechServerSettings | null;
}

const CHOICES: Readonly<Record<string, Pick<EngineSettings, 'first' | 'takesOver'>>> = {
  espeak: { first: 'espeak', takesOver: false },
  openai: { first: 'openai', takesOver: false },
  'openai,espeak': { first: 'openai', takesOver: true },
};

const DEFAULTS = { model: 'tts-1', sampleRate: 24_000, timeoutSeconds: 30, requests: 8 };
const MAX_TIMEOUT_SECONDS = 600;
const MAX_REQUESTS = 256;

type Variables = Readonly<Record<string, string | undefined>>;

/** Reads the variables of the engines. Throws what `refuse` makes of a problem, which never repeats the key. */
export function readEngineSettings(variables: Variables, refuse: (problem: string) => Error): EngineSettings {
  const { VOICEWIRE_ENGINE, VOICEWIRE_VOICES } = variables;
  const name = (VOICEWIRE_ENGINE || 'espeak').replace(/\s/g, '');
  const choice = Object.hasOwn(CHOICES, name) ? CHOICES[name] : undefined;
  if (!choice)
    throw refuse(`VOICEWIRE_ENGINE must be one of ${Object.keys(CHOICES).join('; ')}, not ${shown(name)}.`);
  const server = readServer(variables, refuse);
  if (choice.first === 'openai' && !server) {
    throw refuse(
      `VOICEWIRE_ENGINE=${name} needs the address of a speech server: VOICEWIRE_OPENAI_URL=http://127.0.0.1:8880/v1`,
    );
  }
  return { ...choice, voicesPath: VOICEWIRE_VOICES || undefined, server };
}

function readServer(variables: Variables, refuse: (problem: string) => Error): SpeechServerSettings | null {
  const { VOICEWIRE_OPENAI_URL, VOICEWIRE_OPENAI_KEY: key = '', VOICEWIRE_OPENAI_MODEL } = variables;
  if (!VOICEWIRE_OPENAI_URL) return null;
  const url = baseAddress(VOICEWIRE_OPENAI_URL);
  if (!url) {
    throw refuse(
      'VOICEWIRE_OPENAI_URL must be an address such as http://127.0.0.1:8880/v1, without key or query.',
    );
  }
  // Any other character would fail in the header, in an error that repeats the key.
  if (!/^[\x21-\x7e]*$/.test(key)) {
    throw refuse('VOICEWIRE_OPENAI_KEY must be one word of ASCII characters.');
  }
  const model = VOICEWIRE_OPENAI_MODEL || DEFAULTS.model;
  const whole = (name: string, from: number, to: number, otherwise: number): number => {
    const text = variables[name];
    if (!text) return otherwise;
    const number = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= from && number <= to) return number;
    throw refuse(`${name} must be a whole number from ${from} to ${to}, not ${shown(text)}.`);
  };
  const sampleRate = Number(variables.VOICEWIRE_OPENAI_RATE || DEFAULTS.sampleRate);
  if (!SOURCE_RATES.includes(sampleRate)) {
    throw refuse(
      `VOICEWIRE_OPENAI_RATE must be one of ${SOURCE_RATES.join(', ')}, not ${shown(variables.VOICEWIRE_OPENAI_RATE ?? '')}.`,
    );
  }
  return {
    url,
    key,
    model,
    sampleRate,
    timeoutMs: 1000 * whole('VOICEWIRE_OPENAI_TIMEOUT', 1, MAX_TIMEOUT_SECONDS, DEFAULTS.timeoutSeconds),
    requests: whole('VOICEWIRE_OPENAI_REQUESTS', 1, MAX_REQUESTS, DEFAULTS.requests),
  };
}

/** Null for anything but the base address of a server. A user or a query may be a key. */
function baseAddress(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const { protocol, search, hash, username, password } = url;
  const isBase = protocol === 'http:' || protocol === 'https:';
  return !isBase || search || hash || username || password ? null : url;
}

/** Quoted on one line. */
const shown = (text: string): string => JSON.stringify(text.slice(0, 60));
