import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Keys, keyIn } from '../keys.ts';
import { type Handler, replyJson } from '../reply.ts';
import { findVoice } from '../speech/voices/voices.ts';
import { vendorRest } from '../vendor-rest.ts';
import type { VoiceSamples } from '../voice-samples.ts';
import { replyWav } from '../wav-reply.ts';
import { type KugelRefusal, keyRefusal } from './access.ts';
import { dictionaryList, modelList, voiceDetail, voicePage } from './catalogue.ts';

const VOICE = /^\/kugel\/v1\/voices\/([^/]+)(\/sample\.wav)?$/;

/** The vendor's REST calls that the page and the SDKs read (`facts 5`). */
export function createKugelRest({ samples, keys }: { samples: VoiceSamples; keys: Keys }): Handler {
  const serve: Handler = async (request, response, url) => {
    const open = PUBLIC[url.pathname];
    if (open) return replyJson(request, response, 200, open());
    const [, idOrHandle, sample] = VOICE.exec(url.pathname) ?? [];
    const voice = idOrHandle === undefined ? undefined : findVoice(decoded(idOrHandle));
    // An audio element cannot send a key.
    if (voice && sample) {
      // Generated audio is marked as such (`facts 1.3.6`).
      response.setHeader('x-kugelaudio-ai-generated', 'true');
      return replyWav(request, response, await samples.of(voice));
    }
    const refusal = keyRefusal(keys, keyIn({ url, headers: request.headers }));
    if (refusal) return refuse(request, response, refusal);
    if (voice) return replyJson(request, response, 200, voiceDetail(voice));
    if (url.pathname === '/kugel/v1/dictionaries') {
      return replyJson(request, response, 200, dictionaryList());
    }
    if (url.pathname === '/kugel/v1/voices') {
      const page = voicePage(url.searchParams);
      if (page.problem === undefined) return replyJson(request, response, 200, page);
      return refuse(request, response, { error: page.problem, error_code: 'VALIDATION_ERROR', code: 400 });
    }
    const error = idOrHandle === undefined ? 'Not found' : 'Voice not found';
    refuse(request, response, { error, error_code: 'NOT_FOUND', code: 404 });
  };
  return vendorRest(serve, (request, response) =>
    refuse(request, response, { error: 'Method not allowed', error_code: 'VALIDATION_ERROR', code: 405 }),
  );
}

/** Needs no key (`facts 1.2`). */
const PUBLIC: Readonly<Partial<Record<string, () => unknown>>> = {
  '/kugel/v1/models': modelList,
  '/kugel/health': () => ({ status: 'healthy' }),
  '/kugel/ready': () => ({ status: 'ready', model_path: 'espeak-ng', multi_model: false }),
};

const refuse = (request: IncomingMessage, response: ServerResponse, refusal: KugelRefusal): void =>
  replyJson(request, response, refusal.code, refusal);

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
