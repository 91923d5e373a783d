import { describe, expect, it } from 'vitest';
import { kugelEndpoints, kugelStream } from '#protocol/kugel/endpoints.ts';
import { murmr } from '#protocol/murmr/endpoints.ts';
import { type Act, act, playedTo, recorded, recordingOf, served } from './served.test-helper.ts';

const { 'kugel-multi': kugelMulti } = kugelEndpoints;

const STREAM = '/kugel/ws/tts/stream?api_key=local';
const VOICE = { voice_id: 1071, language: 'en' };
const HELLO: Act[] = [
  { send: VOICE },
  { send: { text: 'Good morning ' } },
  { send: { text: 'to you all.' } },
  { send: { flush: true } },
  { until: 'session_closed' },
];
const AGAIN: Act[] = [
  { send: { text: 'And good night.', flush: true } },
  { until: 'session_closed', nth: 2 },
];
const TALK: Act[] = [...HELLO, ...AGAIN, 'close'];

it('answers the recorded client with equal frames', async () => {
  const talk = await recorded(({ ws }) => act(ws + STREAM, TALK));
  const { result, differences, left } = await served(talk, ({ ws }) => act(ws + STREAM, TALK));
  expect(differences).toEqual([]);
  expect(left).toBe(0);
  const frames = talk[0]?.entries
    .filter(({ direction }) => direction === 'in')
    .map(({ payload }) => JSON.parse(String(payload)));
  expect(result.received).toEqual(frames);
});

describe('a server that ended the connection', () => {
  const ended = recordingOf(kugelStream, [
    [50, 'in', { error: 'Invalid API key', error_code: 'UNAUTHORIZED', code: 401 }],
    [3000, 'closed', { code: 4001, reason: 'UNAUTHORIZED', asked: false, left: false, retries: false }],
  ]);

  it('is not compared with messages from just before its close', async () => {
    const { clock, send, leave, differences } = playedTo(ended);
    await clock.advance(2500);
    send(VOICE);
    send({ text: 'Good morning.', flush: true });
    await clock.advance(500);
    leave();
    expect(differences).toEqual([]);
  });

  it('is compared with messages from long before its close', async () => {
    const { clock, send, differences } = playedTo(ended);
    await clock.advance(1500);
    send(VOICE);
    expect(differences).toEqual([expect.stringMatching(/^extra: recorded nothing, got settings/)]);
  });
});

describe('a further turn behind the recorded ones begins again on its connection', () => {
  const again = { repeats: true };
  const HI = { text: 'Good morning.', flush: true };
  const kinds = (sent: readonly { frame: object }[]) => sent.map(({ frame }) => Object.values(frame)[0]);

  it('at its first turn, with the recorded wait', async () => {
    const play = playedTo(
      recordingOf(kugelStream, [
        [0, 'out', VOICE],
        [10, 'out', HI],
        [60, 'in', { session_closed: true }],
        [900, 'closed', { code: 1000, reason: '', asked: true }],
      ]),
      again,
    );
    play.send(VOICE);
    for (let turn = 0; turn < 3; turn += 1) {
      play.send(HI);
      await play.clock.advance(10_000);
    }
    play.leave();
    expect(play.sent.map(({ atMs }) => atMs)).toEqual([50, 10_050, 20_050]);
    expect([play.differences, play.moved, play.closes]).toEqual([[], [], []]);
  });

  it('without the answer to settings that are in effect', async () => {
    const play = playedTo(
      recordingOf(murmr, [
        [0, 'out', { type: 'config', voice: 'v' }],
        [10, 'in', { type: 'config_ack' }],
        [20, 'out', { type: 'text', text: 'Hello there.' }],
        [20, 'out', { type: 'flush' }],
        [50, 'in', { type: 'done' }],
      ]),
      { ...again, pace: 'fast' },
    );
    const speak = async (text: string) => {
      play.send({ type: 'text', text });
      play.send({ type: 'flush' });
      await play.clock.advance(10);
    };
    play.send({ type: 'config', voice: 'v' });
    await speak('Hello there.');
    await speak('Hello there.');
    expect(kinds(play.sent)).toEqual(['config_ack', 'done', 'done']);
    expect(play.differences).toEqual([]);
    await speak('Hello you.');
    expect(play.differences).toEqual([expect.stringMatching(/^changed: .*"Hello you\."/)]);
  });

  it('with the ids of new contexts', async () => {
    const play = playedTo(
      recordingOf(kugelMulti, [
        [0, 'out', { text: ' ', context_id: 'a', voice_settings: VOICE }],
        [5, 'in', { context_created: true, context_id: 'a' }],
        [10, 'out', { text: 'One.', context_id: 'a', flush: true }],
        [20, 'in', { final: true, context_id: 'a' }],
      ]),
      { ...again, pace: 'fast' },
    );
    for (const context_id of ['x', 'y']) {
      play.send({ text: ' ', context_id, voice_settings: VOICE });
      await play.clock.advance(10);
      play.send({ text: 'One.', context_id, flush: true });
      await play.clock.advance(10);
    }
    play.leave();
    expect(play.sent.map(({ frame }) => frame.context_id)).toEqual(['x', 'x', 'y', 'y']);
    expect(play.differences).toEqual([]);
  });

  it('unless the recordings are taken once', async () => {
    const play = playedTo(
      recordingOf(kugelStream, [
        [0, 'out', HI],
        [10, 'in', { session_closed: true }],
      ]),
    );
    for (let turn = 0; turn < 2; turn += 1) {
      play.send(HI);
      await play.clock.advance(50);
    }
    await play.clock.advance(5000);
    expect(play.closes).toMatchObject([{ code: 1011 }]);
  });
});
