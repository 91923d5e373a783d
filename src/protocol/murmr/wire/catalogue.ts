import { type Catalogue, CatalogueError, type VoiceInfo } from '../../core/catalogue.ts';
import { z } from '../../core/zod.ts';

/** Saved voices over REST (`facts 7`). A page that cannot send the prompt cannot use a voice, so those without are left out. */

const voicesReply = z.looseObject({
  voices: z.array(
    z.looseObject({
      id: z.string(),
      name: z.string(),
      description: z.string().nullish(),
      language: z.string().nullish(),
      audio_preview_url: z.string().nullish(),
      /** Of the local server only; the vendor gives it out where a voice is made. */
      prompt_data: z.string().nullish(),
    }),
  ),
});

export const murmrCatalogue: Catalogue = {
  async voices({ base, key, signal }) {
    let response: Response;
    try {
      response = await fetch(`${base}/v1/voices`, {
        headers: key === '' ? {} : { Authorization: `Bearer ${key}` },
        ...(signal ? { signal } : {}),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new CatalogueError(
        'The server did not answer. It may be down, or it may not allow requests from this page.',
      );
    }
    if (response.status === 401) throw new CatalogueError('The server does not accept this key.');
    if (!response.ok) throw new CatalogueError(`The server answered with status ${response.status}.`);
    const parsed = voicesReply.safeParse(await response.json().catch(() => undefined));
    if (!parsed.success) {
      throw new CatalogueError('The server answered in a form that this version does not understand.');
    }
    return parsed.data.voices.flatMap((voice): VoiceInfo[] => {
      if (!voice.prompt_data) return [];
      return [
        {
          id: voice.id,
          settings: { voice_clone_prompt: voice.prompt_data },
          name: voice.name,
          description: voice.description ?? '',
          sex: null,
          age: null,
          languages: voice.language ? [voice.language] : [],
          sampleUrl: voice.audio_preview_url ? absolute(voice.audio_preview_url, base) : null,
        },
      ];
    });
  },
  dictionaries: async () => [],
};

/** null for what is no address: a voice is offered without a sample rather than not at all. */
const absolute = (written: string, base: string): string | null =>
  URL.canParse(written, `${base}/`) ? new URL(written, `${base}/`).href : null;
