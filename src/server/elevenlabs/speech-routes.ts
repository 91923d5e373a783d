import { StringDecoder } from 'node:string_decoder';
import { addAll } from '#lib/collections/arrays.ts';
import { z } from '#protocol/core/zod.ts';
import type { Alignment } from '#protocol/elevenlabs/wire/server-frames.ts';
import {
  DEFAULT_MODEL,
  isRestModelId,
  REST_MODELS,
  voiceSettings,
} from '#protocol/elevenlabs/wire/settings.ts';
import { audioWriter, type SpeechWriter, speechAnswer } from '../answers/speech-answer.ts';
import type { Encoder } from '../audio/encoder.ts';
import { onLeave, type Rest, type RestContext, readBody } from '../rest.ts';
import type { WordTiming } from '../speech/engine.ts';
import {
  admitSpeech,
  costOf,
  type ElevenLabsServices,
  INTERNAL_ERROR,
  invalidQuery,
  refuseBody,
  restRefusal,
  speechRefusal,
  voiceAt,
} from './access.ts';
import { alignmentsOf, SegmentCutter, type SpokenSegment } from './segment-cutter.ts';
import { readOutput, requestOf, type VoiceSpeaker } from './speaker.ts';
import { type SpokenText, spokenNumbersOf } from './spoken-numbers.ts';

/** Unknown fields have no effect. */
const speech = z.looseObject({
  text: z.string().check(z.minLength(1)),
  model_id: z.nullish(z.string()),
  language_code: z.nullish(z.string()),
  voice_settings: voiceSettings,
  apply_text_normalization: z.nullish(z.literal(['auto', 'on', 'off'])),
});

/** A line of a stream with timestamps is about this long. Ours. */
const LINE_MS = 1000;

/** Calls that speak: all of them as the audio is made. */
export function textToSpeechRoutes(rest: Rest, services: ElevenLabsServices): void {
  const path = '/v1/text-to-speech/:id';
  const audio = (c: RestContext) => speak(c, services, audioWriter);
  rest.post(path, audio);
  rest.post(`${path}/stream`, audio);
  rest.post(`${path}/with-timestamps`, (c) => speak(c, services, fileWriter, JSON_TYPE));
  rest.post(`${path}/stream/with-timestamps`, (c) => speak(c, services, lineWriter, JSON_TYPE));
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Writes one answer. */
type OpenWriter = (encoder: Encoder, text: SpokenText, sampleRate: number) => SpeechWriter;

async function speak(
  c: RestContext,
  services: ElevenLabsServices,
  open: OpenWriter,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { account } = c.var;
  const voice = voiceAt(c, services);
  const body = await readBody(c, speech).catch(refuseBody);
  const { text, voice_settings: delivery, language_code, apply_text_normalization } = body;
  const model = body.model_id ?? DEFAULT_MODEL;
  if (!isRestModelId(model)) {
    const message = `A model with the model_id ${model} was not found.`;
    throw restRefusal(400, 'invalid_request', 'model_not_found', message, { param: 'model_id' });
  }
  const { maxChars } = REST_MODELS[model];
  if (text.length > maxChars) {
    const message = `This request's text has ${text.length} characters and exceeds the character limit of ${maxChars} characters.`;
    throw restRefusal(400, 'validation_error', 'max_character_limit_exceeded', message);
  }
  const output = readOutput(c.req.query('output_format') ?? null, 'rest');
  if ('problem' in output) throw invalidQuery('output_format', output.problem);
  const lease = await admitSpeech({ account, text, model }, services.accounts);
  if ('refusal' in lease) throw speechRefusal(lease.refusal);
  onLeave(c, lease.leave);
  const speaker: VoiceSpeaker = {
    voice,
    model,
    output,
    address: { language_code, apply_text_normalization },
    delivery: delivery ?? {},
  };
  const cost = account.condition === 'unpriced' ? {} : { 'character-cost': `${costOf(text, model)}` };
  const request = requestOf(speaker, text);
  const numbers = open === audioWriter ? null : await spokenNumbersOf(request);
  return speechAnswer(c, services, {
    request,
    output,
    writer: (encoder) => open(encoder, { text, numbers }, output.sampleRate),
    headers: { ...headers, ...cost },
    failed(isBusy) {
      lease.refund();
      return isBusy
        ? speechRefusal(INTERNAL_ERROR)
        : restRefusal(500, 'server_error', 'internal_server_error', INTERNAL_ERROR.message);
    },
  });
}

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** One object, whose times come behind its audio, because they are known last. */
const fileWriter: OpenWriter = (encoder, { text, numbers }, sampleRate) => {
  const spoken: WordTiming[] = [];
  const base64 = new StringDecoder('base64');
  let heard = 0;
  let head = '{"audio_base64":"';
  return {
    async block(samples, words) {
      addAll(spoken, words);
      numbers?.read(words.at(-1)?.charEnd ?? 0);
      heard += samples.length;
      const written = head + base64.write(Buffer.from(await encoder.encode(samples)));
      head = '';
      return bytesOf(written);
    },
    async end() {
      const times = alignmentsOf(
        text,
        spoken,
        Math.round((heard * 1000) / sampleRate),
        numbers?.take(0, text.length),
      );
      const alignments = JSON.stringify(timesOf({ ...times, startMs: 0 })).slice(1);
      return bytesOf(`${head}${base64.end(Buffer.from((await encoder.tail?.()) ?? []))}",${alignments}`);
    },
  };
};

/** One object a line, with times from the start of the whole. */
const lineWriter: OpenWriter = (encoder, text, sampleRate) => {
  const limits = { longestMs: LINE_MS, patienceMs: Number.POSITIVE_INFINITY, nowMs: () => 0 };
  const cutter = new SegmentCutter(text, sampleRate, limits);
  const line = (bytes: Uint8Array, segment: SpokenSegment | null): string =>
    `${JSON.stringify({ audio_base64: Buffer.from(bytes).toString('base64'), ...timesOf(segment) })}\n`;
  return {
    async block(samples, words) {
      const segment = cutter.add({ samples, words });
      return bytesOf(segment ? line(await encoder.encode(segment.samples), segment) : '');
    },
    async end() {
      const segment = cutter.end();
      const last = segment ? line(await encoder.encode(segment.samples), segment) : '';
      const tail = (await encoder.tail?.()) ?? new Uint8Array();
      return bytesOf(tail.length > 0 ? last + line(tail, null) : last);
    },
  };
};

/** The alignments of a segment in the form of REST, in seconds. */
const timesOf = (segment: Omit<SpokenSegment, 'samples'> | null) => ({
  alignment: segment && inSeconds(segment.alignment, segment.startMs),
  normalized_alignment: segment && inSeconds(segment.normalizedAlignment, segment.startMs),
});

const inSeconds = ({ chars, charStartTimesMs, charDurationsMs }: Alignment, fromMs: number) => ({
  characters: chars,
  character_start_times_seconds: charStartTimesMs.map((start) => (fromMs + start) / 1000),
  character_end_times_seconds: charStartTimesMs.map(
    (start, at) => (fromMs + start + (charDurationsMs[at] ?? 0)) / 1000,
  ),
});
