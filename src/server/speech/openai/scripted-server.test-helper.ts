import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as setImmediateTask } from 'node:timers';
import { setImmediate } from 'node:timers/promises';
import { bytesFromSamples } from '#lib/pcm.ts';
import type { SpeechServerSettings } from './speech-server.ts';

/** A request for speech, and how the client left it. */
export interface SpeechExchange {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** As OpenAI documents it; `input` and `voice` are always there. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Resolves when the connection of the answer is closed: true where the answer was complete. */
  readonly closed: Promise<boolean>;
}

/** Answers one request instead of the ordinary speech. */
export type Script = (response: ServerResponse, exchange: SpeechExchange) => void | Promise<void>;

/** A real HTTP server that behaves like the documented speech servers, or as a test tells it. */
export interface ScriptedServer {
  readonly exchanges: readonly SpeechExchange[];
  settings(change?: Partial<SpeechServerSettings>): SpeechServerSettings;
  /** These scripts answer the next requests for speech. */
  next(...scripts: readonly Script[]): void;
  /** This script answers all requests for speech that have no other. */
  always(script: Script): void;
  stop(): Promise<void>;
}

interface Options {
  /** `GET /v1/audio/voices`; null for a server without the path, as the cloud is. */
  voices?: readonly unknown[] | null;
  /** Has `/dev/captioned_speech`, as Kokoro-FastAPI. */
  captions?: boolean;
}

/** In the form of Speaches. */
const VOICES = [
  ['anna', 'female', 'en-us'],
  ['adam', 'male', 'en-us'],
  ['bella', 'female', 'en-gb'],
  ['brian', 'male', 'en-gb'],
  ['dora', 'female', 'de'],
  ['dirk', 'male', 'de'],
].map(([name, gender, language]) => ({ id: name, name, gender, language }));

export const SCRIPTED_RATE = 24_000;
const MS_OF_CHARACTER = 50;
const GAP_MS = 50;
const MARK_MS = 250;
/** An odd number, so that samples are cut. */
const PART_BYTES = 4801;

interface SpokenTone {
  readonly samples: Int16Array;
  /** Words with their times, in s. */
  readonly words: readonly { word: string; start_time: number; end_time: number }[];
}

/** A tone for each word, as long as the word, and silence at its marks. Voices differ in pace and pitch. */
export function spokenTone(input: string, voice = 'anna', speed = 1, sampleRate = SCRIPTED_RATE): SpokenTone {
  const place = VOICES.findIndex(({ id }) => id === voice);
  const pace = speed * (1 + Math.max(0, place) / 10);
  const hz = 120 + 20 * place;
  const parts: { ms: number; isLoud: boolean }[] = [];
  const words: { word: string; start_time: number; end_time: number }[] = [];
  let atMs = 0;
  const add = (ms: number, isLoud: boolean) => {
    parts.push({ ms: ms / pace, isLoud });
    atMs += ms / pace;
  };
  for (const [, word = '', mark = ''] of input.matchAll(/([^\s.,;:!?]+|(?=[.,;:!?]))([.,;:!?]*)\s*/gu)) {
    const start_time = atMs / 1000;
    add(word.length * MS_OF_CHARACTER, true);
    words.push({ word, start_time, end_time: atMs / 1000 });
    add(mark === '' ? GAP_MS : MARK_MS, false);
  }
  const samples = new Int16Array(Math.round((atMs * sampleRate) / 1000));
  let from = 0;
  for (const { ms, isLoud } of parts) {
    const until = from + (ms * sampleRate) / 1000;
    for (let at = Math.ceil(from); isLoud && at < until && at < samples.length; at += 1) {
      samples[at] = Math.round(8000 * Math.sin((2 * Math.PI * hz * at) / sampleRate));
    }
    from = until;
  }
  return { samples, words };
}

const fieldsOf = ({ body }: SpeechExchange) => ({
  input: String(body.input),
  voice: String(body.voice),
  speed: Number(body.speed ?? 1),
});

/** Counts the rounds of the event loop that others have. */
export function countRounds(): { rounds: () => number; stop: () => void } {
  let count = 0;
  const next = () =>
    setImmediateTask(() => {
      count += 1;
      timer = next();
    });
  let timer = next();
  return { rounds: () => count, stop: () => clearImmediate(timer) };
}

/** Writes as fast as the client reads. */
export async function writeParts(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length && !response.destroyed; at += PART_BYTES) {
    if (response.write(bytes.subarray(at, at + PART_BYTES))) await setImmediate();
    else await drained(response);
  }
}

/** Resolves when the client has read, or has left. */
export async function drained(response: ServerResponse): Promise<void> {
  const heard = new AbortController();
  const events = ['drain', 'close'].map((event) => once(response, event, { signal: heard.signal }));
  await Promise.race(events).finally(() => heard.abort());
}

/** PCM as OpenAI documents it: 24 kHz, 16 bits, mono, no header. */
export const speakPcm: Script = async (response, exchange) => {
  const { input, voice, speed } = fieldsOf(exchange);
  response.writeHead(200, { 'Content-Type': 'audio/pcm' });
  await writeParts(response, bytesFromSamples(spokenTone(input, voice, speed).samples));
  response.end();
};

/** Kokoro-FastAPI: JSON objects with audio and times, one a line, of so many samples. */
export const captioned =
  (lineSamples: number): Script =>
  async (response, exchange) => {
    const { input, voice, speed } = fieldsOf(exchange);
    const { samples, words } = spokenTone(input, voice, speed);
    response.writeHead(200, { 'Content-Type': 'application/json' });
    for (let from = 0; from < samples.length; from += lineSamples) {
      const until = from + lineSamples;
      const audio = Buffer.from(bytesFromSamples(samples.subarray(from, until))).toString('base64');
      const timestamps = words.filter(
        ({ start_time: at }) => at * SCRIPTED_RATE >= from && at * SCRIPTED_RATE < until,
      );
      const line = `${JSON.stringify({ audio, audio_format: 'audio/pcm', timestamps })}\n`;
      await writeParts(response, Buffer.from(line));
    }
    response.end();
  };

/** Answers with a status, as a proxy or an API does. */
export const answer =
  (status: number, headers: Readonly<Record<string, string>>, body: string): Script =>
  (response) => {
    response.writeHead(status, headers);
    response.end(body);
  };

/** OpenAI's error object. */
export const refusal = (
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): Script =>
  answer(
    status,
    { 'Content-Type': 'application/json', ...headers },
    JSON.stringify({ error: { message: code, code } }),
  );

export async function startScriptedServer({
  voices = VOICES,
  captions = false,
}: Options = {}): Promise<ScriptedServer> {
  const exchanges: SpeechExchange[] = [];
  let scripts: readonly Script[] = [];
  let otherwise: Script | undefined;
  const speak = async (request: IncomingMessage, response: ServerResponse, ordinary: Script) => {
    const closed = once(response, 'close').then(() => response.writableFinished);
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = JSON.parse(Buffer.concat(parts).toString()) as SpeechExchange['body'];
    const exchange = { path: request.url ?? '', headers: request.headers, body, closed };
    exchanges.push(exchange);
    const [script = otherwise ?? ordinary, ...others] = scripts;
    scripts = others;
    await script(response, exchange);
  };
  const http = createServer((request, response) => {
    const route = `${request.method} ${request.url}`;
    response.on('error', () => {});
    if (route === 'POST /v1/audio/speech') void speak(request, response, speakPcm);
    else if (route === 'POST /dev/captioned_speech' && captions)
      void speak(request, response, captioned(SCRIPTED_RATE));
    else if (route === 'GET /v1/audio/voices' && voices) response.end(JSON.stringify({ voices }));
    else response.writeHead(captions && request.url === '/dev/captioned_speech' ? 405 : 404).end('{}');
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  return {
    exchanges,
    settings: (change = {}) => ({
      url: new URL(`http://127.0.0.1:${port}/v1`),
      key: '',
      model: 'tts-1',
      sampleRate: SCRIPTED_RATE,
      timeoutMs: 5000,
      requests: 8,
      ...change,
    }),
    next: (...given) => {
      scripts = given;
    },
    always: (script) => {
      otherwise = script;
    },
    async stop() {
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
    },
  };
}
