import { protocolLanguageName } from '#protocol/murmr/wire/client-frames.ts';
import { bearerIn, type Keys } from '../keys.ts';
import type { Log } from '../log.ts';
import type { Handler } from '../reply.ts';
import { absolute, createRest, json, Refused, type RestContext } from '../rest.ts';
import type { VoiceSamples } from '../voice-samples.ts';
import { wavResponse } from '../wav-response.ts';
import { findSavedVoice, languageOf, promptOf, SAVED_VOICES, type SavedVoice } from './saved-voices.ts';

/** Limit of the Scale plan, which the local keys are on (`facts 7`). */
const SAVED_LIMIT = 100;

interface Options {
  keys: Keys;
  log: Log;
  samples: VoiceSamples;
}

/** The vendor's REST calls (`facts 7`). */
export const createMurmrRest = ({ keys, log, samples }: Options): Handler =>
  createRest({
    prefix: '/murmr',
    log,
    error: (_, error) => ({ error }),
    notOffered: [405, 'Method not allowed'],
    missing: [],
    routes(rest) {
      // Previews need no key, because an audio element cannot send one.
      rest.get('/v1/voices/:id/preview.wav', async (c) => {
        const saved = findSavedVoice(c.req.param('id'));
        if (!saved) throw refused(404, 'Voice not found');
        return wavResponse(c, await samples.of(saved.voice));
      });
      rest.use(async (c, next) => {
        const key = bearerIn(c.env.incoming.headers);
        if (key === undefined) throw refused(401, 'Missing API key');
        if (keys.conditionOf(key) === null) throw refused(401, 'Invalid API key');
        await next();
      });
      rest.get('/v1/voices', (c) =>
        json(c, {
          voices: SAVED_VOICES.map((saved) => voiceObject(c, saved)),
          saved_count: SAVED_VOICES.length,
          saved_limit: SAVED_LIMIT,
          total: SAVED_VOICES.length,
        }),
      );
    },
  });

const voiceObject = (c: RestContext, saved: SavedVoice) => ({
  id: saved.id,
  name: saved.voice.name,
  description: saved.voice.description,
  language: languageOf(saved),
  language_name: protocolLanguageName(languageOf(saved)) ?? null,
  audio_preview_url: absolute(c, `/murmr/v1/voices/${saved.id}/preview.wav`),
  created_at: saved.createdAt,
  // Not in the vendor's list. The vendor returns it from `extract-embeddings`.
  prompt_data: promptOf(saved),
});

const refused = (status: number, error: string): Refused => new Refused(status, { error });
