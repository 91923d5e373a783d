import type { Endpoint, PageEndpointId } from '../core/endpoint.ts';
import { deepgramVendor, payAsYouGo } from './vendor.ts';
import { audioFormatOf } from './wire/audio-format.ts';
import { catalogueOf } from './wire/catalogue.ts';
import { MAX_TEXT_CHARS } from './wire/client-frames.ts';
import { fluxSettingIssues, fluxSettings } from './wire/settings.ts';

/** As those of `/v1/speak`. English only. */
const EXAMPLE_VOICES: Endpoint['exampleVoices'] = {
  Marta: 'flux-alexis-en',
  Rupert: 'flux-colin-en',
  Grace: 'flux-hannah-en',
  Walter: 'flux-cliff-en',
  Fiona: 'flux-gemma-en',
  Miles: 'flux-miles-en',
  Robin: 'flux-haley-en',
};

/** Deepgram `/v2/speak`: turns with figures of their own, and an interrupt that tells what was heard. */
export const deepgramFlux: Endpoint<PageEndpointId> = {
  ...deepgramVendor,
  id: 'deepgram-flux' as string as PageEndpointId,
  title: 'Deepgram Flux',
  path: '/v2/speak',
  settings: fluxSettings,
  initialSettings: { model: EXAMPLE_VOICES.Marta, encoding: 'linear16', sample_rate: 24_000 },
  exampleVoices: EXAMPLE_VOICES,
  plans: [payAsYouGo('flux', 'Flux', 4500)],
  // Only quoted by others.
  publishedWaits: [],
  limits: { textChars: MAX_TEXT_CHARS, idleTurnMs: null },
  checkSettings: fluxSettingIssues,
  audioFormat: audioFormatOf('flux'),
  catalogue: catalogueOf('flux'),
};
