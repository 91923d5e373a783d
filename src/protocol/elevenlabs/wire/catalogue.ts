import { type Catalogue, ownSampleUrlOf, readCatalogue, type VoiceInfo } from '../../core/catalogue.ts';
import { z } from '../../core/zod.ts';
import { accountKey } from './keys.ts';
import { isDialogueModel } from './models.ts';

/** The vendor's largest page (`facts-elevenlabs 6.1`). */
const PAGE_SIZE = 100;
/** Limits the pages of one catalogue, because a faulty server may report an endless one. */
const MAX_PAGES = 20;

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
 * Voices (`facts-elevenlabs 6.1`). The vendor's samples are on another host (`12.2`, 18). Dictionaries are named by dictionary
 * and version, so there is no list to choose from.
 */
export const elevenLabsCatalogue: Catalogue = {
  async voices(request) {
    const found: VoiceInfo[] = [];
    const key = accountKey(request.key);
    const headers: Readonly<Record<string, string>> = key === '' ? {} : { 'xi-api-key': key };
    let token: string | null = null;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const next: string = token === null ? '' : `&next_page_token=${encodeURIComponent(token)}`;
      const path = `/v2/voices?page_size=${PAGE_SIZE}${next}`;
      const { voices, has_more, next_page_token } = await readCatalogue(request, path, headers, voicesPage);
      for (const voice of voices) found.push(infoOf(voice, ownSampleUrlOf(voice.preview_url, request)));
      token = next_page_token ?? null;
      if (!has_more || token === null) break;
    }
    return found;
  },
  dictionaries: async () => [],
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
