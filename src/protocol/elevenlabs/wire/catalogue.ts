import {
  type Catalogue,
  ownSampleUrlOf,
  readCatalogue,
  readPages,
  type VoiceInfo,
} from '../../core/catalogue.ts';
import { z } from '../../core/zod.ts';
import { accountKey, isDialogueModel } from './settings.ts';

/** The vendor's largest page (elevenlabs-http-1). */
const PAGE_SIZE = 100;

const voicesPage = z.looseObject({
  voices: z.array(
    z.looseObject({
      voice_id: z.string(),
      name: z.string(),
      description: z.nullish(z.string()),
      preview_url: z.nullish(z.string()),
      labels: z.nullish(z.record(z.string(), z.unknown())),
      verified_languages: z.nullish(z.array(z.looseObject({ language: z.string() }))),
    }),
  ),
  has_more: z.nullish(z.boolean()),
  next_page_token: z.nullish(z.string()),
});

const modelList = z.array(
  z.looseObject({ model_id: z.string(), can_do_text_to_speech: z.nullish(z.boolean()) }),
);

type ListedVoice = z.output<typeof voicesPage>['voices'][number];

/**
 * Reads voices and models. The vendor's samples are on another host, where the page may not load them (elevenlabs-http-9).
 * Dictionaries are named by id and version, so there is no list to choose from.
 */
export const elevenLabsCatalogue: Catalogue = {
  async voices(request) {
    const key = accountKey(request.key);
    const headers: Readonly<Record<string, string>> = key === '' ? {} : { 'xi-api-key': key };
    const path = `/v2/voices?page_size=${PAGE_SIZE}`;
    const pages = await readPages(
      request,
      path,
      headers,
      voicesPage,
      ({ has_more, next_page_token: token }) =>
        has_more && token ? `&next_page_token=${encodeURIComponent(token)}` : null,
    );
    return pages.flatMap(({ voices }) =>
      voices.map((voice) => infoOf(voice, ownSampleUrlOf(voice.preview_url, request))),
    );
  },
  async offered(request) {
    const headers = { 'xi-api-key': accountKey(request.key) };
    const models = await readCatalogue(request, '/v1/models', headers, modelList);
    return models.flatMap(({ model_id: id, can_do_text_to_speech: speaks }) =>
      speaks === false || isDialogueModel(id) ? [] : [{ field: 'model_id', id }],
    );
  },
};

function infoOf(
  { voice_id: id, name, description, labels, verified_languages }: ListedVoice,
  sampleUrl: string | null,
): VoiceInfo {
  const label = (field: string): string | null =>
    typeof labels?.[field] === 'string' ? labels[field] : null;
  const languages = verified_languages?.map(({ language }) => language) ?? [];
  const language = label('language');
  return {
    id,
    name,
    description: description ?? label('description') ?? '',
    sex: label('gender'),
    age: label('age'),
    languages: [...new Set(languages.length === 0 && language !== null ? [language] : languages)],
    sampleUrl,
  };
}
