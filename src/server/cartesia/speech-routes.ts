import { randomUUID } from 'node:crypto';
import { parseSpeech, type SpeechBody } from '#protocol/cartesia/wire/client-frames.ts';
import { type ErrorName, errorFrame } from '#protocol/cartesia/wire/errors.ts';
import { audioFormatOf } from '#protocol/cartesia/wire/output-format.ts';
import { doneFrame } from '#protocol/cartesia/wire/server-frames.ts';
import { hasWord } from '#protocol/cartesia/wire/words.ts';
import { describeIssues } from '#protocol/core/issue.ts';
import { z } from '#protocol/core/zod.ts';
import { speechAnswer } from '../answers/speech-answer.ts';
import { audioWriter, type SpeechWriter } from '../answers/speech-body.ts';
import { type Output, outputOf, wavOutput } from '../audio/output.ts';
import { callerOf, onLeave, type Rest, type RestContext, readBody } from '../rest.ts';
import { EngineBusyError } from '../speech/engine.ts';
import { callOf, refusal, versionIn } from './calls.ts';
import type { CartesiaServices } from './services.ts';
import { readSpeaker, requestOf, transcriptExcess, volumeEngine } from './speaker.ts';
import { SpeechFrames } from './speech-frames.ts';

/** Bits a second of MP3 where a body names none. Ours. */
const BIT_RATE = 128_000;
const MP3_KBITS = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160];

const anyFields = z.looseObject({});

/** Calls that speak, as the audio is made (`facts-cartesia`, H1, H2). */
export function speechRoutes(rest: Rest, services: CartesiaServices): void {
  rest.post('/tts/bytes', async (c) => {
    const speech = await admitted(c, services);
    const restEngine = volumeEngine(services.restEngine, speech.speaker);
    return speechAnswer(c, { ...services, restEngine }, { ...speech, writer: audioWriter });
  });
  rest.post('/tts/sse', async (c) => {
    const { body, speaker, context, ...speech } = await admitted(c, services);
    const call = callOf(c);
    if (body.container !== 'raw') {
      throw refusal(call, { name: 'invalid_request', message: 'output_format.container: expected "raw"' });
    }
    const frames = new SpeechFrames({
      context,
      flushId: null,
      text: body.transcript,
      // The engine has applied the volume.
      speaker: { ...speaker, settings: { ...speaker.settings, volume: 1 } },
      nowMs: () => services.clock.nowMs(),
      fromMs: 0,
    });
    const writer: SpeechWriter = {
      block: (samples, words, phonemes) =>
        events(frames.add({ samples, words, ...(phonemes && { phonemes }) })),
      end: () => events([...frames.end(), doneFrame(context)]),
      failed(error) {
        const name = faultOf(error instanceof EngineBusyError);
        return events([errorFrame({ name }, context, versionIn(call), call.requestId)]);
      },
    };
    const headers = { 'Content-Type': 'text/event-stream' };
    const restEngine = volumeEngine(services.restEngine, speaker);
    return speechAnswer(c, { ...services, restEngine }, { ...speech, writer: () => writer, headers });
  });
}

/** The speech of a call. Throws its refusal. */
async function admitted(c: RestContext, { access, voices }: CartesiaServices) {
  const call = callOf(c);
  const account = await access.accountIn(call);
  const fields = await readBody(c, anyFields);
  const parsed = parseSpeech(fields, versionIn(call));
  if (!parsed.ok) throw refusal(call, { name: 'invalid_request', message: describeIssues(parsed.issues) });
  const { value: body } = parsed;
  const excess = transcriptExcess(body);
  if (excess) throw refusal(call, excess);
  if (!hasWord(body.transcript)) throw refusal(call, { name: 'invalid_transcript' });
  const found = readSpeaker(body.settings, voices);
  if ('refusal' in found) throw refusal(call, found.refusal);
  const lease = await access.admit(account, 'contexts');
  if (typeof lease === 'string') throw refusal(call, { name: lease });
  onLeave(c, lease.leave);
  const { speaker } = found;
  return {
    body,
    speaker,
    context: body.context ?? randomUUID(),
    request: requestOf(speaker, body.transcript),
    output: outputIn(body),
    peer: callerOf(c, account),
    failed: (isBusy: boolean) => refusal(call, { name: faultOf(isBusy) }),
  };
}

function outputIn({ container, settings, bitRate }: SpeechBody): Output {
  const format = audioFormatOf(settings);
  if (container === 'wav') return wavOutput(format);
  if (container === 'raw') return outputOf(format);
  // The nearest one below that MP3 has, at any sample rate.
  const kbits = MP3_KBITS.findLast((each) => each * 1000 <= (bitRate ?? BIT_RATE));
  return outputOf({ ...format, encoding: 'mp3' }, kbits);
}

const faultOf = (isBusy: boolean): ErrorName => (isBusy ? 'service_unavailable' : 'internal_error');

function events(frames: Iterable<object>): Uint8Array<ArrayBuffer> {
  const lines = [...frames].map((frame) => `data: ${JSON.stringify(frame)}\n\n`);
  return new TextEncoder().encode(lines.join(''));
}
