import { describeIssues, issuesOf } from '#protocol/core/issue.ts';
import { z } from '#protocol/core/zod.ts';
import { MAX_TEXT_CHARS } from '#protocol/kugel/wire/generation.ts';
import { LANGUAGES } from '../speech/languages.ts';
import { VOICES, type Voice } from '../speech/voices/voices.ts';
import { DICTIONARIES } from './dictionaries.ts';

/** Catalogue responses in the vendor's shapes (`facts 5`). */

const voicesQuery = z.object({
  language: z.literal(LANGUAGES).optional(),
  category: z.literal(['premade', 'cloned', 'generated']).optional(),
  include_public: z.boolean().default(true),
  limit: z.int().min(1).max(100).default(20),
  offset: z.int().min(0).default(0),
});

/** One page of the voices that match the query, or the problem with the query. Ignores unknown parameters. */
export function voicePage(query: URLSearchParams) {
  const asked = Object.fromEntries(
    Object.keys(voicesQuery.shape).flatMap((name) => {
      const value = query.get(name);
      return value === null ? [] : [[name, queryValue(value)]];
    }),
  );
  const parsed = voicesQuery.safeParse(asked);
  if (!parsed.success) return { problem: describeIssues(issuesOf(parsed.error, asked)) };
  const { language, category, include_public, limit, offset } = parsed.data;
  // Every local voice is public and premade.
  const fitting = VOICES.filter(
    (voice) =>
      include_public &&
      (category === undefined || category === 'premade') &&
      (language === undefined || voice.languages.includes(language)),
  );
  const voices = fitting.slice(offset, offset + limit).map(voiceObject);
  return { voices, total: fitting.length, limit, offset };
}

/** Returns the JSON value of a query's text. */
function queryValue(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

const voiceObject = (voice: Voice) => ({
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
  // No host, so that the address is valid under every name of the server.
  sample_url: `/kugel/v1/voices/${voice.id}/sample.wav`,
  avatar_url: null,
});

export const voiceDetail = (voice: Voice) => ({
  ...voiceObject(voice),
  is_public: true,
  verified: true,
  pending_verification: false,
  sample_text: voice.sampleText,
  generative_voice_description: null,
});

export const modelList = () => ({
  models: [
    {
      id: 'kugel-3',
      model_id: 'kugel-3',
      name: 'Kugel 3',
      description: 'Spoken by the local engine; older model names are aliases of this one.',
      max_input_length: MAX_TEXT_CHARS,
      sample_rate: 24_000,
    },
  ],
});

export const dictionaryList = () => ({
  dictionaries: DICTIONARIES.map(({ id, name, description, language, isActive, entries }) => ({
    id,
    name,
    description,
    language,
    is_active: isActive,
    entry_count: entries.length,
  })),
});
