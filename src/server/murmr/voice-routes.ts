import { decodeBase64 } from '#lib/base64.ts';
import { wavData } from '#lib/wav.ts';
import { describeIssue } from '#protocol/core/issue.ts';
import { z } from '#protocol/core/zod.ts';
import {
  MAX_DESCRIPTION_CHARS,
  protocolLanguageCode,
  protocolLanguageName,
} from '#protocol/murmr/wire/settings.ts';
import { sampleRoute } from '../answers/wav-response.ts';
import { absolute, callerOf, FILE, json, type Rest, type RestContext, readBody } from '../rest.ts';
import { detectLanguage } from '../speech/text/detect-language.ts';
import type { VoiceCatalogue } from '../speech/voices/voice-catalogue.ts';
import { refusal } from './access.ts';
import { SAVED_LIMIT, type SavedVoice, type SavedVoices } from './saved-voices.ts';
import type { MurmrServices } from './services.ts';
import { withContent } from './speech-requests.ts';
import { type ClonedVoice, describeUnknown, languageOf, promptOf, speechOf } from './voice-choice.ts';

/** Limit of the vendor (murmr-http-6). */
const MAX_NAME_CHARS = 50;
/** The limit of every text of this vendor. */
const MAX_TRANSCRIPT_CHARS = 4096;
/** Length of a preview: some 20 seconds. */
const MAX_SAMPLE_CHARS = 300;

export const previewRoute = (rest: Rest, { voices, samples }: MurmrServices): void =>
  sampleRoute(rest, '/v1/voices/:id/preview.wav', async (c) => {
    const { cloned, sample_text } = voiceIn(c, voices.current);
    return samples.speak(clonedSpeech(cloned, sample_text));
  });

const present = (maxChars: number) => withContent(maxChars, 'some text');

const recording = { audio: z.string(), ref_text: present(MAX_TRANSCRIPT_CHARS) };

const saveRequest = z.object({
  ...recording,
  name: present(MAX_NAME_CHARS),
  description: present(MAX_DESCRIPTION_CHARS),
  language: z.nullish(z.string().check(z.maxLength(MAX_NAME_CHARS))),
});

const extractRequest = z.object({ ...recording, model: z.nullish(z.literal(['base', 'base_06b'])) });

const invalid = (problem: string) => refusal(400, problem);

/** Saved voices and prompts. */
export function savedVoiceRoutes(rest: Rest, { voices, designed, catalogue }: MurmrServices): void {
  rest.get('/v1/voices', (c) => {
    const { current } = voices;
    const { all } = current;
    return json(c, {
      voices: all.map((saved) => voiceObject(c, saved, catalogue)),
      saved_count: current.countOf(callerOf(c)),
      saved_limit: SAVED_LIMIT,
      total: all.length,
    });
  });

  rest.post('/v1/voices', async (c) => {
    const { name, description, ref_text, language: named, audio } = await readBody(c, saveRequest, FILE);
    const pcm = pcmOf(audio);
    const language = protocolLanguageCode(named) ?? detectLanguage(ref_text) ?? 'en';
    const heard = (await designed.find(pcm)) ?? description;
    const sample_text = ref_text.slice(0, MAX_SAMPLE_CHARS);
    const cloned = { description: heard, language };
    const saved = await voices.change((all) =>
      all.add({ name: name.trim(), description, sample_text, cloned }, callerOf(c)),
    );
    return json(c, {
      id: saved.id,
      name: saved.name,
      description,
      language: protocolLanguageName(language) ?? language,
      prompt_size_bytes: promptBytes(saved.prompt),
      created_at: saved.created_at,
      success: true,
      has_audio_preview: true,
    });
  });

  rest.delete('/v1/voices/:id', async (c) => {
    const saved = await voices.change((all) => all.remove(voiceIn(c, all)));
    return json(c, { success: true, id: saved.id, message: `Voice "${saved.name}" deleted` });
  });

  rest.post('/v1/voices/extract-embeddings', async (c) => {
    const { audio, ref_text } = await readBody(c, extractRequest, FILE);
    const pcm = pcmOf(audio);
    const language = detectLanguage(ref_text) ?? 'en';
    const description = (await designed.find(pcm)) ?? describeUnknown(pcm);
    const prompt = promptOf({ description, language });
    return json(c, { prompt_data: prompt, prompt_size_bytes: promptBytes(prompt), success: true });
  });
}

function voiceIn(c: RestContext, voices: SavedVoices): SavedVoice {
  const saved = voices.find(c.req.param('id') ?? '');
  if (!saved) throw refusal(404, 'Voice not found');
  return saved;
}

/** The audio data of a WAV file in base64. */
function pcmOf(audio: string): Uint8Array {
  const decoded = decodeBase64(audio);
  if ('problem' in decoded) throw invalid(`audio: ${decoded.problem}`);
  const wav = wavData(decoded.bytes);
  if ('data' in wav) return wav.data;
  throw invalid(describeIssue({ path: 'audio', expected: 'a WAV file in base64', found: wav.problem }));
}

/** The engine's request for a text in a saved voice and its language. */
const clonedSpeech = (cloned: ClonedVoice, text: string) =>
  speechOf({ cloned, description: '', language: languageOf(cloned) }, text);

const promptBytes = (prompt: string): number => Buffer.byteLength(prompt, 'base64');

const voiceObject = (c: RestContext, saved: SavedVoice, catalogue: VoiceCatalogue) => {
  const { id, name, description, created_at, prompt, cloned } = saved;
  const language = languageOf(cloned);
  return {
    id,
    name,
    description: catalogue.described(description, clonedSpeech(cloned, '').voice),
    language: protocolLanguageName(language) ?? language,
    language_name: protocolLanguageName(language) ?? null,
    audio_preview_url: absolute(c, `/murmr/v1/voices/${id}/preview.wav`),
    created_at,
    // Not in the vendor's list. The vendor returns it from `extract-embeddings`.
    prompt_data: prompt,
  };
};
