import type { AudioEncoding, AudioFormat } from '../../core/audio-format.ts';
import { explainCloseWith } from '../../core/close-meaning.ts';
import type { Endpoint, PageEndpointId, Protocol, Settings } from '../../core/endpoint.ts';
import { settingsCheck } from '../../core/issue.ts';
import { choiceSetting, settingsOf, voiceSetting } from '../../core/settings.ts';
import { z } from '../../core/zod.ts';
import { ParrotDialect } from './dialect.ts';
import { parrotExample } from './example-turn.ts';
import { parrotFrameIssues, parrotTemplates, readParrotIntents } from './frames.ts';

const words = (title: string) => ({ title, group: 'Voice', explanation: 'Of a made-up vendor.' }) as const;

const ENCODINGS: Readonly<Record<string, AudioEncoding>> = {
  mp3: 'mp3',
  pcm: 'pcm_s16le',
};
const RATE = 24_000;

const shape = {
  voice: voiceSetting(z.string().check(z.minLength(1)), { name: 'id', toValue: (id) => id }, [], {
    ...words('Voice'),
    place: 'path',
  }),
  format: z.optional(choiceSetting(['mp3', 'pcm'], { ...words('Format'), fallback: 'mp3', place: 'query' })),
  rate: z.optional(choiceSetting([RATE, 44_100], { ...words('Rate'), fallback: RATE, place: 'query' })),
};
const settings = settingsOf(shape);

const audioFormat = ({ format, rate }: Settings): AudioFormat => ({
  encoding: ENCODINGS[String(format ?? 'mp3')] ?? 'pcm_s16le',
  sampleRate: Number(rate ?? RATE),
});

/**
 * A made-up vendor with what the vendors so far do not have: a voice in the path, the key in a subprotocol, MP3, a connection
 * for each turn, a context for each turn, characters in place of words, and a cancel that says how much was played.
 */
export const parrot: Endpoint<PageEndpointId> = {
  // The ids of endpoints are a closed type.
  id: 'parrot' as string as PageEndpointId,
  usedBy: 'page',
  title: 'Parrot',
  vendor: 'Parrot',
  path: '/v1/speak/{voice}',
  keyPlace: { in: 'subprotocol', protocols: (key) => ['token', key] },
  localPrefix: '/parrot' as string as Endpoint['localPrefix'],
  addressVariables: [],
  servers: [{ id: 'cloud', title: 'Parrot cloud', base: 'wss://parrot.example', needsKey: true }],
  settings,
  initialSettings: { voice: 'polly', format: 'mp3', rate: RATE },
  exampleVoices: {},
  reservedFields: ['id'],
  fixedSettings: [],
  clientIds: ['id'],
  contexts: null,
  flushEndsTurn: false,
  billing: 'none',
  limits: { textChars: 2000, idleTurnMs: null },
  reconnectDelaysMs: [1000, 2000],
  retriesAfterErrors: false,
  checkSettings: settingsCheck(z.looseObject(shape), settings),
  languageValue: () => undefined,
  audioFormat,
};

export const parrotProtocol: Protocol = {
  exampleTurn: parrotExample,
  open: ({ settings: chosen, format }) => new ParrotDialect(format ?? audioFormat(chosen)),
  readIntents: readParrotIntents,
  templates: parrotTemplates,
  checkFrame: parrotFrameIssues,
  failures: {
    errors: ['BUSY'],
    overloaded: 'BUSY',
    error: (name) => ({ frame: { error: name, message: 'a fault on purpose' }, close: null }),
    words: 'ownFrames',
    totals: [],
  },
  explainClose: explainCloseWith({}),
  explainError: () => null,
  catalogue: { voices: async () => [] },
  plans: [],
  publishedWaits: [],
  publishedPrice: () => null,
};
