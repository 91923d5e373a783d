import type { Endpoint, PageEndpointId } from '../core/endpoint.ts';
import { serversOf } from '../core/servers.ts';
import { audioFormatOf } from './wire/audio-format.ts';
import { MAX_FLUX_TEXT_CHARS, MAX_TEXT_CHARS } from './wire/client-frames.ts';
import { schemeOf } from './wire/keys.ts';
import type { Family } from './wire/models.ts';
import { FAMILY_SETTINGS } from './wire/settings.ts';

/** Same key and paths as the first one. A region that is down fails (`facts-deepgram 1.1.1`). */
const region = (id: string, place: string) => ({
  id,
  title: `Deepgram cloud, ${place}`,
  base: `wss://api.${id}.deepgram.com`,
});

/** The common part of both sockets. */
const COMMON = {
  vendor: 'Deepgram',
  localPrefix: '/deepgram',
  addressVariables: [],
  keyPlace: { in: 'subprotocol', protocols: (key) => (key === '' ? [] : [schemeOf(key), key]) },
  servers: serversOf(
    { id: 'cloud', title: 'Deepgram cloud', base: 'wss://api.deepgram.com' },
    region('eu', 'EU'),
    region('au', 'Australia'),
    region('in', 'India'),
  ),
  reservedFields: [],
  fixedSettings: [],
  clientIds: [],
  contexts: null,
  flushEndsTurn: true,
  billing: 'none',
  // Nothing of the vendor.
  reconnectDelaysMs: [1000, 2000, 4000, 8000, 16_000],
  // The close code decides.
  retriesAfterErrors: true,
  // The model is the language.
  languageValue: () => undefined,
} satisfies Partial<Endpoint>;

/** The endpoint of a family of models. */
export const deepgramEndpoint = (
  family: Family,
  own: Pick<Endpoint<PageEndpointId>, 'id' | 'title' | 'path' | 'exampleVoices'>,
): Endpoint<PageEndpointId> => ({
  ...COMMON,
  ...FAMILY_SETTINGS[family],
  ...own,
  // No length is documented for `/v2/speak` (`facts-deepgram 5.4.2`); this one is ours.
  limits: { textChars: family === 'flux' ? MAX_FLUX_TEXT_CHARS : MAX_TEXT_CHARS, idleTurnMs: null },
  // Format and rate are always named, because no frame has them.
  initialSettings: { model: own.exampleVoices.Marta, encoding: 'linear16', sample_rate: 24_000 },
  audioFormat: audioFormatOf(family),
});
