import type { Endpoint, PageEndpointId } from '../core/endpoint.ts';
import { deepgramVendor, payAsYouGo } from './vendor.ts';
import { audioFormatOf } from './wire/audio-format.ts';
import { catalogueOf } from './wire/catalogue.ts';
import { MAX_TEXT_CHARS } from './wire/client-frames.ts';
import { auraSettingIssues, auraSettings } from './wire/settings.ts';

/** Public voices of the vendor. The local server speaks in voices of its own under their names, so that scenes work at both. */
const EXAMPLE_VOICES: Endpoint['exampleVoices'] = {
  Marta: 'aura-2-thalia-en',
  Rupert: 'aura-2-draco-en',
  Hans: 'aura-2-julius-de',
  Lena: 'aura-2-viktoria-de',
  Greta: 'aura-2-elara-de',
  Grace: 'aura-2-andromeda-en',
  Walter: 'aura-2-zeus-en',
  Fiona: 'aura-2-pandora-en',
  Miles: 'aura-2-apollo-en',
  Robin: 'aura-2-iris-en',
  Camille: 'aura-2-agathe-fr',
  Etienne: 'aura-2-hector-fr',
  Lucia: 'aura-2-carina-es',
  Mateo: 'aura-2-nestor-es',
  Giulia: 'aura-2-livia-it',
  Enzo: 'aura-2-dionisio-it',
  Sanne: 'aura-2-rhea-nl',
  Pieter: 'aura-2-sander-nl',
  Haruka: 'aura-2-izanami-ja',
};

/** Deepgram `/v1/speak`: a voice in the address, binary audio, and a count for each flush. */
export const deepgram: Endpoint<PageEndpointId> = {
  ...deepgramVendor,
  id: 'deepgram' as string as PageEndpointId,
  title: 'Deepgram Aura',
  path: '/v1/speak',
  settings: auraSettings,
  // Format and rate are always named, because no frame has them.
  initialSettings: { model: EXAMPLE_VOICES.Marta, encoding: 'linear16', sample_rate: 24_000 },
  exampleVoices: EXAMPLE_VOICES,
  plans: [payAsYouGo('aura-2', 'Aura-2', 3000), payAsYouGo('aura-1', 'Aura-1', 1500)],
  publishedWaits: [
    {
      title: 'first byte of Aura-2',
      from: 'firstText',
      leastMs: 90,
      mostMs: 200,
      includes: 'the server; steady at the least, and under the most',
      source: 'deepgram.com/learn, real-time low-latency voice AI at scale',
    },
  ],
  limits: { textChars: MAX_TEXT_CHARS, idleTurnMs: null },
  checkSettings: auraSettingIssues,
  audioFormat: audioFormatOf('aura'),
  catalogue: catalogueOf('aura'),
};
