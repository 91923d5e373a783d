import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEnvironment } from './environment.ts';
import { createLog } from './log.ts';
import { type RunningServer, startServer } from './running-server.ts';
import type { SocketClient } from './socket-client.test-helper.ts';
import {
  MULTI,
  openClient,
  REALTIME,
  SOCKET_ENDPOINTS,
  type SocketEndpointCase,
  STREAM,
} from './socket-endpoints.test-helper.ts';
import {
  answer,
  refusal,
  type Script,
  type ScriptedServer,
  type SpeechExchange,
  startScriptedServer,
  writeParts,
} from './speech/openai/scripted-server.test-helper.ts';

/** Each endpoint with a speech server that fails: the frames of its vendor, over real sockets. */

const KEY = 'sk-canary-0123456789';
const TEXT = 'Hello there.';
const HEADERS = { Authorization: 'Bearer local', 'Content-Type': 'application/json' };

async function start(speech: ScriptedServer, logged: string[] = [], timeoutS = 600): Promise<RunningServer> {
  const variables = {
    PORT: '0',
    VOICEWIRE_ENGINE: 'openai',
    VOICEWIRE_OPENAI_URL: speech.settings().url.href,
    VOICEWIRE_OPENAI_KEY: KEY,
    VOICEWIRE_OPENAI_TIMEOUT: `${timeoutS}`,
  };
  const log = createLog('trace', { write: (line) => logged.push(line) });
  return startServer(readEnvironment(variables), { log });
}

/** Contains everything that a server can know, the key included. */
const leaky = JSON.stringify({ error: { message: `Bad key ${KEY}`, code: 'overloaded' } });
const cutOff: Script = async (response) => {
  response.writeHead(200, { 'Content-Type': 'audio/pcm' });
  await writeParts(response, Buffer.alloc(24_000, 7));
  response.destroy();
};
const silence: Script = () => {};
/** The error and the close of Kugel's sockets, the code of murmr's, and the status of its REST. */
const BUSY = {
  error: { error_code: 'MODEL_UNAVAILABLE', code: 503 },
  kugel: 4500,
  realtime: 4006,
  status: 503,
};
const FAILED = {
  error: { error_code: 'INTERNAL_ERROR', code: 500 },
  kugel: 4000,
  realtime: 4005,
  status: 502,
};

const FAILURES: [string, Script, typeof BUSY][] = [
  ['overloaded', answer(503, { 'Retry-After': '600' }, leaky), BUSY],
  ['never answering', silence, BUSY],
  ['refusing the key', answer(401, {}, leaky), FAILED],
  ['answering HTML', answer(200, { 'Content-Type': 'text/html' }, `<p>${KEY}`), FAILED],
  ['cutting audio off', cutOff, FAILED],
];

it.each(FAILURES)(
  'every endpoint reports a speech server that is %s',
  async (_, script, { error, kugel, realtime, status }) => {
    const speech = await startScriptedServer();
    speech.always(script);
    const logged: string[] = [];
    const server = await start(speech, logged, script === silence ? 1 : undefined);
    const post = async (path: string, body: object) => {
      const response = await fetch(server.http + path, {
        method: 'POST',
        headers: HEADERS,
        body: JSON.stringify(body),
      });
      return { status: response.status, text: await response.text() };
    };
    const audio = script === cutOff ? ['audio'] : [];
    const speak = async (endpoint: SocketEndpointCase) => {
      const client = await openClient(server, endpoint);
      await client.send(...endpoint.turn(TEXT));
      await client.until('error');
      const start = endpoint.kinds.filter((kind) => kind === 'generation_started');
      expect(client.kinds()).toEqual([...endpoint.greeting, ...start, ...audio, 'error']);
      const close = endpoint === REALTIME ? realtime : kugel;
      expect(client.of('error')).toMatchObject([endpoint === REALTIME ? { code: realtime } : error]);
      if (endpoint === MULTI || close === BUSY.realtime) {
        await client.send(endpoint.question);
        await client.until(endpoint.answer);
        client.done();
      } else expect((await client.closed).code).toBe(close);
      return client.frames;
    };
    const [frames, generated, spoken] = await Promise.all([
      Promise.all(SOCKET_ENDPOINTS.map(speak)),
      // Audio that has begun can only break off, which a client may see before it has seen the status.
      post('/kugel/v1/tts/generate', { text: TEXT, voice_id: 1071 }).catch(() => 'broken off'),
      post('/murmr/v1/audio/speech', { text: TEXT, voice: 'voice_7c1e09d4ab35' }),
    ]);
    if (script === cutOff) expect(generated).toBe('broken off');
    else expect(generated).toMatchObject({ status: error.code });
    expect(spoken.status).toBe(status);
    expect(JSON.stringify([logged, frames, generated, spoken])).not.toMatch(/canary/);
    await server.stop();
    await speech.stop();
  },
);

describe('a speech server that works', () => {
  let speech: ScriptedServer;
  let server: RunningServer;
  beforeAll(async () => {
    speech = await startScriptedServer();
    server = await start(speech);
  });
  afterAll(async () => {
    await server.stop();
    await speech.stop();
  });

  /** A client whose text a slow speech server has, and never answers. */
  async function waiting(): Promise<{ client: SocketClient; exchange: SpeechExchange }> {
    const begun = new Promise<SpeechExchange>((resolve) => speech.next((_, exchange) => resolve(exchange)));
    const client = await openClient(server, STREAM);
    await client.send(...STREAM.turn(TEXT));
    return { client, exchange: await begun };
  }

  it('loses its connection at a barge-in, and the next turn is spoken', async () => {
    const { client, exchange } = await waiting();
    await client.send({ cancel: true });
    await client.until('interrupted');
    expect(await exchange.closed).toBe(false);
    await client.send(...STREAM.turn('Fresh.'));
    await client.until(STREAM.end);
    client.done();
  });

  it('loses its connection when the client leaves', async () => {
    const { client, exchange } = await waiting();
    client.done();
    expect(await exchange.closed).toBe(false);
  });

  it('has word times with a lower score, because they are estimated', async () => {
    const client = await openClient(server, STREAM);
    await client.send(...STREAM.turn('Good morning, all.'));
    const { word_timestamps: words } = await client.until('word_timestamps');
    expect(words).toMatchObject(
      ['Good', 'morning', 'all'].map((word) => ({ word, score: 0.5, start_ms: expect.any(Number) })),
    );
    client.done();
  });

  it('is named with its speakers in the lists of voices, and speaks the samples', async () => {
    const listed = async (vendor: string) =>
      (await (await fetch(`${server.http}/${vendor}/v1/voices?limit=100`, { headers: HEADERS })).json())
        .voices;
    const kugel = (await listed('kugel')) as { name: string; description: string }[];
    const descriptionOf = (name: string) => kugel.find((voice) => voice.name === name)?.description;
    expect(descriptionOf('Marta')).toMatch(/ \(openai: \w+\)$/);
    expect(descriptionOf('Dora')).toBe('(openai: dora)');
    for (const { description } of await listed('murmr')) expect(description).toMatch(/ \(openai: \w+\)$/);
    speech.next(refusal(500, 'server_error'));
    expect((await fetch(`${server.http}/kugel/v1/voices/dora/sample.wav`)).status).toBe(500);
    const sample = await fetch(`${server.http}/kugel/v1/voices/dora/sample.wav`);
    expect((await sample.arrayBuffer()).byteLength).toBeGreaterThan(48_000);
    expect(speech.exchanges.at(-1)?.body.voice).toBe('dora');
  });
});
