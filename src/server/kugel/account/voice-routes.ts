import { compress } from 'hono/compress';
import { z } from '#protocol/core/zod.ts';
import { LANGUAGES } from '#protocol/kugel/wire/settings.ts';
import { BodyRefused } from '../../call-bodies.ts';
import {
  absolute,
  callerOf,
  json,
  parseBody,
  type Rest,
  type RestContext,
  readBody,
  readForm,
} from '../../rest.ts';
import { errorOf, refused } from '../access.ts';
import type { KugelStore } from '../store.ts';
import { OWN_CATEGORIES, type OwnVoice, ownVoiceSchema } from './own-voice.ts';
import { pageOf, paging, readQuery, trueOrFalse } from './rows.ts';
import { isPremade, type ListedVoice } from './voice-store.ts';

/** Voices in the vendor's shapes. */

const { sex, age, quality, category } = ownVoiceSchema.shape;
const text = z.nullish(z.string().check(z.maxLength(2000)));

/** Ignores unknown fields, unlike dictionaries, and `is_public`, which the SDKs send. Publishing is a call of its own. */
const voiceChanges = z.object({
  name: z.nullish(z.string().check(z.trim(), z.minLength(1), z.maxLength(200))),
  description: text,
  generative_voice_description: text,
  supported_languages: z.nullish(
    z.pipe(
      z.array(z.literal([...LANGUAGES])).check(z.maxLength(LANGUAGES.length)),
      z.transform((named): OwnVoice['supported_languages'] | null => {
        const [first, ...more] = new Set(named);
        return first === undefined ? null : [first, ...more];
      }),
    ),
  ),
  category: z.nullish(category),
  age: z.optional(age),
  sex: z.optional(sex),
  quality: z.nullish(quality),
  sample_text: text,
});
const voiceBody = z.extend(voiceChanges, {
  name: z.string().check(z.trim(), z.minLength(1), z.maxLength(200)),
});

export function voiceRoutes(rest: Rest, { voices }: KugelStore): void {
  const object = (c: RestContext, voice: ListedVoice) =>
    voiceObject(c, voice, voices.current.describe(voice));
  const detail = (c: RestContext, voice: ListedVoice) => voiceDetail(voice, object(c, voice));

  const list = '/v1/voices';
  // The page reads the whole list each time it opens.
  rest.get(list, compress(), (c) => {
    const { rows, ...counts } = voicePage(readQuery(c, voicesQuery), voices.current.all);
    return json(c, { voices: rows.map((voice) => object(c, voice)), ...counts });
  });
  rest.post(list, async (c) => {
    const fields = await readVoice(c);
    return json(c, detail(c, await voices.change((all) => all.create(fields, callerOf(c)))), 201);
  });

  const one = `${list}/:id` as const;
  rest.get(one, (c) => json(c, detail(c, voices.current.listed(c.req.param('id')))));
  rest.patch(one, async (c) => {
    const changes = await readBody(c, voiceChanges);
    return json(c, detail(c, await voices.change((all) => all.update(c.req.param('id'), changes))));
  });
  rest.delete(one, async (c) => {
    await voices.change((all) => all.delete(c.req.param('id')));
    return c.body(null, 204);
  });
  rest.post(`${one}/publish` as const, async (c) => {
    const published = await voices.change((all) => all.update(c.req.param('id'), { is_public: true }));
    return json(c, detail(c, published));
  });
}

/** Reads a JSON body, or the JSON part `metadata` of a form, which the SDKs send. */
async function readVoice(c: RestContext): Promise<z.output<typeof voiceBody>> {
  if (!/^multipart\/form-data\b/i.test(c.req.header('content-type') ?? '')) return readBody(c, voiceBody);
  const form = await readForm(c);
  if (form.has('files')) throw refused(errorOf(501, 'Reference audio is not offered by the local server'));
  const metadata = form.get('metadata');
  if (metadata === null) throw new BodyRefused(400, 'metadata: expected a part of JSON, got nothing');
  return parseBody(typeof metadata === 'string' ? metadata : await metadata.text(), voiceBody);
}

const voicesQuery = z.object({
  language: z.optional(z.literal(LANGUAGES)),
  category: z.optional(z.literal(['premade', ...OWN_CATEGORIES])),
  include_public: z._default(trueOrFalse, true),
  ...paging(100, 20),
});

/** One page of the voices that match the query. A client's own voices stay without the public ones. */
function voicePage(
  { language, category, include_public, ...page }: z.output<typeof voicesQuery>,
  all: readonly ListedVoice[],
) {
  const fitting = all.filter(
    (voice) =>
      (include_public || !isPremade(voice)) &&
      (category === undefined || category === voice.category) &&
      (language === undefined || voice.supported_languages.includes(language)),
  );
  return pageOf(fitting, page);
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
