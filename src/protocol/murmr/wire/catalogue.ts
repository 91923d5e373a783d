import { type Catalogue, readCatalogue, sampleUrlOf, type VoiceInfo } from '../../core/catalogue.ts';
import { z } from '../../core/zod.ts';
import { protocolLanguageCode } from './settings.ts';

const voicesReply = z.looseObject({
  voices: z.array(
    z.looseObject({
      id: z.string(),
      name: z.string(),
      description: z.nullish(z.string()),
      language: z.nullish(z.string()),
      audio_preview_url: z.nullish(z.string()),
      /** From the local server only; the vendor returns it at the creation of a voice. */
      prompt_data: z.nullish(z.string()),
    }),
  ),
});

/** Saved voices. A voice without its prompt is left out, because the page cannot use it (murmr-http-10). */
export const murmrCatalogue: Catalogue = {
  async voices(request) {
    const headers = { Authorization: `Bearer ${request.key}` };
    const { voices } = await readCatalogue(request, '/v1/voices', headers, voicesReply);
    return voices.flatMap((voice): VoiceInfo[] => {
      if (!voice.prompt_data) return [];
      return [
        {
          id: voice.id,
          settings: { voice_clone_prompt: voice.prompt_data },
          name: voice.name,
          description: voice.description ?? '',
          sex: null,
          age: null,
          // The vendor's documentation has names, its SDK codes.
          languages: voice.language ? [protocolLanguageCode(voice.language) ?? voice.language] : [],
          sampleUrl: sampleUrlOf(voice.audio_preview_url, request),
        },
      ];
    });
  },
};
