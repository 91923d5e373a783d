import { settingsOf } from '#protocol/core/settings.ts';
import { z } from '#protocol/core/zod.ts';
import { audioFormatIssues } from '#protocol/kugel/wire/audio-format.ts';
import { type GenerationConfig, pickFields, withoutNulls } from '#protocol/kugel/wire/client-frames.ts';
import { generationShape, MAX_TEXT_CHARS } from '#protocol/kugel/wire/generation.ts';
import { speechBody } from '../answers/speech-body.ts';
import { encodeSamples } from '../audio/output.ts';
import { type Rest, type RestContext, readBody } from '../rest.ts';
import type { VendorParts } from '../vendor-server.ts';
import { admit, refused, requestKey } from './access.ts';
import { failureOf, invalidFields, MISSING_VOICE, unknownNames } from './refusals.ts';
import { ServerTurn } from './server-turn.ts';
import type { KugelStore } from './store.ts';

/** Strict, unlike the sockets: an unknown field is refused (`facts 1.4`). */
const { word_timestamps: _, ...restShape } = generationShape;
const settings = settingsOf(restShape);
const request = z.pipe(
  z.transform(withoutNulls),
  z.strictObject({
    ...restShape,
    text: z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_TEXT_CHARS)),
    model: generationShape.model_id,
  }),
);

/** `POST /v1/tts/generate`: a text in, its audio out as it is made (`facts 5`). */
export function generateRoute(
  rest: Rest,
  { keys, restEngine: engine, ...watch }: VendorParts,
  store: KugelStore,
): void {
  const generate = async (c: RestContext): Promise<Response> => {
    const admitted = admit(keys, requestKey(c));
    if ('refusal' in admitted) throw refused(admitted.refusal);
    const fields = await readBody(c, request);
    const given = pickFields(fields, settings) as GenerationConfig;
    const issues = audioFormatIssues(given);
    if (issues.length > 0) throw refused(invalidFields(issues));
    if (given.voice_id === undefined) throw refused(MISSING_VOICE);
    const unknown = unknownNames(store, given);
    const voice = store.voices.current.find(given.voice_id);
    if (unknown || !voice) throw refused(unknown ?? MISSING_VOICE);
    const turn = new ServerTurn({ config: given, voice, store });
    const { encoding, sampleRate } = turn.format;
    const body = await speechBody(c, { ...watch, engine }, turn.request(fields.text), {
      block: (samples) => encodeSamples(encoding, samples),
    }).catch((error: unknown) => {
      throw refused(failureOf(error));
    });
    return c.body(body, 200, {
      'Content-Type': encoding === 'pcm_s16le' ? 'audio/pcm' : 'audio/basic',
      'Cache-Control': 'no-store',
      'X-Sample-Rate': String(sampleRate),
      'X-Audio-Format': encoding,
      'x-kugelaudio-ai-generated': 'true',
    });
  };
  rest.post('/v1/tts/generate', generate);
  rest.post('/predict', generate);
}
