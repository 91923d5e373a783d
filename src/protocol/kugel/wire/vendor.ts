import type { Endpoint } from '../../core/endpoint.ts';
import { serversOf } from '../../core/servers.ts';
import { audioFormatOf } from './audio-format.ts';
import { PROJECT_ID } from './generation.ts';

const EXAMPLE_VOICES: Endpoint['exampleVoices'] = {
  Marta: '1071',
  Rupert: '1072',
  Hans: '268',
  Lena: '1073',
  Grace: '1075',
  Walter: '1076',
  Fiona: '1077',
  Miles: '1078',
  Robin: '1079',
  Camille: '1101',
  Etienne: '1102',
  Lucia: '1103',
  Giulia: '1105',
  Enzo: '1106',
  Thiago: '1108',
  Sanne: '1109',
  Pieter: '1110',
  Zofia: '1111',
  Elsa: '1112',
  Aino: '1115',
  Arjun: '1125',
};

/** The common part of the KugelAudio endpoints. */
export const kugelVendor = {
  vendor: 'KugelAudio',
  localPrefix: '/kugel',
  // Its SDK and its tests (`facts`, "Clients").
  addressVariables: ['KUGELAUDIO_API_URL', 'KUGELAUDIO_BASE_URL'],
  // Browsers cannot set headers.
  keyPlace: { in: 'query', name: 'api_key' },
  servers: serversOf(
    { id: 'cloud', title: 'KugelAudio cloud', base: 'wss://api.kugelaudio.com' },
    { id: 'eu', title: 'KugelAudio cloud, EU', base: 'wss://api.eu.kugelaudio.com' },
  ),
  exampleVoices: EXAMPLE_VOICES,
  addedSettings: { project_id: PROJECT_ID },
  reservedFields: ['api_key'],
  // The vendor asks for 1 s after a restart (`facts 1.8`); later tries double.
  reconnectDelaysMs: [1000, 2000, 4000, 8000, 16_000],
  flushEndsTurn: true,
  retriesAfterErrors: false,
  languageValue: (code: string) => code,
  audioFormat: audioFormatOf,
} satisfies Partial<Endpoint>;
