import { expect, test } from 'vitest';
import { runConfigOf, type Side, sideObstacle, sideSchema, voiceOf, withAnotherVoice } from './side.ts';

const side = (change: Partial<Side> = {}): Side => ({
  endpoint: 'kugel-stream',
  server: 'local',
  customBase: '',
  settings: { voice_id: 1071 },
  speaker: {},
  ...change,
});

const noKeys = { keys: {} };
const whole = { kind: 'whole' } as const;

test('runs a side on its own server with the key of that server', () => {
  expect(runConfigOf(side(), noKeys, 'http://127.0.0.1:4173', whole)).toEqual({
    endpoint: 'kugel-stream',
    base: 'ws://127.0.0.1:4173/kugel',
    key: 'local',
    settings: { voice_id: 1071 },
    speaker: {},
    source: whole,
  });
  const custom = side({ server: 'custom', customBase: 'wss://tts.example.com/' });
  const keys = { keys: { 'kugel-stream/custom': 'mine', 'kugel-stream/local': 'other' } };
  expect(runConfigOf(custom, keys, 'http://x', whole)).toMatchObject({
    base: 'wss://tts.example.com',
    key: 'mine',
  });
});

test.each([
  ['all is well', side(), null],
  ['an address that is none', side({ server: 'custom', customBase: 'nonsense' }), /address cannot be used/],
  ['a setting that is refused', side({ settings: { voice_id: 1071, cfg_scale: 'x' } }), /cfg_scale/],
  ['a speaker without a voice', side({ endpoint: 'kugel-multi', settings: {} }), /speaker/],
] as const)('%s', (_, of, obstacle) => {
  const found = sideObstacle(of, noKeys);
  if (obstacle === null) expect(found).toBeNull();
  else expect(found).toMatch(obstacle);
});

const voices = [{ id: '1071' }, { id: '1072' }, { id: '1073' }];

test('sets the next voice of the list, in the speaker where there are contexts', () => {
  expect(voiceOf(withAnotherVoice(side(), voices))).toBe(1072);
  expect(voiceOf(withAnotherVoice(side({ settings: { voice_id: 1073 } }), voices))).toBe(1071);
  const several = side({ endpoint: 'kugel-multi', settings: {}, speaker: { voice_id: 1071 } });
  expect(withAnotherVoice(several, voices)).toMatchObject({ settings: {}, speaker: { voice_id: 1072 } });
});

test('keeps the side where there is no other voice', () => {
  expect(withAnotherVoice(side(), [])).toEqual(side());
  expect(withAnotherVoice(side(), [{ id: '1071' }])).toEqual(side());
});

test('sets the fields of a voice with the voice', () => {
  const brought = withAnotherVoice(side(), [
    { id: '1071' },
    { id: '5', settings: { voice_description: 'warm' } },
  ]);
  expect(brought.settings).toEqual({ voice_id: 5, voice_description: 'warm' });
});

test('accepts a stored side only of an endpoint that exists', () => {
  expect(sideSchema.safeParse(side()).success).toBe(true);
  expect(sideSchema.safeParse({ ...side(), endpoint: 'gone' }).success).toBe(false);
});
