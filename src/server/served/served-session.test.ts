import { describe, expect, it } from 'vitest';
import { kugelStream } from '#protocol/kugel/stream.ts';
import { type Act, act, playedTo, recorded, recordingOf, served } from './served.test-helper.ts';

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
