import { wavHeader } from '#lib/wav.ts';
import type { Settings } from '#protocol/core/endpoint.ts';
import { describeIssues } from '#protocol/core/issue.ts';
import {
  audioFormatOf,
  DEFAULT_MODEL,
  FAMILY_SETTINGS,
  type Family,
  speedFault,
  takesSpeed,
} from '#protocol/deepgram/wire/settings.ts';
import { type Output, outputOf, wavOutput } from '../audio/output.ts';
import { ORDINARY_SPEECH, type SpeechRequest } from '../speech/engine.ts';
import { invalidQuery, noSuchModel, refusal, unsupportedFormat } from './access.ts';
import { type LocalModel, languageOf, type ModelVoices } from './voices.ts';

/** How a connection or a call speaks. */
export interface ModelSpeaker {
  model: LocalModel;
  /** Undefined where the address names none. */
  speed: number | undefined;
}

const NUMBERS: ReadonlySet<string> = new Set(['sample_rate', 'bit_rate', 'speed', 'expressivity']);
const NUMBER = /^-?\d+(\.\d+)?$/;
/** Parameters whose values have no decimal point (deepgram-http-9). */
const WHOLE: ReadonlySet<string> = new Set(['sample_rate', 'bit_rate', 'expressivity']);

/** The parameters of calls alone. */
const OF_REST: readonly string[] = ['container', 'bit_rate', 'callback', 'callback_method', 'priority'];

/** The settings of a query. Throws the refusal of a name that `/v2/speak` does not know (deepgram-open-15). */
export function querySettings({ searchParams }: URL, family: Family, of: 'sockets' | 'rest'): Settings {
  const given = [...searchParams];
  const known = FAMILY_SETTINGS[family].settings.map(({ field }) => field);
  const isKnown = (name: string) => known.includes(name) || (of === 'rest' && OF_REST.includes(name));
  const unknown = family === 'flux' && given.find(([name]) => !isKnown(name));
  if (unknown) throw invalidQuery(`unknown field \`${unknown[0].slice(0, 40)}\``);
  return Object.fromEntries(given.map(([name, text]) => [name, settingOf(name, text)]));
}

function settingOf(name: string, text: string): unknown {
  if (name === 'mip_opt_out') return text === 'true' || (text === 'false' ? false : text);
  if (!NUMBERS.has(name) || !NUMBER.test(text) || (WHOLE.has(name) && text.includes('.'))) return text;
  return Number(text);
}

/** The speaker of these settings. Throws their refusal. */
export function speakerIn(settings: Settings, family: Family, voices: ModelVoices): ModelSpeaker {
  const { model: id = family === 'aura' ? DEFAULT_MODEL : undefined, speed } = settings;
  if (id === undefined) throw invalidQuery('missing field `model`');
  const problem = family === 'flux' ? prosodyProblem(settings) : null;
  if (problem) throw refusal(400, problem.description, problem.code);
  const issues = FAMILY_SETTINGS[family].checkSettings(settings);
  const isOf = (...names: string[]) => issues.find(({ path }) => names.includes(path));
  if (isOf('model')) throw noSuchModel();
  const format = isOf('encoding', 'sample_rate');
  if (format) throw unsupportedFormat(describeIssues([format]));
  if (issues.length > 0) throw invalidQuery(describeIssues(issues.slice(0, 1)));
  const model = voices.find(String(id));
  if (!model || model.family !== family) throw noSuchModel();
  // Ours: the other models of Aura speak at their own pace.
  const isHeard = family === 'flux' || takesSpeed(model.id);
  return { model, speed: isHeard && typeof speed === 'number' ? speed : undefined };
}

/** The refusals of a pace and of an expressivity on `/v2/speak`. */
const PROSODY = {
  SPEED_OUT_OF_RANGE: "'speed' must be between 0.5 and 1.5",
  SPEED_INCREMENT_INVALID: "'speed' must be provided in increments of 0.05",
  EXPRESSIVITY_OUT_OF_RANGE: "'expressivity' must be between -2 and 2",
  EXPRESSIVITY_INCREMENT_INVALID: "'expressivity' must be a whole number",
} as const;

const problemOf = (code: keyof typeof PROSODY | null) => code && { code, description: PROSODY[code] };

export const speedProblem = (speed: unknown) => problemOf(speedFault(Number(speed)));

function prosodyProblem({ speed, expressivity = 0 }: Settings) {
  if (typeof expressivity !== 'number') return problemOf('EXPRESSIVITY_INCREMENT_INVALID');
  if (Math.abs(expressivity) > 2) return problemOf('EXPRESSIVITY_OUT_OF_RANGE');
  return speed === undefined ? null : speedProblem(speed);
}

/** The engine's request for a text. */
export const requestOf = (
  { model, speed = ORDINARY_SPEECH.speed }: ModelSpeaker,
  text: string,
  sampleRate: number,
): Omit<SpeechRequest, 'session'> => ({
  ...ORDINARY_SPEECH,
  text,
  voice: model.voice,
  sampleRate,
  speed,
  language: languageOf(model),
  // No tags are documented for these texts.
  markup: 'newlines',
});

/** Stated by a file that is still being made (deepgram-http-7). */
const WAV_BYTES = 0x7fff_ffff;
const WAV_HEADER_BYTES = 36;
const MP3 = { encoding: 'mp3', sampleRate: 22_050 } as const;
/** In bit/s, the default first (deepgram-http-3). */
const MP3_BIT_RATES = {
  aura: [48_000, 32_000],
  flux: [48_000, 8000, 16_000, 24_000, 32_000, 40_000],
} as const;
const NOT_MADE: readonly unknown[] = ['opus', 'flac', 'aac'];

/** The format of a call, MP3 unless its settings name one. Throws the refusal of a wrong one. */
export function restOutput(settings: Settings, family: Family): Output {
  const { encoding = 'mp3', container = 'wav', bit_rate, sample_rate } = settings;
  const expect = (name: string, found: unknown, ...expected: readonly unknown[]) => {
    const isRight = expected.includes(found);
    if (!isRight) throw unsupportedFormat(`${name}: expected ${expected.join(' or ')} with ${encoding}`);
  };
  if (NOT_MADE.includes(encoding))
    throw unsupportedFormat(`the local server makes no ${encoding}; ask for mp3, linear16, mulaw or alaw`);
  if (encoding === 'mp3') {
    const [usual, ...others] = MP3_BIT_RATES[family];
    const { bit_rate: rate = usual } = settings;
    expect('container', settings.container ?? 'none', 'none');
    expect('sample_rate', sample_rate ?? MP3.sampleRate, MP3.sampleRate);
    expect('bit_rate', rate, usual, ...others);
    return outputOf(MP3, Number(rate) / 1000);
  }
  const issues = FAMILY_SETTINGS[family].checkSettings({ encoding, sample_rate });
  if (issues.length > 0) throw unsupportedFormat(describeIssues(issues));
  expect('bit_rate', bit_rate ?? 'none', 'none');
  expect('container', container, 'wav', 'none');
  const format = audioFormatOf(family)(settings);
  const { sampleRate } = format;
  if (container === 'none') {
    const name = encoding === 'linear16' ? 'l16' : encoding;
    return { ...outputOf(format), contentType: `audio/${name};rate=${sampleRate}` };
  }
  const wav = wavOutput(format);
  const head = () => wavHeader(WAV_BYTES - WAV_HEADER_BYTES, sampleRate, format.encoding);
  return { ...wav, open: (peer) => ({ ...wav.open(peer), head }) };
}
