import type { Clock } from '#lib/clock.ts';
import { bytesFromSamples } from '#lib/pcm.ts';
import { SAMPLE_RATE } from '#protocol/murmr/wire/settings.ts';
import { type FileParts, fileBody, slicesOf } from '../answers/file-body.ts';
import { type SpeechWriter, speechBody } from '../answers/speech-answer.ts';
import { FrameCutter } from '../audio/frame-cutter.ts';
import { faultFields } from '../log.ts';
import { callerOf, engineShare, json, onLeave, type Rest, type RestContext } from '../rest.ts';
import { EngineBusyError } from '../speech/engine.ts';
import { type Access, refusal, SLOTS_OCCUPIED, SPEECH_FAILED } from './access.ts';
import { type Job, type Recorded, TooLong } from './jobs.ts';
import type { MurmrServices } from './services.ts';
import { readDesign, readSpeech, type SpeechCall, type SpeechMode } from './speech-requests.ts';
import { type Listener, speechOf } from './voice-choice.ts';

/** Calls that speak: `/v1/voices/design`, `/v1/audio/speech`, their streams, and jobs. */
export function speechRoutes(rest: Rest, services: MurmrServices): void {
  const { access, jobs } = services;
  const speech = (c: RestContext) => readSpeech(c, services);

  // Nothing of the vendor. OpenAI's clients read it before they speak.
  rest.get('/v1/models', (c) => json(c, MODELS));
  rest.post('/v1/voices/design', async (c) => {
    const call = await readDesign(c);
    // The SDK names the type, a plain client gets a file (murmr-http-11).
    const wantsEvents = c.req.header('accept')?.includes('text/event-stream') ?? false;
    return wantsEvents ? stream(c, call, services) : file(c, call, services);
  });
  rest.post('/v1/voices/design/stream', async (c) => stream(c, await readDesign(c), services));
  rest.post('/v1/audio/speech/stream', async (c) => stream(c, await speech(c), services));
  rest.post('/v1/audio/speech', async (c) => {
    const call = await speech(c);
    if (!call.webhook) return file(c, call, services);
    const { account } = c.var;
    const { leave } = await access.request(account);
    const work = { speech: speechOf(call.voice, call.text), format: call.format, peer: callerOf(c) };
    const job = jobs.submit(account.name, work, leave);
    if (!job) {
      leave();
      throw refusal(429, 'Server busy, please retry');
    }
    access.accounts.use(account, call.text.length);
    return json(c, jobObject(job), 202);
  });
  rest.get('/v1/jobs/:id', (c) => {
    const job = jobs.find(c.var.account.name, c.req.param('id'));
    if (!job) throw refusal(404, 'Job not found');
    return jobAnswer(c, job, services);
  });
}

/** In OpenAI's form. The name of a model has no effect. */
const MODELS = { object: 'list', data: [{ id: 'murmr', object: 'model', created: 0, owned_by: 'murmr' }] };

/** Admits a call until its client has left, and charges it. */
async function admitGeneration(c: RestContext, { text }: SpeechCall, access: Access): Promise<void> {
  const { account } = c.var;
  onLeave(c, (await access.request(account)).leave);
  access.accounts.use(account, text.length);
}

async function stream(c: RestContext, call: SpeechCall, services: MurmrServices): Promise<Response> {
  const { clock, access } = services;
  await admitGeneration(c, call, access);
  const { hear, ended } = listen(c, call, services);
  const writer = eventWriter({ clock, mode: call.mode, hear, ended });
  const speaks = { ...services, engine: services.restEngine };
  const body = await speechBody(c, speaks, speechOf(call.voice, call.text), writer);
  return c.body(body, 200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-cache, no-store',
    // A proxy that buffers would withhold the audio.
    'X-Accel-Buffering': 'no',
  });
}

async function file(c: RestContext, call: SpeechCall, services: MurmrServices): Promise<Response> {
  const { access, recorder, log } = services;
  await admitGeneration(c, call, access);
  const abort = new AbortController();
  onLeave(c, () => abort.abort());
  const { hear, ended } = listen(c, call, services);
  const speech = { ...speechOf(call.voice, call.text), ...engineShare(c) };
  const wanted = { speech, format: call.format, signal: abort.signal, peer: callerOf(c), hear };
  const recorded = await recorder(wanted).catch((error: unknown) => {
    if (error instanceof TooLong) throw refusal(400, error.message);
    if (!abort.signal.aborted) log.error(faultFields(error), 'generation failed');
    throw error instanceof EngineBusyError
      ? refusal(503, SLOTS_OCCUPIED.message)
      : refusal(502, SPEECH_FAILED);
  });
  ended();
  return audioAnswer(c, recorded, services);
}

/** Remembers the audio of a design, because a client may save it as a voice. */
function listen(
  c: RestContext,
  { mode, voice }: SpeechCall,
  { designed }: MurmrServices,
): { hear: Listener['hear']; ended(): void } {
  if (mode !== 'voicedesign') return { hear: () => {}, ended: () => {} };
  const listener = designed.listen(callerOf(c));
  return { hear: listener.hear, ended: () => listener.end(voice.description) };
}

const audioAnswer = (c: RestContext, recorded: Recorded, services: MurmrServices): Response => {
  c.header('X-Audio-Duration-Ms', `${recorded.durationMs}`);
  c.header('X-Total-Time-Ms', `${recorded.totalMs}`);
  return fileAnswer(c, partsOf(recorded.bytes), recorded.contentType, services);
};

const fileAnswer = (
  c: RestContext,
  file: FileParts,
  contentType: string,
  services: MurmrServices,
): Response =>
  c.body(fileBody(c, { ...services, peer: callerOf(c) }, file), 200, {
    'Content-Type': contentType,
    'Content-Length': `${file.length}`,
    'Cache-Control': 'no-store',
  });

const partsOf = (bytes: Uint8Array<ArrayBuffer>): FileParts => ({
  parts: slicesOf(bytes),
  length: bytes.length,
});

/** Bytes that become base64 at a time: whole groups of three. */
const BASE64_SLICE_BYTES = 3 * 64 * 1024;

/** A JSON object whose field `audio_base64` comes last. */
function jsonParts(fields: object, audio: Uint8Array<ArrayBuffer>): FileParts {
  const text = new TextEncoder();
  const head = text.encode(`${JSON.stringify(fields).slice(0, -1)},"audio_base64":"`);
  const tail = text.encode('"}');
  function* parts(): Generator<Uint8Array<ArrayBuffer>> {
    yield head;
    for (const slice of slicesOf(audio, BASE64_SLICE_BYTES))
      yield text.encode(Buffer.from(slice.buffer, slice.byteOffset, slice.length).toString('base64'));
    yield tail;
  }
  const length = head.length + 4 * Math.ceil(audio.length / 3) + tail.length;
  return { parts: parts(), length };
}

const isoTime = (ms: number): string => new Date(ms).toISOString();

const jobObject = ({ id, state, createdMs }: Job) => ({
  id,
  status: state.status,
  ...(state.status === 'failed' && { error: state.error }),
  created_at: isoTime(createdMs),
});

/** The audio of a finished job; as JSON for a client that accepts JSON alone, because SDK 0.5.0 has that form. */
async function jobAnswer(c: RestContext, job: Job, services: MurmrServices): Promise<Response> {
  const { state } = job;
  if (state.status !== 'completed') return json(c, jobObject(job));
  const { recorded, completedMs } = state;
  if (!recorded) throw refusal(410, 'The audio of this job is gone. Submit it again');
  // Evicted audio stays in memory until its answers are read.
  const left = new AbortController();
  onLeave(c, () => left.abort());
  await services.files.room(callerOf(c), left.signal).catch(() => {
    throw refusal(503, SLOTS_OCCUPIED.message);
  });
  if (c.req.header('accept') !== 'application/json') return audioAnswer(c, recorded, services);
  const fields = {
    ...jobObject(job),
    completed_at: isoTime(completedMs),
    duration_ms: recorded.durationMs,
    total_time_ms: recorded.totalMs,
    error: null,
    content_type: recorded.contentType,
    response_format: job.format,
  };
  return fileAnswer(c, jsonParts(fields, recorded.bytes), 'application/json', services);
}

/** Silence after which a comment is sent (murmr-http-4). */
const KEEP_ALIVE_MS = 15_000;

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const eventOf = (fields: object): string => `data: ${JSON.stringify(fields)}\n\n`;

interface Options {
  clock: Clock;
  mode: SpeechMode;
  /** Receives all samples. They are valid during the call only. */
  hear(samples: Int16Array): void;
  /** Called when all audio is there. */
  ended(): void;
}

/** Server-sent events of one generation. */
function eventWriter({ clock, mode, hear, ended }: Options): SpeechWriter {
  const startedMs = clock.nowMs();
  const cutter = new FrameCutter(SAMPLE_RATE);
  let firstMs: number | null = null;
  const sinceStart = (atMs: number): number => Math.round(atMs - startedMs);
  const chunk = (samples: Int16Array): string => {
    firstMs ??= clock.nowMs();
    return eventOf({
      chunk: Buffer.from(bytesFromSamples(samples)).toString('base64'),
      chunk_index: cutter.count - 1,
      sample_rate: SAMPLE_RATE,
      format: 'pcm_s16le',
      mode,
      first_chunk_latency_ms: sinceStart(firstMs),
    });
  };
  return {
    block(samples) {
      hear(samples);
      return bytesOf([...cutter.push(samples)].map(chunk).join(''));
    },
    end() {
      ended();
      const rest = cutter.end();
      const last = rest ? chunk(rest) : '';
      const done = {
        done: true,
        total_chunks: cutter.count,
        total_time_ms: sinceStart(clock.nowMs()),
        first_chunk_latency_ms: sinceStart(firstMs ?? startedMs),
        sample_rate: SAMPLE_RATE,
      };
      return bytesOf(last + eventOf(done));
    },
    failed: (error) => {
      const why = error instanceof EngineBusyError ? SLOTS_OCCUPIED.message : SPEECH_FAILED;
      return bytesOf(eventOf({ error: why, done: true }));
    },
    keepAlive: { clock, everyMs: KEEP_ALIVE_MS, bytes: bytesOf(': keepalive\n\n') },
  };
}
