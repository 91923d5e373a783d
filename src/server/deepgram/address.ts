import type { Settings } from '#protocol/core/endpoint.ts';
import { describeIssues } from '#protocol/core/issue.ts';
import { DEFAULT_MODEL, type Family, takesSpeed } from '#protocol/deepgram/wire/models.ts';
import { FAMILY_SETTINGS, speedFault } from '#protocol/deepgram/wire/settings.ts';
import { ORDINARY_SPEECH, type SpeechRequest } from '../speech/engine.ts';
import { invalidQuery, noSuchModel, refusal, unsupportedFormat } from './errors.ts';
import { type LocalModel, languageOf, type ModelVoices } from './voices.ts';

/** How a connection or a call speaks. */
export interface ModelSpeaker {
  model: LocalModel;
  /** Undefined where the address names none. */
  speed: number | undefined;
}

const NUMBERS: ReadonlySet<string> = new Set(['sample_rate', 'bit_rate', 'speed', 'expressivity']);
const NUMBER = /^-?\d+(\.\d+)?$/;
/** Of these, no value has a decimal point (`facts-deepgram 6.2`). */
const WHOLE: ReadonlySet<string> = new Set(['sample_rate', 'bit_rate', 'expressivity']);

/** The parameters of calls alone (`facts-deepgram 6.1`, 6.2). */
const OF_REST: readonly string[] = ['container', 'bit_rate', 'callback', 'callback_method', 'priority'];

/** The settings of a query. Throws the refusal of a name that `/v2/speak` does not know (`facts-deepgram 4.1`). */
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

/** The refusals of a pace and of an expressivity on `/v2/speak` (`facts-deepgram 4.2`, 5.2.5). */
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
