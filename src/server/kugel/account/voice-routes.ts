import { compress } from 'hono/compress';
import { z } from '#protocol/core/zod.ts';
import { wavResponse } from '../../answers/wav-response.ts';
import { absolute, json, parseBody, type Rest, type RestContext, readBody, readForm } from '../../rest.ts';
import { LANGUAGES } from '../../speech/languages.ts';
import type { VoiceSamples } from '../../voice-samples.ts';
import { errorOf, refused } from '../access.ts';
import { invalid } from '../refusals.ts';
import type { KugelStore } from '../store.ts';
import { OWN_CATEGORIES, type OwnVoice, type OwnVoiceFields, ownVoiceSchema } from './own-voice.ts';
import { readQuery, trueOrFalse, wholeNumber } from './query.ts';
import { isPremade, type ListedVoice, MAX_OWN_VOICES, type VoiceStore } from './voice-store.ts';

/** Voices in the vendor's shapes (`facts 5`). */

const { sex, age, quality, category } = ownVoiceSchema.shape;
const text = z.nullish(z.string().check(z.maxLength(2000)));

/** Ignores unknown fields, unlike dictionaries, and `is_public`, which the SDKs send. Publishing is a call of its own. */
const voiceChanges = z.object({
  name: z.nullish(z.string().check(z.trim(), z.minLength(1), z.maxLength(200))),
  description: text,
  generative_voice_description: text,
  supported_languages: z.nullish(z.array(z.literal([...LANGUAGES])).check(z.maxLength(LANGUAGES.length))),
  category: z.nullish(category),
  age: z.optional(age),
  sex: z.optional(sex),
  quality: z.nullish(quality),
  sample_text: text,
});
const voiceBody = z.extend(voiceChanges, {
  name: z.string().check(z.trim(), z.minLength(1), z.maxLength(200)),
});

const NEW_VOICE: OwnVoiceFields = {
  name: '',
  description: '',
  generative_voice_description: '',
  supported_languages: ['en'],
  category: 'generated',
  age: null,
  sex: null,
  quality: 'mid',
  sample_text: '',
};

/** Samples need no key, because an audio element cannot send one. */
export function sampleRoute(rest: Rest, store: KugelStore, samples: VoiceSamples): void {
  rest.get('/v1/voices/:id/sample.wav', async (c) => {
    const voice = store.voices.find(c.req.param('id'));
    if (!voice) throw notFound();
    // Generated audio is marked as such (`facts 1.3.6`).
    c.header('x-kugelaudio-ai-generated', 'true');
    return wavResponse(c, await samples.of(voice));
  });
}

export function voiceRoutes(rest: Rest, store: KugelStore): void {
  const listedOf = (c: RestContext, voices: VoiceStore): ListedVoice => {
    const voice = voices.listed(c.req.param('id') ?? '');
    if (!voice) throw notFound();
    return voice;
  };
  const ownOf = (c: RestContext, voices: VoiceStore): OwnVoice => {
    const voice = listedOf(c, voices);
    if (isPremade(voice)) throw refused(errorOf(403, 'Forbidden'));
    return voice;
  };

  const object = (c: RestContext, voice: ListedVoice) => voiceObject(c, voice, store.voices.describe(voice));
  const detail = (c: RestContext, voice: ListedVoice) => voiceDetail(voice, object(c, voice));

  const list = '/v1/voices';
  // The page reads the whole list each time it opens.
  rest.get(list, compress(), (c) => json(c, voicePage(c, store.voices.all, object)));
  rest.post(list, async (c) => {
    const fields = changed(NEW_VOICE, await readVoice(c));
    const created = await store.changeVoices((voices) => {
      if (voices.isFull) throw refused(invalid(`expected at most ${MAX_OWN_VOICES} created voices`));
      return voices.create(fields);
    });
    return json(c, detail(c, created), 201);
  });

  const one = `${list}/:id`;
  rest.get(one, (c) => json(c, detail(c, listedOf(c, store.voices))));
  rest.patch(one, async (c) => {
    const changes = await readBody(c, voiceChanges, refusedBody);
    const updated = await store.changeVoices((voices) => {
      const voice = ownOf(c, voices);
      return voices.update(voice, changed(voice, changes));
    });
    return json(c, detail(c, updated));
  });
  rest.delete(one, async (c) => {
    await store.changeVoices((voices) => voices.delete(ownOf(c, voices)));
    return c.body(null, 204);
  });
  rest.post(`${one}/publish`, async (c) => {
    const published = await store.changeVoices((voices) =>
      voices.update(ownOf(c, voices), { is_public: true }),
    );
    return json(c, detail(c, published));
  });
}

const notFound = () => refused(errorOf(404, 'Voice not found'));
const refusedBody = (why: string) => refused(invalid(why));

/** Reads a JSON body, or the JSON part `metadata` of a form, which the SDKs send (`facts 5`). */
async function readVoice(c: RestContext): Promise<z.output<typeof voiceBody>> {
  if (!/^multipart\/form-data\b/i.test(c.req.header('content-type') ?? '')) {
    return readBody(c, voiceBody, refusedBody);
  }
  const form = await readForm(c, refusedBody);
  if (form.has('files')) throw refused(errorOf(501, 'Reference audio is not offered by the local server'));
  const metadata = form.get('metadata');
  if (metadata === null) throw refusedBody('metadata: expected a part of JSON, got nothing');
  return parseBody(typeof metadata === 'string' ? metadata : await metadata.text(), voiceBody, refusedBody);
}

/** Null clears a field that may be null, and leaves the others as they are. */
function changed(voice: OwnVoiceFields, changes: z.output<typeof voiceChanges>): OwnVoiceFields {
  const { age = voice.age, sex = voice.sex } = changes;
  const [first, ...more] = new Set(changes.supported_languages);
  return {
    name: changes.name ?? voice.name,
    description: changes.description ?? voice.description,
    generative_voice_description: changes.generative_voice_description ?? voice.generative_voice_description,
    supported_languages: first === undefined ? voice.supported_languages : [first, ...more],
    category: changes.category ?? voice.category,
    age,
    sex,
    quality: changes.quality ?? voice.quality,
    sample_text: changes.sample_text ?? voice.sample_text,
  };
}

const voicesQuery = z.object({
  language: z.optional(z.literal(LANGUAGES)),
  category: z.optional(z.literal(['premade', ...OWN_CATEGORIES])),
  include_public: z._default(trueOrFalse, true),
  limit: z._default(wholeNumber(z.int().check(z.gte(1), z.lte(100))), 20),
  offset: z._default(wholeNumber(z.int().check(z.gte(0))), 0),
});

type VoicesPage = { voices: unknown[]; total: number; limit: number; offset: number };

/** One page of the voices that match the query. A client's own voices stay without the public ones. */
function voicePage(
  c: RestContext,
  all: readonly ListedVoice[],
  object: (c: RestContext, voice: ListedVoice) => unknown,
): VoicesPage {
  const { language, category, include_public, limit, offset } = readQuery(c, voicesQuery);
  const fitting = all.filter(
    (voice) =>
      (include_public || !isPremade(voice)) &&
      (category === undefined || category === voice.category) &&
      (language === undefined || voice.supported_languages.includes(language)),
  );
  const voices = fitting.slice(offset, offset + limit).map((voice) => object(c, voice));
  return { voices, total: fitting.length, limit, offset };
}

const voiceObject = (c: RestContext, voice: ListedVoice, description: string) => ({
  id: voice.id,
  voice_id: voice.id,
  handle: voice.handle,
  public_id: voice.handle,
  name: voice.name,
  description,
  category: voice.category,
  sex: voice.sex,
  age: voice.age,
  quality: voice.quality,
  supported_languages: voice.supported_languages,
  sample_url: absolute(
    c,
    `/kugel/v1/voices/${voice.id}/sample.wav${isPremade(voice) ? '' : `?v=${voice.revision}`}`,
  ),
  avatar_url: null,
});

const voiceDetail = (voice: ListedVoice, object: object) => ({
  ...object,
  is_public: voice.is_public,
  verified: isPremade(voice),
  // Nobody verifies a voice here.
  pending_verification: voice.is_public && !isPremade(voice),
  sample_text: voice.sample_text,
  generative_voice_description: voice.generative_voice_description,
});
