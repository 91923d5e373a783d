import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Alignment, finalFrame } from '#protocol/elevenlabs/wire/server-frames.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.test-helper.ts';
import type { RunningServer } from '../running-server.ts';
import { type Frame, SocketClient } from '../socket-client.test-helper.ts';
import { startTestServer } from '../test-server.test-helper.ts';
import { bytesOf, charsOf } from './session-world.test-helper.ts';

/** The messages of published clients, one by one, with real speech. */

let server: RunningServer;
let clock: FakeClock;

beforeAll(async () => {
  clock = createFakeClock();
  server = await startTestServer({ clock });
});
afterAll(() => server.stop());

const KEY = { headers: { 'xi-api-key': 'local' } };

const open = (voice: string, path: string, options: { headers?: Record<string, string> } = KEY) =>
  new SocketClient(`${server.ws}/elevenlabs/v1/text-to-speech/${voice}/${path}`, options);

/** Speech of one context: its text, and its audio, which the durations of the characters cover. */
function expectSpeech(frames: readonly Frame[], text: string, bytesOfMs: number): void {
  const speech = frames.filter(({ audio }) => audio);
  const aligned = speech.filter(({ alignment }) => alignment);
  expect(aligned.map(charsOf).join('').trim().replace(/\s+/g, ' ')).toBe(text);
  expect(aligned.length).toBeGreaterThan(0);
  let charactersMs = 0;
  for (const frame of aligned) {
    for (const alignment of [frame.alignment, frame.normalizedAlignment] as Alignment[]) {
      const { chars, charStartTimesMs: starts, charDurationsMs: durations } = alignment;
      expect([starts.length, durations.length, starts[0]]).toEqual([chars.length, chars.length, 0]);
      for (const [at, start] of starts.entries()) {
        expect(start + (durations[at] ?? 0)).toBeGreaterThanOrEqual(start);
      }
    }
    charactersMs += (frame.alignment as Alignment).charDurationsMs.reduce((sum, each) => sum + each, 0);
  }
  const audio = Buffer.concat(speech.map(bytesOf));
  // Each segment is rounded to a ms.
  expect(Math.abs(audio.length / bytesOfMs - charactersMs)).toBeLessThanOrEqual(aligned.length);
  // Silence and tones take few values.
  expect(new Set(audio).size).toBeGreaterThan(60);
}

/** The server has read all that the client has sent: a pong follows it. */
const settled = (client: SocketClient): Promise<void> =>
  new Promise((resolve) => {
    client.socket.once('pong', resolve);
    client.socket.ping();
  });

const of = (client: SocketClient, id: string) => client.frames.filter(({ contextId }) => contextId === id);

it('LiveKit for Node: each sentence is flushed, turns have contexts of their own, and one is interrupted', async () => {
  const query =
    'model_id=eleven_turbo_v2_5&output_format=pcm_22050&enable_ssml_parsing=false&enable_logging=true&inactivity_timeout=180&apply_text_normalization=auto&sync_alignment=true&auto_mode=true';
  const client = open('bIHbv24MWmeRgasZH58o', `multi-stream-input?${query}`);
  const begin = (id: string, text: string) => [
    { text: ' ', voice_settings: {}, context_id: id },
    { text, context_id: id, flush: true },
  ];
  const end = (id: string) => [
    { text: '', context_id: id, flush: true },
    { context_id: id, close_context: true },
  ];
  await client.send(
    ...begin('a', 'Good morning. '),
    { text: 'It is 12.50 now. ', context_id: 'a', flush: true },
    ...end('a'),
  );
  await client.until('final');
  expectSpeech(of(client, 'a'), 'Good morning. It is 12.50 now.', 44.1);
  // Each message has characters.
  expect(of(client, 'a').every(({ alignment, isFinal }) => alignment || isFinal)).toBe(true);
  await client.send(...begin('b', 'This is interrupted. '), { context_id: 'b', close_context: true });
  await client.send(...begin('c', 'And this is not. '), ...end('c'));
  await client.until('final', 3);
  expect(of(client, 'b').at(-1)).toMatchObject({ isFinal: true });
  expectSpeech(of(client, 'c'), 'And this is not.', 44.1);
  client.done();
});

it('LiveKit for Node: a turn without text has its final, once, and a closed context takes a further flush', async () => {
  const client = open('bIHbv24MWmeRgasZH58o', 'multi-stream-input?output_format=pcm_22050&auto_mode=true');
  await client.send(
    { text: ' ', voice_settings: {}, context_id: 'a' },
    { text: '', context_id: 'a', flush: true },
    { context_id: 'a', close_context: true },
    { text: ' ', voice_settings: {}, context_id: 'b' },
    { text: 'This is interrupted. ', context_id: 'b', flush: true },
    { context_id: 'b', close_context: true },
    { text: '', context_id: 'b', flush: true },
  );
  await client.until('final', 2);
  expect(of(client, 'a')).toEqual([{ ...finalFrame('a') }]);
  expect(of(client, 'b').filter(({ isFinal }) => isFinal)).toHaveLength(1);
  client.done();
});

it('LiveKit for Python: words by a schedule, MP3, and settings', async () => {
  const client = open('hpp4J3VqNfWAUOO0d1Us', 'multi-stream-input?output_format=mp3_22050_32');
  const settings = { stability: 0.5, similarity_boost: 0.75 };
  await client.send(
    {
      text: ' ',
      voice_settings: settings,
      context_id: 'a',
      generation_config: { chunk_length_schedule: [80, 120] },
    },
    ...'Words of a model come one by one.'.split(' ').map((word) => ({ text: `${word} `, context_id: 'a' })),
    { text: '', context_id: 'a', flush: true },
    { context_id: 'a', close_context: true },
  );
  await client.until('final');
  expect(Buffer.concat(of(client, 'a').map(bytesOf)).readUInt16BE() & 0xffe0).toBe(0xffe0);
  client.done();
});

it('Pipecat: no flush before the end of a turn, a keep-alive, and the server closes', async () => {
  const client = open(
    'JBFqnCBsd6RMkjVDRZzb',
    'multi-stream-input?model_id=eleven_flash_v2_5&output_format=pcm_24000&auto_mode=true',
  );
  await client.send(
    { text: '' },
    { text: ' ', context_id: 'a', voice_settings: { stability: 0.4 } },
    { text: 'One sentence. ', context_id: 'a' },
    { text: '', context_id: 'a' },
    { text: 'Another one.', context_id: 'a' },
    { context_id: 'a', flush: true },
    { context_id: 'a', close_context: true },
  );
  await client.until('final');
  expectSpeech(of(client, 'a'), 'One sentence. Another one.', 48);
  await client.send({ close_socket: true });
  expect(await client.closed).toEqual({ code: 1000, reason: '' });
});

it('the samples of the documentation: contexts without an opening, interrupted and closed with the socket', async () => {
  const client = open(
    'Xb7hH8MSUJpSbSDYk0k2',
    'multi-stream-input?model_id=eleven_flash_v2_5&output_format=pcm_16000',
  );
  await client.send(
    { text: 'The first answer is long. ', context_id: 'first', voice_settings: { stability: 0.5 } },
    { context_id: 'first', flush: true },
    { context_id: 'first', close_context: true },
    { text: 'The second one. ', context_id: 'second' },
    { context_id: 'second', flush: true },
    { text: '', context_id: 'second' },
    { close_socket: true },
  );
  expect(await client.closed).toEqual({ code: 1000, reason: '' });
  expectSpeech(of(client, 'first'), 'The first answer is long.', 32);
  expectSpeech(of(client, 'second'), 'The second one.', 32);
});

it('speechswitch: equal lengths, one context, and a heartbeat every 10 s', async () => {
  const client = open(
    'Xb7hH8MSUJpSbSDYk0k2',
    'multi-stream-input?output_format=pcm_16000&inactivity_timeout=20',
  );
  await client.send({ text: 'It is still here. ', context_id: 'a', flush: true });
  await client.count(2);
  for (let beat = 0; beat < 3; beat += 1) {
    await clock.advance(10_000);
    await client.send({ text: '', context_id: 'a' });
    await settled(client);
  }
  await client.send({ context_id: 'a', close_context: true });
  await client.until('final');
  expectSpeech(client.frames, 'It is still here.', 32);
  expect(new Set(client.frames.map(({ contextId }) => contextId))).toEqual(new Set(['a']));
  client.done();
});

describe('single', () => {
  const closed = async (client: SocketClient) => {
    await client.until('final');
    await clock.advance(750);
    return client.closed;
  };
  const DONE = { code: 1000, reason: '' };

  it('elevenlabs-python: words that try to trigger, MP3, and the close is the end', async () => {
    const client = open('EXAVITQu4vr4xnSDxMaL', 'stream-input?model_id=Ellipsis&output_format=mp3_44100_128');
    await client.send(
      {
        text: ' ',
        try_trigger_generation: true,
        voice_settings: null,
        generation_config: { chunk_length_schedule: [50] },
      },
      ...'Words come one by one, and MP3 goes back.'
        .split(' ')
        .map((word) => ({ text: `${word} `, try_trigger_generation: true })),
      { text: '' },
    );
    expect(await closed(client)).toEqual(DONE);
    const audio = Buffer.concat(client.frames.map(bytesOf));
    expect(audio.readUInt16BE() & 0xffe0).toBe(0xffe0);
    expect(
      client.frames
        .filter(({ alignment }) => alignment)
        .map(charsOf)
        .join('')
        .trim(),
    ).toBe('Words come one by one, and MP3 goes back.');
  });

  it('the samples of the documentation: the key is in the first message', async () => {
    const client = open(
      'Xb7hH8MSUJpSbSDYk0k2',
      'stream-input?model_id=eleven_flash_v2_5&output_format=pcm_16000',
      {},
    );
    await client.send(
      {
        text: ' ',
        voice_settings: { stability: 0.5, similarity_boost: 0.8, use_speaker_boost: false },
        generation_config: { chunk_length_schedule: [120, 160, 250, 290] },
        xi_api_key: 'local',
      },
      { text: 'The text is here.' },
      { text: '' },
    );
    expect(await closed(client)).toEqual(DONE);
    expectSpeech(client.frames, 'The text is here.', 32);
  });

  it('micdrop: several turns on one socket, each ended by a flush', async () => {
    const client = open(
      '21m00Tcm4TlvDq8ikWAM',
      'stream-input?output_format=pcm_16000&inactivity_timeout=180',
    );
    await client.send({ text: ' ' });
    for (const text of ['First turn.', 'Second turn.']) {
      // Its keep-alive comes shortly before the time-out.
      await clock.advance(179_000);
      await client.send({ text: ' ' });
      client.received.length = 0;
      await client.send({ text, try_trigger_generation: true }, { text: ' ', flush: true });
      // A segment and its tail.
      await client.count(2);
      expectSpeech(client.frames, text, 32);
    }
    client.done();
  });

  it('a page in a browser: a token in the address, which its own server has asked for', async () => {
    const answer = await fetch(`${server.http}/elevenlabs/v1/single-use-token/tts_websocket`, {
      method: 'POST',
      ...KEY,
    });
    const { token } = (await answer.json()) as { token: string };
    const address = `stream-input?output_format=pcm_16000&single_use_token=${token}`;
    const client = open('Xb7hH8MSUJpSbSDYk0k2', address, {});
    await client.send({ text: ' ' }, { text: 'A token is enough.' }, { text: '' });
    expect(await closed(client)).toEqual(DONE);
    expectSpeech(client.frames, 'A token is enough.', 32);
    const again = open('Xb7hH8MSUJpSbSDYk0k2', address, {});
    await again.send({ text: ' ' });
    await again.count(1);
    expect(again.frames[0]).toMatchObject({ error: expect.any(String), code: 1008 });
    again.done();
  });

  it('a page in a browser: the key in the first message, in the other spelling', async () => {
    const client = open('Xb7hH8MSUJpSbSDYk0k2', 'stream-input?output_format=pcm_16000', {});
    await client.send({ text: ' ', 'xi-api-key': 'local' }, { text: 'A key in a message.' }, { text: '' });
    expect(await closed(client)).toEqual(DONE);
    expectSpeech(client.frames, 'A key in a message.', 32);
  });
});
