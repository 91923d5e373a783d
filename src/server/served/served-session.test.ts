import { beforeAll, describe, expect, it } from 'vitest';
import { kugelStream } from '#protocol/kugel/stream.ts';
import {
  type Act,
  act,
  playedTo,
  type Recorded,
  recorded,
  recordingOf,
  served,
} from './served.test-helper.ts';

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

let talk: Recorded[];
beforeAll(async () => {
  talk = await recorded(({ ws }) => act(ws + STREAM, TALK));
});

it('answers the recorded client with equal frames', async () => {
  const live = await recorded(({ ws }) => act(ws + STREAM, TALK));
  expect(live).toHaveLength(1);
  const { result, differences, left } = await served(talk, ({ ws }) => act(ws + STREAM, TALK));
  expect(differences).toEqual([]);
  expect(left).toBe(0);
  const frames = talk[0]?.entries
    .filter(({ direction }) => direction === 'in')
    .map(({ payload }) => JSON.parse(String(payload)));
  expect(result.received).toEqual(frames);
});

describe('a changed client', () => {
  const instead = (place: number, ...acts: Act[]): Act[] =>
    TALK.flatMap((one, at) => (at === place ? acts : [one]));
  const CHANGED: [title: string, acts: Act[], differences: RegExp[]][] = [
    ['another cut of the text', instead(1, { send: { text: 'Good ' } }, { send: { text: 'morning ' } }), []],
    [
      'settings with the text',
      [{ send: { ...VOICE, text: 'Good morning to you all.' } }, ...TALK.slice(3)],
      [],
    ],
    [
      'another text',
      instead(2, { send: { text: 'to nobody.' } }),
      [/^changed: recorded text "Good morning to you all\." .*got text "Good morning to nobody\."/],
    ],
    [
      'another voice',
      instead(0, { send: { ...VOICE, voice_id: 268 } }),
      [/^changed: recorded settings .*1071.*got settings .*268/],
    ],
    ['a further setting', instead(0, { send: { ...VOICE, speed: 1.1 } }), [/^changed: recorded settings/]],
    [
      'an extra message',
      instead(3, { send: { update_settings: { speed: 1.2 } } }, { send: { flush: true } }),
      [/^extra: recorded nothing, got update/],
    ],
  ];
  it.each(CHANGED)('with %s', async (_, acts, expected) => {
    const { differences } = await served(talk, ({ ws }) => act(ws + STREAM, acts));
    expect(differences).toEqual(expected.map((one) => expect.stringMatching(one)));
  });
});

describe('a server that ended the connection', () => {
  const ended = recordingOf(kugelStream, [
    [50, 'in', { error: 'Invalid API key', error_code: 'UNAUTHORIZED', code: 401 }],
    [3000, 'closed', { code: 4001, reason: 'UNAUTHORIZED', asked: false, left: false, retries: false }],
  ]);

  it('read nothing that the client had sent just before', async () => {
    const { clock, send, leave, differences } = playedTo(ended);
    await clock.advance(2500);
    send(VOICE);
    send({ text: 'Good morning.', flush: true });
    await clock.advance(500);
    leave();
    expect(differences).toEqual([]);
  });

  it('would have read what came long before', async () => {
    const { clock, send, differences } = playedTo(ended);
    await clock.advance(1500);
    send(VOICE);
    expect(differences).toEqual([expect.stringMatching(/^extra: recorded nothing, got settings/)]);
  });
});
