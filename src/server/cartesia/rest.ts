import { randomUUID } from 'node:crypto';
import { GENDERS } from '#protocol/cartesia/wire/catalogue.ts';
import { parseSpeech, type SpeechBody } from '#protocol/cartesia/wire/client-frames.ts';
import { type ErrorName, errorFrame } from '#protocol/cartesia/wire/errors.ts';
import { doneFrame } from '#protocol/cartesia/wire/server-frames.ts';
import {
  audioFormatOf,
  LATEST_VERSION,
  languageOf,
  type Version,
  versionTraits,
} from '#protocol/cartesia/wire/settings.ts';
import { hasWord } from '#protocol/cartesia/wire/words.ts';
import { describeIssues } from '#protocol/core/issue.ts';
import { z } from '#protocol/core/zod.ts';
import { type SpeechWriter, speechAnswer } from '../answers/speech-answer.ts';
import { sampleRoute } from '../answers/wav-response.ts';
import { type Output, outputOf, wavOutput } from '../audio/output.ts';
import { remoteOf } from '../origin.ts';
import {
  absolute,
  json,
  onLeave,
  pageSize,
  type Rest,
  type RestContext,
  readBody,
  type VendorRest,
} from '../rest.ts';
import { EngineBusyError } from '../speech/engine.ts';
import type { Voice } from '../speech/voices/voices.ts';
import {
  accountIn,
  type CartesiaServices,
  callOf,
  credentialIn,
  refusal,
  statusBody,
  versionIn,
} from './access.ts';
import { readSpeaker, requestOf, transcriptExcess, volumeEngine } from './speaker.ts';
import { SpeechFrames } from './speech-frames.ts';

/** Life of a token in seconds (cartesia-http-6). The default is ours. */
const TOKEN_SECONDS = { default: 60, max: 3600 } as const;

const grant = z.nullish(z.boolean());
const tokenRequest = z.looseObject({
  grants: z.nullish(z.looseObject({ tts: grant, stt: grant, agent: grant })),
  expires_in: z.nullish(z.int().check(z.gte(1), z.lte(TOKEN_SECONDS.max))),
});

/** The vendor's REST calls. */
export const cartesiaRest = (services: CartesiaServices): VendorRest => ({
  error: (status, message, c) => statusBody(callOf(c), status, message),
  invalid: (message, c) => refusal(callOf(c), { name: 'invalid_request', message }).body,
  notOffered: [405, 'Method not allowed'],
  missing: [],
  openRoutes(rest) {
    rest.get('/', (c) => json(c, { ok: true, version: LATEST_VERSION }));
    sampleRoute(rest, '/voices/:id/preview.wav', (c) => services.samples.of(voiceAt(c, services)));
  },
  accountOf(c) {
    versionIn(callOf(c));
    return accountIn(callOf(c), services);
  },
  routes(rest) {
    const { accounts } = services;
    rest.post('/access-token', async (c) => {
      const account = accounts.of(credentialIn(callOf(c)));
      // A token cannot make another one.
      if (!account) throw refusal(callOf(c), { name: 'unauthorized' });
      const { grants, expires_in } = await readBody(c, tokenRequest);
      // A token for other services opens nothing here.
      const seconds = grants?.tts === true ? (expires_in ?? TOKEN_SECONDS.default) : 0;
      return json(c, { token: await accounts.grant(account, seconds * 1000, remoteOf(c.env.incoming)) });
    });
    voiceRoutes(rest, services);
    speechRoutes(rest, services);
  },
});

/** Voices of a page (cartesia-http-3). The default is ours. */
const PAGE_SIZE = { usual: 10, max: 100 } as const;
/** Ours. */
const CREATED_AT = '2026-01-01T00:00:00Z';

function voiceRoutes(rest: Rest, services: CartesiaServices): void {
  rest.get('/voices', (c) => {
    const version = versionIn(callOf(c));
    const query = queryOf(c);
    const found = services.voices.all.filter(filterOf(query, services));
    const objects = found.map((voice) => voiceObject(c, voice, services, version));
    // The first version had no pages.
    if (version === '2024-06-10') return json(c, objects);
    /** Where a page begins or ends; null where the query does not say. */
    const placeOf = (name: 'starting_after' | 'ending_before'): number | null => {
      const place = objects.findIndex(({ id }) => id === query.get(name));
      if (place < 0 && query.has(name)) throw invalid(c)(`${name}: expected the id of a voice in the list`);
      return place < 0 ? null : place;
    };
    const [after, before] = [placeOf('starting_after') ?? -1, placeOf('ending_before')];
    const size = pageSize(query, 'limit', PAGE_SIZE, invalid(c));
    const [start, end] =
      before === null ? [after + 1, after + 1 + size] : [Math.max(0, before - size), before];
    const data = objects.slice(start, end);
    const hasMore = before === null ? end < found.length : start > 0;
    const next = before === null ? data.at(-1) : data[0];
    return json(c, { data, has_more: hasMore, next_page: hasMore && next ? next.id : null });
  });
  rest.get('/voices/:id', (c) => {
    const version = versionIn(callOf(c));
    return json(c, voiceObject(c, voiceAt(c, services), services, version));
  });
  // Ours: local voices have no accents.
  rest.get('/accents', (c) => json(c, { accents: [] }));
}

const invalid = (c: RestContext) => (message: string) =>
  refusal(callOf(c), { name: 'invalid_request', message });

const queryOf = (c: RestContext): URLSearchParams => new URL(c.req.url).searchParams;

function filterOf(query: URLSearchParams, { voices }: CartesiaServices): (voice: Voice) => boolean {
  const search = (query.get('q') ?? '').toLowerCase();
  const gender = query.get('gender');
  const language = query.get('language');
  const isOwned = query.get('is_owner') === 'true';
  return (voice) =>
    !isOwned &&
    `${voice.name}\n${voice.description}\n${voices.idOf(voice)}`.toLowerCase().includes(search) &&
    (gender === null || GENDERS[voice.sex] === gender) &&
    (language === null || voice.languages[0] === languageOf(language));
}

/** All fields that the vendor's description requires, and the sex (cartesia-http-4). */
function voiceObject(
  c: RestContext,
  voice: Voice,
  { voices, catalogue }: CartesiaServices,
  version: Version,
) {
  const id = voices.idOf(voice);
  const isExpanded = queryOf(c).getAll('expand[]').includes('preview_file_url');
  return {
    id,
    name: voice.name,
    description: catalogue.described(voice.description, voice),
    gender: GENDERS[voice.sex],
    is_owner: false,
    created_at: CREATED_AT,
    language: voice.languages[0],
    ...(versionTraits(version).hasLocales ? latestFields(voice) : { is_public: true }),
    ...(isExpanded && { preview_file_url: absolute(c, `/cartesia/voices/${id}/preview.wav`) }),
  };
}

/** Fields that the types of `@cartesia/cartesia-js` 4.2.0 require (cartesia-http-9). */
const latestFields = ({ languages }: Voice) => ({
  access: 'public',
  visibility: 'all',
  tagline: '',
  accents: [],
  locales: languages.map((code, at) => ({ locale: usualLocale(code), is_native: at === 0 })),
});

/** A language with the region that most of its speakers have, such as `en-US`. */
function usualLocale(code: string): string {
  const { language, region } = new Intl.Locale(code).maximize();
  return `${language}-${region}`;
}

/** A voice of a path. Throws its refusal. */
function voiceAt(c: RestContext, { voices }: CartesiaServices): Voice {
  const voice = voices.find(c.req.param('id') ?? '');
  if (voice) return voice;
  throw refusal(callOf(c), { name: 'voice_not_found' });
}

/** Bits a second of MP3 where a body names none. */
const BIT_RATE = 128_000;
/** Rates that MP3 has at all sample rates (cartesia-http-10). */
const MP3_KBITS = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160];

const anyFields = z.looseObject({});

/** Calls that speak, as the audio is made. */
function speechRoutes(rest: Rest, services: CartesiaServices): void {
  rest.post('/tts/bytes', async (c) => {
    const speech = await admitted(c, services);
    const restEngine = volumeEngine(services.restEngine, speech.speaker);
    return speechAnswer(c, { ...services, restEngine }, speech);
  });
  rest.post('/tts/sse', async (c) => {
    const { body, speaker, context, ...speech } = await admitted(c, services);
    const call = callOf(c);
    if (body.container !== 'raw') {
      throw refusal(call, { name: 'invalid_request', message: 'output_format.container: expected "raw"' });
    }
    const frames = new SpeechFrames({
      context,
      flushId: null,
      text: body.transcript,
      // The engine has applied the volume.
      speaker: { ...speaker, settings: { ...speaker.settings, volume: 1 } },
      nowMs: () => services.clock.nowMs(),
      fromMs: 0,
    });
    const writer: SpeechWriter = {
      block: (samples, words, phonemes) =>
        events(frames.add({ samples, words, ...(phonemes && { phonemes }) })),
      end: () => events([...frames.end(), doneFrame(context)]),
      failed(error) {
        const name = faultOf(error instanceof EngineBusyError);
        return events([errorFrame({ name }, context, versionIn(call), call.requestId)]);
      },
    };
    const headers = { 'Content-Type': 'text/event-stream' };
    const restEngine = volumeEngine(services.restEngine, speaker);
    return speechAnswer(c, { ...services, restEngine }, { ...speech, writer: () => writer, headers });
  });
}

/** The speech of a call. Throws its refusal. */
async function admitted(c: RestContext, { accounts, voices }: CartesiaServices) {
  const call = callOf(c);
  const fields = await readBody(c, anyFields);
  const parsed = parseSpeech(fields, versionIn(call));
  if (!parsed.ok) throw refusal(call, { name: 'invalid_request', message: describeIssues(parsed.issues) });
  const { value: body } = parsed;
  const excess = transcriptExcess(body);
  if (excess) throw refusal(call, excess);
  if (!hasWord(body.transcript)) throw refusal(call, { name: 'invalid_transcript' });
  const found = readSpeaker(body.settings, voices);
  if ('refusal' in found) throw refusal(call, found.refusal);
  const lease = await accounts.admit(c.var.account, 'contexts');
  if ('refusal' in lease) throw refusal(call, { name: lease.refusal });
  onLeave(c, lease.leave);
  const { speaker } = found;
  return {
    body,
    speaker,
    context: body.context ?? randomUUID(),
    request: requestOf(speaker, body.transcript),
    output: outputIn(body),
    failed: (isBusy: boolean) => refusal(call, { name: faultOf(isBusy) }),
  };
}

function outputIn({ container, settings, bitRate }: SpeechBody): Output {
  const format = audioFormatOf(settings);
  if (container === 'wav') return wavOutput(format);
  if (container === 'raw') return outputOf(format);
  // The nearest one below that MP3 has, at any sample rate.
  const kbits = MP3_KBITS.findLast((each) => each * 1000 <= (bitRate ?? BIT_RATE));
  return outputOf({ ...format, encoding: 'mp3' }, kbits);
}

const faultOf = (isBusy: boolean): ErrorName => (isBusy ? 'service_unavailable' : 'internal_error');

function events(frames: Iterable<object>): Uint8Array<ArrayBuffer> {
  const lines = [...frames].map((frame) => `data: ${JSON.stringify(frame)}\n\n`);
  return new TextEncoder().encode(lines.join(''));
}
