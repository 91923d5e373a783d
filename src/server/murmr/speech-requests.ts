import { describeIssue } from '#protocol/core/issue.ts';
import { isFields } from '#protocol/core/json-frame.ts';
import { z } from '#protocol/core/zod.ts';
import {
  MAX_DESCRIPTION_CHARS,
  MAX_PROMPT_CHARS,
  protocolLanguageCode,
} from '#protocol/murmr/wire/settings.ts';
import { type AudioFileFormat, isAudioFileFormat } from '../audio/audio-file.ts';
import { type BodyLimits, type RestContext, readBody } from '../rest.ts';
import { refusal } from './access.ts';
import type { MurmrServices } from './services.ts';
import { type VoiceChoice, voiceChoice } from './voice-choice.ts';
import { webhookProblem } from './webhook-url.ts';

/** Limit of the vendor (murmr-http-1). */
const MAX_TEXT_CHARS = 4096;
/** Beyond any name or id of the vendor. */
const MAX_NAME_CHARS = 100;
/** Of a call with a `voice_clone_prompt`. */
const WITH_PROMPT: BodyLimits = { bytes: 1024 * 1024, values: 1000 };
const FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;

/** A text that has more than white space. */
export const withContent = (maxChars: number, expected: string) =>
  z.string().check(
    z.maxLength(maxChars),
    z.refine((text) => text.trim() !== '', expected),
  );

const text = withContent(MAX_TEXT_CHARS, 'a text to speak');

/** Fields of every call. `text` wins over `input`, OpenAI's name of the same. */
const spoken = {
  text: z.nullish(text),
  input: z.nullish(text),
  // Unknown names fall back to detection.
  language: z.nullish(z.string().check(z.maxLength(MAX_NAME_CHARS))),
  response_format: z.nullish(z.literal(FORMATS)),
};

/** Ignores unknown fields, such as OpenAI's `model` and `speed`. */
const request = <S extends z.core.$ZodShape>(shape: S) =>
  z.pipe(
    z.transform((fields) =>
      isFields(fields) && (fields.text ?? null) !== null ? { ...fields, input: null } : fields,
    ),
    z.object({ ...spoken, ...shape }),
  );

const designRequest = request({
  voice_description: withContent(MAX_DESCRIPTION_CHARS, 'a description of the voice'),
});

const speechRequest = request({
  voice: z.nullish(z.string().check(z.maxLength(MAX_NAME_CHARS))),
  voice_clone_prompt: z.nullish(z.base64('base64').check(z.minLength(1), z.maxLength(MAX_PROMPT_CHARS))),
  webhook_url: z.nullish(z.string()),
  // OpenAI's form of events, for which a client would wait in vain.
  stream_format: z.nullish(
    z
      .string()
      .check(z.refine((format) => format === 'audio', '"audio"; events come from /v1/audio/speech/stream')),
  ),
});

/** `mode` of a chunk. */
export type SpeechMode = 'voicedesign' | 'voice_clone';

/** A validated call. */
export interface SpeechCall {
  mode: SpeechMode;
  text: string;
  voice: VoiceChoice;
  format: AudioFileFormat;
  webhook: boolean;
}

const invalid = (problem: string) => refusal(400, problem);
const unfit = (path: string, expected: string, found: string) =>
  invalid(describeIssue({ path, expected, found }));

/** Reads a call to `/v1/voices/design` or its stream. */
export async function readDesign(c: RestContext): Promise<SpeechCall> {
  const fields = await readBody(c, designRequest);
  const voice: VoiceChoice = {
    cloned: null,
    description: fields.voice_description,
    language: protocolLanguageCode(fields.language) ?? null,
  };
  return { mode: 'voicedesign', voice, text: textOf(fields), format: formatOf(fields), webhook: false };
}

/** Where a call finds its voice. */
type Known = Pick<MurmrServices, 'voices' | 'catalogue'>;

/** Reads a call to `/v1/audio/speech` or its stream. */
export async function readSpeech(c: RestContext, services: Known): Promise<SpeechCall> {
  const fields = await readBody(c, speechRequest, WITH_PROMPT);
  const { webhook_url: webhook } = fields;
  const spokenText = textOf(fields);
  const expected = typeof webhook === 'string' ? webhookProblem(webhook) : null;
  if (expected !== null) throw unfit('webhook_url', expected, 'another one');
  return {
    mode: 'voice_clone',
    text: spokenText,
    voice: voiceOf(fields, services),
    format: formatOf(fields),
    webhook: typeof webhook === 'string',
  };
}

type Spoken = z.output<typeof designRequest> | z.output<typeof speechRequest>;

function textOf({ text, input }: Spoken): string {
  const given = text ?? input;
  if (typeof given === 'string') return given;
  throw unfit('text', 'a text to speak', 'nothing');
}

/** The voice of the prompt, which wins, or of the saved voice. */
function voiceOf(fields: z.output<typeof speechRequest>, { voices, catalogue }: Known): VoiceChoice {
  const { voice: id, voice_clone_prompt: prompt, language } = fields;
  if (typeof prompt === 'string') {
    const chosen = voiceChoice({ voice_clone_prompt: prompt, language }, catalogue);
    if ('problem' in chosen) throw invalid(chosen.problem);
    return chosen.choice;
  }
  if (!id) throw unfit('voice', 'the id of a saved voice, or a voice_clone_prompt', 'nothing');
  const saved = voices.current.find(id);
  if (!saved) throw refusal(404, `Saved voice not found: ${id}`);
  return { cloned: saved.cloned, description: '', language: protocolLanguageCode(language) ?? null };
}

function formatOf({ response_format: format }: Spoken): AudioFileFormat {
  const name = format ?? 'mp3';
  if (isAudioFileFormat(name)) return name;
  throw refusal(501, `The local server has no ${name} encoder; use mp3, wav or pcm`);
}
