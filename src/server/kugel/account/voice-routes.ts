import { z } from '#protocol/core/zod.ts';
import { absolute, json, type Rest, type RestContext } from '../../rest.ts';
import { LANGUAGES } from '../../speech/languages.ts';
import type { Voice } from '../../speech/voices/voices.ts';
import type { VoiceSamples } from '../../voice-samples.ts';
import { wavResponse } from '../../wav-response.ts';
import { refused } from '../access.ts';
import { readQuery, trueOrFalse, wholeNumber } from './query.ts';
import type { VoiceStore } from './voice-store.ts';

/** Voices in the vendor's shapes (`facts 5`). */

/** Samples need no key, because an audio element cannot send one. */
export function sampleRoute(rest: Rest, voices: VoiceStore, samples: VoiceSamples): void {
  rest.get('/v1/voices/:id/sample.wav', async (c) => {
    const voice = voiceOf(c, voices);
    // Generated audio is marked as such (`facts 1.3.6`).
    c.header('x-kugelaudio-ai-generated', 'true');
    return wavResponse(c, await samples.of(voice));
  });
}

export function voiceRoutes(rest: Rest, voices: VoiceStore): void {
  rest.get('/v1/voices', (c) => json(c, voicePage(c, voices.all)));
  rest.get('/v1/voices/:id', (c) => json(c, voiceDetail(c, voiceOf(c, voices))));
}

function voiceOf(c: RestContext, voices: VoiceStore): Voice {
  const voice = voices.find(c.req.param('id') ?? '');
  if (!voice) throw refused({ error: 'Voice not found', error_code: 'NOT_FOUND', code: 404 });
  return voice;
}

const voicesQuery = z.object({
  language: z.literal(LANGUAGES).optional(),
  category: z.literal(['premade', 'cloned', 'generated']).optional(),
  include_public: trueOrFalse.default(true),
  limit: wholeNumber(z.int().min(1).max(100)).default(20),
  offset: wholeNumber(z.int().min(0)).default(0),
});

type VoicesPage = { voices: unknown[]; total: number; limit: number; offset: number };

/** One page of the voices that match the query. */
function voicePage(c: RestContext, all: readonly Voice[]): VoicesPage {
  const { language, category, include_public, limit, offset } = readQuery(c, voicesQuery);
  // Every local voice is public and premade.
  const fitting = all.filter(
    (voice) =>
      include_public &&
      (category === undefined || category === 'premade') &&
      (language === undefined || voice.languages.includes(language)),
  );
  const voices = fitting.slice(offset, offset + limit).map((voice) => voiceObject(c, voice));
  return { voices, total: fitting.length, limit, offset };
}

const voiceObject = (c: RestContext, voice: Voice) => ({
  id: voice.id,
  voice_id: voice.id,
  handle: voice.handle,
  public_id: voice.handle,
  name: voice.name,
  description: voice.description,
  category: 'premade',
  sex: voice.sex,
  age: voice.age,
  quality: 'mid',
  supported_languages: voice.languages,
  sample_url: absolute(c, `/kugel/v1/voices/${voice.id}/sample.wav`),
  avatar_url: null,
});

const voiceDetail = (c: RestContext, voice: Voice) => ({
  ...voiceObject(c, voice),
  is_public: true,
  verified: true,
  pending_verification: false,
  sample_text: voice.sampleText,
  generative_voice_description: '',
});
