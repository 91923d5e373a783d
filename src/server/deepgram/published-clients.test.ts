import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createFakeClock, type FakeClock } from '../fake-clock.test-helper.ts';
import type { RunningServer } from '../running-server.ts';
import { SocketClient } from '../socket-client.test-helper.ts';
import { createTestEngine, type TestEngine } from '../test-engine.test-helper.ts';
import { startTestServer } from '../test-server.test-helper.ts';
import { CLEAR, CLOSE, FLUSH, INTERRUPT, interruptAt, speak } from './session-world.test-helper.ts';

/** The messages of published clients, one by one. */

let server: RunningServer;
let clock: FakeClock;
let engine: TestEngine;

beforeAll(async () => {
  clock = createFakeClock();
  engine = createTestEngine();
  server = await startTestServer({ clock, engine });
});
afterAll(() => server.stop());

const TOKEN = { headers: { Authorization: 'Token local' } };
const AURA = '/v1/speak?model=aura-2-helena-en&encoding=linear16&sample_rate=24000';
const FLUX = '/v2/speak?model=flux-heather-en&encoding=linear16&sample_rate=24000';

const open = (path: string, options: ConstructorParameters<typeof SocketClient>[1] = TOKEN) =>
  new SocketClient(`${server.ws}/deepgram${path}`, options);

const audioOf = (client: SocketClient): number =>
  client.received.reduce((sum, each) => sum + (Buffer.isBuffer(each) ? each.length : 0), 0);

/** The server has read all that the client has sent: a pong follows it. */
const settled = (client: SocketClient): Promise<void> =>
  new Promise((resolve) => {
    client.socket.once('pong', resolve);
    client.socket.ping();
  });

describe('/v1/speak', () => {
  it('deepgram-client-3 a turn of Pipecat', async () => {
    const client = open(AURA);
    await client.send(speak('Hello there. '), speak('How are you? '), FLUSH);
    await client.until('Flushed');
    await settled(client);
    expect(client.kinds()).toEqual(['Metadata', 'bytes', 'Flushed']);
    expect(client.headers['dg-request-id']).toBe(client.of('Metadata')[0]?.request_id);
    // The space behind the last sentence is not spoken.
    expect(audioOf(client)).toBe('Hello there. How are you?'.length * 480);
    client.done();
  });

  it('deepgram-client-3 a barge-in of Pipecat', async () => {
    const client = open(AURA);
    engine.hold();
    await client.send(speak('A long answer. '), FLUSH, CLEAR);
    await client.until('Cleared');
    engine.release();
    await client.send(speak('Yes? '), FLUSH);
    await client.until('Flushed');
    await settled(client);
    expect(client.kinds()).toEqual(['Metadata', 'Cleared', 'bytes', 'Flushed']);
    expect(audioOf(client)).toBe('Yes?'.length * 480);
    client.done();
  });

  it('deepgram-client-1 two replies of LiveKit on one pooled socket', async () => {
    const client = open(AURA);
    const words = ['Good ', 'morning ', 'to ', 'you. '].map(speak);
    await client.send(...words, FLUSH);
    await client.until('Flushed');
    await clock.advance(20_000);
    await client.send(...words, FLUSH);
    await client.until('Flushed', 2);
    expect(client.kinds()).toEqual(['Metadata', 'bytes', 'Flushed', 'bytes', 'Flushed']);
    expect(client.of('Flushed').map(({ sequence_id }) => sequence_id)).toEqual([0, 1]);
    client.done();
  });

  it('deepgram-client-1 LiveKit cancels: Flush, Close, and it leaves after one message', async () => {
    const client = open(AURA);
    await client.send(...['I ', 'was ', 'about ', 'to ', 'say '].map(speak), FLUSH, CLOSE);
    await client.count(2);
    client.done();
    const next = open(AURA);
    await next.send(speak('Still here.'), FLUSH);
    await next.until('Flushed');
    next.done();
  });

  it('deepgram-client-2 LiveKit for Node ends with an empty flush', async () => {
    const client = open(AURA);
    await client.send(speak('First sentence here. '), speak('Second. '), FLUSH);
    await client.until('Flushed');
    await client.send(FLUSH, CLOSE);
    expect(await client.closed).toEqual({ code: 1000, reason: '' });
    expect(client.kinds()).toEqual(['Metadata', 'bytes', 'Flushed', 'Flushed']);
  });

  it('deepgram-client-5 the SDK for JavaScript closes the socket without Close', async () => {
    const client = open(AURA);
    await client.send(speak('Hello.'), FLUSH);
    await client.until('Flushed');
    client.socket.close(1000);
    expect((await client.closed).code).toBe(1000);
  });

  it('deepgram-client-6 the SDK for Python sends all at once, then reads', async () => {
    const client = open(AURA);
    await client.send(speak('Hello from Python.'), FLUSH, CLOSE);
    expect((await client.closed).code).toBe(1000);
    expect(client.kinds()).toEqual(['Metadata', 'bytes', 'Flushed']);
  });

  it('the key local has no limit of texts and flushes within a minute', async () => {
    const client = open(AURA);
    for (let nth = 1; nth <= 25; nth += 1) {
      await client.send(speak(`${'Hi. '.repeat(40)}`), FLUSH);
      await client.until('Flushed', nth);
    }
    expect(client.of('Warning')).toEqual([]);
    client.done();
  });

  it('deepgram-limit-3 the flush after 20 of a minute has a warning in both spellings, and no Flushed, with a limited key', async () => {
    const client = open(AURA, { headers: { Authorization: 'Token local-limited' } });
    for (let nth = 1; nth <= 20; nth += 1) {
      await client.send(speak('Hi. '), FLUSH);
      await client.until('Flushed', nth);
    }
    await clock.advance(30_000);
    await client.send(speak('Hi. '), FLUSH);
    expect(await client.until('Warning')).toEqual({
      type: 'Warning',
      code: 'EXCESSIVE_FLUSH',
      warn_code: 'EXCESSIVE_FLUSH',
      description: 'Rate limit exceeded for flushes. Please try again later.',
      warn_msg: 'Rate limit exceeded for flushes. Please try again later.',
    });
    await clock.advance(34_000);
    await client.send(FLUSH);
    await client.until('Flushed', 21);
    expect(client.of('Flushed').map(({ sequence_id }) => sequence_id)).toEqual([...Array(21).keys()]);
    client.done();
  });

  it('deepgram-message-6 Reset, the former name of Clear, ends the socket', async () => {
    const client = open(AURA);
    await client.send(speak('Hello'), { type: 'Reset' });
    expect(await client.closed).toEqual({ code: 1008, reason: expect.stringMatching(/^DATA-0000/) });
  });
});

describe('/v2/speak', () => {
  it('deepgram-client-4 a barge-in of Pipecat, which knows no offset', async () => {
    const client = open(FLUX);
    await client.send(...['A ', 'long ', 'answer. '].map(speak));
    await client.until('SpeechStarted');
    await client.count(3);
    engine.hold();
    await client.send(speak('And more'), FLUSH, INTERRUPT, INTERRUPT);
    const interrupted = await client.until('SpeechInterrupted');
    expect(Object.keys(interrupted).sort()).toEqual(['audio_played_ms', 'metadata', 'type']);
    expect(await client.until('Warning')).toMatchObject({ code: 'NO_ACTIVE_SPEECH' });
    engine.release();
    await settled(client);
    expect(client.kinds()).toEqual(['Connected', 'SpeechStarted', 'bytes', 'SpeechInterrupted', 'Warning']);
    client.done();
  });

  it('deepgram-error-3 an interrupt before any audio', async () => {
    const client = open(FLUX);
    engine.hold();
    await client.send(speak('Hello there. '), INTERRUPT);
    expect(await client.until('Warning')).toMatchObject({ code: 'NO_AUDIO_GENERATED' });
    engine.release();
    client.done();
  });

  it('deepgram-cancel-5 the SDK for JavaScript configures, speaks and interrupts by an offset', async () => {
    const client = open(FLUX);
    await client.send({ type: 'Configure', speed: 1.05 });
    expect(await client.until('ConfigureSuccess')).toMatchObject({ applied: { speed: 1.05 } });
    const sentence = `${'word '.repeat(25).trim()}. `;
    await client.send(speak(sentence));
    await client.count(30);
    engine.hold();
    await client.send(speak(sentence), FLUSH, interruptAt(1000), interruptAt(900));
    const { text_spoken, text_remaining } = await client.until('SpeechInterrupted');
    expect([text_spoken, `${text_spoken}${text_remaining}`]).toEqual([
      'word '.repeat(20),
      sentence + sentence,
    ]);
    expect(await client.until('Warning')).toMatchObject({ code: 'NO_ACTIVE_SPEECH' });
    engine.release();
    client.done();
  });

  it('deepgram-turn-10 turns that wait, and Close', async () => {
    const client = open(FLUX);
    await client.send(speak('The first.'), FLUSH, speak('The second.'), FLUSH, CLOSE);
    expect(await client.closed).toEqual({ code: 1000, reason: '' });
    const turn = ['SpeechStarted', 'bytes', 'Flushed', 'bytes', 'SpeechMetadata'];
    expect(client.kinds()).toEqual(['Connected', ...turn, ...turn, 'SessionMetadata']);
    const started = client.of('SpeechStarted').map(({ speech_id }) => speech_id);
    expect(client.of('SpeechMetadata').map(({ speech_id }) => speech_id)).toEqual(started);
  });

  it('deepgram-limit-13 a ping keeps the socket, and nothing else but messages', async () => {
    const client = open(FLUX);
    await client.until('Connected');
    await clock.advance(50_000);
    await settled(client);
    await clock.advance(59_000);
    expect(client.of('Error')).toEqual([]);
    await clock.advance(1000);
    expect((await client.closed).code).toBe(1011);
    expect(client.of('Error')).toMatchObject([{ code: 'NET-0004' }]);
  });
});

describe('the handshake', () => {
  const withProtocols = (path: string, protocols: string[]) =>
    new WebSocket(`${server.ws}/deepgram${path}`, protocols);

  it.each([
    ['token of a browser', ['token', 'local']],
    ['token and the session id of the SDK', ['token', 'local', 'x-deepgram-session-id', 'a1b2']],
  ])('deepgram-key-6 answers the %s with one protocol, and never with the key', async (_, protocols) => {
    const socket = withProtocols(AURA, protocols);
    await once(socket, 'open');
    expect(socket.protocol).toBe('token');
    socket.terminate();
  });

  it('deepgram-key-2 takes a granted token as bearer, in header and subprotocol', async () => {
    const grant = await fetch(`${server.http}/deepgram/v1/auth/grant`, { method: 'POST', ...TOKEN });
    const { access_token } = (await grant.json()) as { access_token: string };
    const socket = withProtocols(FLUX, ['bearer', access_token]);
    await once(socket, 'open');
    expect(socket.protocol).toBe('bearer');
    socket.terminate();
    const client = open(AURA, { headers: { Authorization: `BEARER ${access_token}` } });
    await client.until('Metadata');
    client.done();
  });

  /** Status, header and body of a refused handshake. */
  async function refused(path: string, authorization: string) {
    const socket = new WebSocket(`${server.ws}/deepgram${path}`, {
      headers: { Authorization: authorization },
    });
    socket.on('error', () => {});
    const [, answer] = await once(socket, 'unexpected-response');
    const [body] = await once(answer, 'data');
    answer.destroy();
    const error = JSON.parse(String(body));
    expect(answer.headers['dg-error']).toBe(error.err_msg);
    expect(answer.headers['dg-request-id']).toBe(error.request_id);
    return [answer.statusCode, error.err_code];
  }

  it.each<[number, string, string, string]>([
    [401, 'INVALID_AUTH', AURA, 'Token nobody'],
    [401, 'INVALID_AUTH', AURA, 'Bearer local'],
    [402, 'Payment Required', AURA, 'Token local-no-credits'],
    [429, 'Too Many Requests', FLUX, 'token local-rate-limited'],
    [503, 'Service Unavailable', FLUX, 'Token local-busy'],
    [400, 'Bad Request', '/v1/speak?model=aura-2-nobody-en', 'Token local'],
    [400, 'Bad Request', '/v2/speak?model=aura-2-thalia-en', 'Token local'],
    [400, 'INVALID_QUERY_PARAMETER', '/v1/speak?encoding=mp3', 'Token local'],
    [400, 'INVALID_QUERY_PARAMETER', '/v1/speak?encoding=mulaw&sample_rate=24000', 'Token local'],
    [400, 'INVALID_QUERY_PARAMETER', `${FLUX}&container=none`, 'Token local'],
    [400, 'SPEED_OUT_OF_RANGE', `${FLUX}&speed=0.4`, 'Token local'],
  ])('deepgram-error-9 %i %s for %s', async (status, code, path, authorization) => {
    expect(await refused(path, authorization)).toEqual([status, code]);
  });

  it('deepgram-open-7 v1 takes parameters of REST and unknown ones', async () => {
    const client = open(`${AURA}&container=none&bit_rate=48000&whatever=1`);
    await client.until('Metadata');
    client.done();
  });

  it('deepgram-limit-6 local-limited has 45 sockets of a family, and a place is free when one ends', async () => {
    const key = { headers: { Authorization: 'Token local-limited' } };
    const clients = Array.from({ length: 45 }, () => open(AURA, key));
    for (const client of clients) await client.until('Metadata');
    expect(await refused(AURA, 'Token local-limited')).toEqual([429, 'Too Many Requests']);
    const flux = open(FLUX, key);
    await flux.until('Connected');
    await clients[0]?.send(CLOSE);
    await clients[0]?.closed;
    const next = open(AURA, key);
    await next.until('Metadata');
    for (const client of [...clients, flux, next]) client.done();
  });
});
