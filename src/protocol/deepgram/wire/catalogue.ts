import { type Catalogue, ownSampleUrlOf, readCatalogue, type VoiceInfo } from '../../core/catalogue.ts';
import { z } from '../../core/zod.ts';
import { type Family, familyOf, findModel, MODELS, schemeOf } from './settings.ts';

const text = z.nullish(z.string());

const modelList = z.looseObject({
  tts: z.array(
    z.looseObject({
      name: text,
      canonical_name: text,
      languages: z.nullish(z.array(z.string())),
      metadata: z.nullish(
        z.looseObject({ accent: text, age: text, sample: text, tags: z.nullish(z.array(z.string())) }),
      ),
    }),
  ),
});

/** Models of one family. Those of Flux were in no list, so the published ones stand in (deepgram-http-11). */
export const catalogueOf = (family: Family): Catalogue => ({
  async voices(request) {
    const headers = { Authorization: `${schemeOf(request.key)} ${request.key}` };
    const { tts } = await readCatalogue(request, '/v1/models', headers, modelList);
    const listed = tts.flatMap(({ canonical_name: id, name, languages, metadata }): VoiceInfo[] => {
      if (!id || familyOf(id) !== family) return [];
      return [
        {
          ...published(id),
          ...(name ? { name: capitalised(name) } : {}),
          ...(languages ? { languages } : {}),
          description: [metadata?.accent, ...(metadata?.tags ?? [])].filter(Boolean).join(', '),
          age: metadata?.age ?? null,
          sampleUrl: ownSampleUrlOf(metadata?.sample, request),
        },
      ];
    });
    return listed.length > 0
      ? listed
      : MODELS.flatMap((model) => (model.family === family ? [published(model.id)] : []));
  },
});

/** A model as it is known without the server. */
function published(id: string): VoiceInfo {
  const { name = id, language, sex = null } = findModel(id) ?? {};
  return {
    id,
    name: capitalised(name),
    description: '',
    sex,
    age: null,
    languages: language === undefined ? [] : [language],
    sampleUrl: null,
  };
}

const capitalised = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
