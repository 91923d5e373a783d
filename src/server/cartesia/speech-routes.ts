import { randomUUID } from 'node:crypto';
import { parseSpeech, type SpeechBody } from '#protocol/cartesia/wire/client-frames.ts';
import { errorFrame } from '#protocol/cartesia/wire/errors.ts';
import { audioFormatOf } from '#protocol/cartesia/wire/output-format.ts';
import { doneFrame } from '#protocol/cartesia/wire/server-frames.ts';
import { hasWord } from '#protocol/cartesia/wire/words.ts';
import { describeIssues } from '#protocol/core/issue.ts';
import { z } from '#protocol/core/zod.ts';
import { audioWriter, type SpeechWriter, speechBody } from '../answers/speech-body.ts';
import { type Output, outputOf, wavOutput } from '../audio/output.ts';
import { onLeave, type Rest, type RestContext, readBody } from '../rest.ts';
import { EngineBusyError } from '../speech/engine.ts';
import { accountIn, callVersion, refusal, requestIdOf } from './calls.ts';
import type { CartesiaServices } from './services.ts';
import { type CartesiaSpeaker, readSpeaker, requestOf } from './speaker.ts';
import { SpeechFrames } from './speech-frames.ts';

/** Bits a second of MP3 where a body names none. Ours. */
const BIT_RATE = 128_000;

const anyFields = z.looseObject({ context_id: z.nullish(z.string()) });

/** Calls that speak, as the audio is made (`facts-cartesia`, H1, H2). */
export function speechRoutes(rest: Rest, services: CartesiaServices): void {
  rest.post('/tts/bytes', async (c) => {
    const { speech, speaker } = await admitted(c, services);
    const output = outputIn(speech);
    const failed = (error: unknown) => refusal(c, { name: faultOf(error) });
    const encoder = await output.open().catch((error: unknown) => {
      throw failed(error);
    });
    onLeave(c, () => encoder.release?.());
    const answer = await answerTo(c, services, speech, speaker, audioWriter(encoder)).catch(
      (error: unknown) => {
        throw failed(error);
      },
    );
    return c.body(answer, 200, { 'Content-Type': output.contentType, 'Cache-Control': 'no-store' });
  });
  rest.post('/tts/sse', async (c) => {
    const { speech, speaker, context } = await admitted(c, services);
    if (speech.container !== 'raw') {
      throw refusal(c, { name: 'invalid_request', message: 'output_format.container: expected "raw"' });
    }
    const version = callVersion(c);
    const frames = new SpeechFrames({
      context,
      flushId: null,
      text: speech.transcript,
      speaker,
      nowMs: () => services.clock.nowMs(),
      fromMs: 0,
    });
    const writer: SpeechWriter = {
      block: (samples, words) => events(frames.add({ samples, words })),
      end: () => events([...frames.end(), doneFrame(context)]),
      failed: (error) => events([errorFrame({ name: faultOf(error) }, context, version, requestIdOf(c))]),
    };
    const answer = await answerTo(c, services, speech, speaker, writer);
    return c.body(answer, 200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  });
}

interface Admitted {
  speech: SpeechBody;
  speaker: CartesiaSpeaker;
  context: string;
}

/** What a call speaks. Throws its refusal. */
async function admitted(c: RestContext, { access, voices }: CartesiaServices): Promise<Admitted> {
  const account = await accountIn(c, access);
  const fields = await readBody(c, anyFields);
  const parsed = parseSpeech(fields, callVersion(c));
  if (!parsed.ok) throw refusal(c, { name: 'invalid_request', message: describeIssues(parsed.issues) });
  const speech = parsed.value;
  if (!hasWord(speech.transcript)) throw refusal(c, { name: 'invalid_transcript' });
  const found = readSpeaker(speech.settings, voices);
  if ('refusal' in found) throw refusal(c, found.refusal);
  const lease = await access.speak(account);
  if (typeof lease === 'string') throw refusal(c, { name: lease });
  onLeave(c, lease.leave);
  return { speech, speaker: found.speaker, context: fields.context_id ?? randomUUID() };
}

const answerTo = (
  c: RestContext,
  { restEngine: engine, clock, log }: CartesiaServices,
  { transcript }: SpeechBody,
  speaker: CartesiaSpeaker,
  writer: SpeechWriter,
) => speechBody(c, { engine, clock, log }, requestOf(speaker, transcript), writer);

function outputIn({ container, settings, bitRate }: SpeechBody): Output {
  const format = audioFormatOf(settings);
  switch (container) {
    case 'mp3':
      return outputOf({ ...format, encoding: 'mp3' }, Math.round((bitRate ?? BIT_RATE) / 1000));
    case 'wav':
      return wavOutput(format);
    default:
      return outputOf(format);
  }
}

const faultOf = (error: unknown) =>
  error instanceof EngineBusyError ? 'service_unavailable' : 'internal_error';

function events(frames: Iterable<object>): Uint8Array<ArrayBuffer> {
  const lines = [...frames].map((frame) => `data: ${JSON.stringify(frame)}\n\n`);
  return new TextEncoder().encode(lines.join(''));
}
