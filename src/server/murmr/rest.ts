import type { IncomingMessage, ServerResponse } from 'node:http';
import { protocolLanguageName } from '#protocol/murmr/wire/client-frames.ts';
import { bearerIn, type Keys } from '../keys.ts';
import { type Handler, replyJson } from '../reply.ts';
import { vendorRest } from '../vendor-rest.ts';
import type { VoiceSamples } from '../voice-samples.ts';
import { replyWav } from '../wav-reply.ts';
import { findSavedVoice, languageOf, promptOf, SAVED_VOICES, type SavedVoice } from './saved-voices.ts';

const VOICES = '/murmr/v1/voices';
const PREVIEW = /^\/murmr\/v1\/voices\/([^/]+)\/preview\.wav$/;
/** Limit of the Scale plan, which the local keys are on (`facts 7`). */
const SAVED_LIMIT = 100;

/** The vendor's REST call for saved voices (`facts 7`). */
export function createMurmrRest({ samples, keys }: { samples: VoiceSamples; keys: Keys }): Handler {
  const serve: Handler = async (request, response, url) => {
    const previewed = findSavedVoice(PREVIEW.exec(url.pathname)?.[1] ?? '');
    // An audio element cannot send a key.
    if (previewed) {
      return replyWav(request, response, await samples.of(previewed.voice));
    }
    const key = bearerIn(request.headers);
    if (key === undefined || keys.conditionOf(key) === null) {
      refuse(request, response, 401, key === undefined ? 'Missing API key' : 'Invalid API key');
    } else if (url.pathname === VOICES) {
      replyJson(request, response, 200, voiceList());
    } else {
      refuse(request, response, 404, 'Not found');
    }
  };
  return vendorRest(serve, (request, response) => refuse(request, response, 405, 'Method not allowed'));
}

const voiceList = () => ({
  voices: SAVED_VOICES.map(voiceObject),
  saved_count: SAVED_VOICES.length,
  saved_limit: SAVED_LIMIT,
  total: SAVED_VOICES.length,
});

const voiceObject = (saved: SavedVoice) => ({
  id: saved.id,
  name: saved.voice.name,
  description: saved.voice.description,
  language: languageOf(saved),
  language_name: protocolLanguageName(languageOf(saved)) ?? null,
  // No host, so that the address is valid under every name of the server.
  audio_preview_url: `${VOICES}/${saved.id}/preview.wav`,
  created_at: saved.createdAt,
  // Not in the vendor's list. The vendor returns it when a voice is created, which this server cannot do.
  prompt_data: promptOf(saved),
});

const refuse = (request: IncomingMessage, response: ServerResponse, status: number, error: string): void =>
  replyJson(request, response, status, { error });
