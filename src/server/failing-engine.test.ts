import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readEnvironment } from './environment.ts';
import { SocketClient } from './kugel/socket-client.test-helper.ts';
import { createLog } from './log.ts';
import { RealtimeClient } from './murmr/realtime-client.test-helper.ts';
import { type RunningServer, startServer } from './running-server.ts';
import {
  answer,
  refusal,
  type Script,
  type ScriptedServer,
  startScriptedServer,
  writeParts,
} from './speech/openai/scripted-server.test-helper.ts';

/** Each endpoint with a speech server that fails: the frames of its vendor (`facts 1.8`, `6.3`), over real sockets. */

const KEY = 'sk-canary-0123456789';
let speech: ScriptedServer;
let server: RunningServer;
const logged: string[] = [];
/** All that clients were sent. */
const sent: unknown[] = [];

beforeAll(async () => {
  speech = await startScriptedServer();
  const variables = {
    PORT: '0',
    VOICEWIRE_ENGINE: 'openai',
    VOICEWIRE_OPENAI_URL: speech.settings().url.href,
    VOICEWIRE_OPENAI_KEY: KEY,
    VOICEWIRE_OPENAI_TIMEOUT: '1',
  };
  const log = createLog('trace', { write: (line) => logged.push(line) });
  server = await startServer(readEnvironment(variables), { log });
});

afterAll(async () => {
  await server.stop();
  await speech.stop();
});

beforeEach(() => {
  logged.length = 0;
  sent.length = 0;
});

afterEach(() => {
  expect(JSON.stringify([logged, sent])).not.toMatch(/canary/);
});

/** Says everything that a server can know, the key included. */
const leaky = JSON.stringify({ error: { message: `Bad key ${KEY}`, code: 'overloaded' } });
const cutOff: Script = async (response) => {
  response.writeHead(200, { 'Content-Type': 'audio/pcm' });
  await writeParts(response, Buffer.alloc(24_000, 7));
  response.destroy();
};
/** Script, and what it is to Kugel and to murmr. */
const FAILURES: [string, Script, [name: string, code: number, close: number], number][] = [
  ['overloaded', answer(503, { 'Retry-After': '600' }, leaky), ['MODEL_UNAVAILABLE', 503, 4500], 4006],
  ['never answering', () => {}, ['MODEL_UNAVAILABLE', 503, 4500], 4006],
  ['refusing the key', answer(401, {}, leaky), ['INTERNAL_ERROR', 500, 4000], 4005],
  [
    'answering HTML',
    answer(200, { 'Content-Type': 'text/html' }, `<p>${KEY}`),
    ['INTERNAL_ERROR', 500, 4000],
    4005,
  ],
  ['cutting audio off', cutOff, ['INTERNAL_ERROR', 500, 4000], 4005],
];

describe.each(FAILURES)(
  'a speech server that is %s',
  (name, script, [kugelName, kugelCode, kugelClose], murmrCode) => {
    // What is quiet for long is quiet for all; each kind of failure has a server of its own.
    let failing: ScriptedServer;
    let at: RunningServer;
    beforeAll(async () => {
      failing = await startScriptedServer();
      failing.always(script);
      const variables = {
        PORT: '0',
        VOICEWIRE_ENGINE: 'openai',
        VOICEWIRE_OPENAI_URL: failing.settings().url.href,
        VOICEWIRE_OPENAI_KEY: KEY,
        VOICEWIRE_OPENAI_TIMEOUT: '1',
      };
      const log = createLog('trace', { write: (line) => logged.push(line) });
      at = await startServer(readEnvironment(variables), { log });
    });
    afterAll(async () => {
      await at.stop();
      await failing.stop();
    });
    const audio = name === 'cutting audio off' ? ['audio'] : [];

    it('/ws/tts/stream: error, then its close', async () => {
      const client = new SocketClient(`${at.ws}/kugel/ws/tts/stream?api_key=local`);
      await client.send({ voice_id: 1071, text: 'Hello there.', flush: true });
      expect(await client.closed).toMatchObject({ code: kugelClose });
      expect(client.kinds()).toEqual(['generation_started', ...audio, 'error']);
      expect(client.of('error')).toMatchObject([{ error_code: kugelName, code: kugelCode }]);
      sent.push(client.frames);
    });

    it('/ws/tts/multi: error of the context, socket open', async () => {
      const client = new SocketClient(`${at.ws}/kugel/ws/tts/multi?api_key=local`);
      await client.send(
        { text: ' ', context_id: 'a', voice_settings: { voice_id: 1071 } },
        { text: 'Hello there.', context_id: 'a', flush: true },
      );
      expect(await client.until('error')).toMatchObject({
        error_code: kugelName,
        code: kugelCode,
        context_id: 'a',
      });
      await client.send({ close_context: true, context_id: 'a' });
      await client.until('context_closed');
      expect(client.of('final')).toHaveLength(1);
      sent.push(client.frames);
      client.done();
    });

    it('/v1/realtime: error, then its close where it has one', async () => {
      const client = await new RealtimeClient(at).send(
        { type: 'config', api_key: 'local', voice_description: 'A warm voice', language: 'English' },
        { type: 'text', text: 'Hello there.' },
        { type: 'flush' },
      );
      await client.until('error');
      expect(client.of('error')).toMatchObject([{ code: murmrCode }]);
      if (murmrCode === 4006) {
        await client.send({ type: 'ping' });
        await client.until('pong');
        client.done();
      } else {
        expect((await client.closed).code).toBe(murmrCode);
      }
      sent.push(client.received.filter((frame) => !Buffer.isBuffer(frame)));
    });

    it('POST /v1/tts/generate and /v1/audio/speech: its status', async () => {
      const post = (path: string, body: object) =>
        fetch(`${at.http}${path}`, {
          method: 'POST',
          headers: { Authorization: 'Bearer local', 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        });
      const answer = post('/kugel/v1/tts/generate', { text: 'Hello there.', voice_id: 1071 });
      // Audio that has begun can only break off, which a client may see before it has seen the status.
      if (audio.length > 0) await expect(answer.then((kugel) => kugel.arrayBuffer())).rejects.toThrow();
      else {
        const kugel = await answer;
        expect(kugel.status).toBe(kugelCode);
        sent.push(await kugel.text());
      }
      const murmr = await post('/murmr/v1/audio/speech', {
        text: 'Hello there.',
        voice: 'voice_7c1e09d4ab35',
      });
      expect(murmr.status).toBe(murmrCode === 4006 ? 503 : 502);
      sent.push(await murmr.text());
    });
  },
);

describe('a speech server that is slow', () => {
  it('a barge-in closes its connection at once, and the next turn is spoken', async () => {
    speech.next(() => {});
    const client = new SocketClient(`${server.ws}/kugel/ws/tts/stream?api_key=local`);
    await client.send({ voice_id: 1071, text: 'Hello there.', flush: true });
    await expect.poll(() => speech.exchanges.length).toBe(1);
    await client.send({ cancel: true });
    await client.until('interrupted');
    expect(await speech.exchanges[0]?.closed).toBe(false);
    await client.send({ text: 'Fresh.', flush: true });
    await client.until('session_closed');
    client.done();
  });

  it('a client that leaves closes its connection', async () => {
    speech.next(() => {});
    const before = speech.exchanges.length;
    const client = new SocketClient(`${server.ws}/kugel/ws/tts/stream?api_key=local`);
    await client.send({ voice_id: 1071, text: 'Hello there.', flush: true });
    await expect.poll(() => speech.exchanges.length).toBe(before + 1);
    client.done();
    expect(await speech.exchanges[before]?.closed).toBe(false);
  });
});

describe('word times that are estimated', () => {
  it('have a lower score, the confidence of the protocol', async () => {
    const client = new SocketClient(`${server.ws}/kugel/ws/tts/stream?api_key=local`);
    await client.send({ voice_id: 1071, text: 'Good morning, all.', word_timestamps: true, flush: true });
    const { word_timestamps: words } = await client.until('word_timestamps');
    expect(words).toMatchObject(
      ['Good', 'morning', 'all'].map((word) => ({ word, score: 0.5, start_ms: expect.any(Number) })),
    );
    client.done();
  });
});

it('the lists of voices name the speaker, and the samples are its own', async () => {
  const headers = { Authorization: 'Bearer local' };
  const kugel = await (await fetch(`${server.http}/kugel/v1/voices?limit=100`, { headers })).json();
  const named = (voices: { name: string; description: string }[], name: string) =>
    voices.find((voice) => voice.name === name)?.description;
  expect(named(kugel.voices, 'Marta')).toMatch(/ \(openai: \w+\)$/);
  expect(named(kugel.voices, 'Dora')).toBe('(openai: dora)');
  const murmr = await (await fetch(`${server.http}/murmr/v1/voices`, { headers })).json();
  for (const { description } of murmr.voices) expect(description).toMatch(/ \(openai: \w+\)$/);
  speech.next(refusal(500, 'server_error'));
  expect((await fetch(`${server.http}/kugel/v1/voices/dora/sample.wav`)).status).toBe(500);
  const sample = await fetch(`${server.http}/kugel/v1/voices/dora/sample.wav`);
  expect((await sample.arrayBuffer()).byteLength).toBeGreaterThan(48_000);
  expect(speech.exchanges.at(-1)?.body.voice).toBe('dora');
});
