import { describe, expect, it } from 'vitest';
import { pageSettings } from '../stores/settings-store.ts';
import { obstacleOf, targetOf } from './target.ts';

const page = (change: object) => ({ ...pageSettings.parse({}), ...change });
const origin = 'http://127.0.0.1:4173';
const none = { keys: {} };
const custom = (base: string) =>
  page({ servers: { 'kugel-stream': 'custom' }, customBases: { 'kugel-stream': base } });

describe('targetOf', () => {
  it('is the local server with its key by default', () => {
    expect(targetOf(page({}), none, origin)).toEqual({
      endpoint: 'kugel-stream',
      base: 'ws://127.0.0.1:4173/kugel',
      key: 'local',
    });
  });

  it('uses a key only for its own server', () => {
    const keys = { keys: { 'kugel-stream/cloud': 'secret' } };
    expect(targetOf(page({ servers: { 'kugel-stream': 'cloud' } }), keys, origin)?.key).toBe('secret');
    expect(targetOf(page({ servers: { 'kugel-stream': 'eu' } }), keys, origin)?.key).toBe('');
    expect(targetOf(custom('wss://tts.example.com'), keys, origin)?.key).toBe('');
  });

  it('is null while the typed address is invalid', () => {
    expect(targetOf(custom('nonsense'), none, origin)).toBeNull();
  });
});

describe('obstacleOf', () => {
  it.each([
    ['nothing', page({}), null],
    ['a missing key', page({ servers: { 'kugel-stream': 'cloud' } }), 'needs a key'],
    ['an address that is none', custom('nonsense'), 'address cannot be used'],
    [
      'a value that the server refuses',
      page({ settings: { 'kugel-stream': { voice_id: 1071, temperature: 9 } } }),
      'temperature',
    ],
  ])('finds %s', (_, choices, words) => {
    const obstacle = obstacleOf(choices, none);
    if (words === null) expect(obstacle).toBeNull();
    else expect(obstacle).toContain(words);
  });
});
