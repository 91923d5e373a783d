import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redaction } from '#trace/secrets/redaction.ts';
import {
  contentOf,
  type ItemContent,
  itemProblem,
  numbered,
  type PlaylistContent,
  titleOf,
} from './playlist.ts';
import { playlistFileName, playlistText, readPlaylist, readPlaylistFile } from './playlist-file.ts';
import { SHIPPED } from './shipped.ts';

const KEY = 'ka_canary/42+x';
const none = new Redaction();
const item: ItemContent = {
  title: 'Hello',
  endpoint: 'kugel-stream',
  text: 'Grüße! 字',
  settings: { voice_id: 1071 },
  cast: [],
};
const scene: ItemContent = {
  title: 'Two',
  endpoint: 'kugel-multi',
  text: 'Ada: Hello.\nBen: Good evening.',
  settings: { language: 'en' },
  cast: [
    { name: 'Ada', position: -0.5, settings: { voice_id: 1071 } },
    { name: 'Ben', position: 0.5, settings: { voice_id: 1072 } },
  ],
};
const playlist: PlaylistContent = {
  name: 'Mine',
  auto: true,
  pauseMs: 500,
  loop: false,
  items: [item, scene],
};

const fileOf = (change: object): string =>
  JSON.stringify({ 'voicewire-programme': 1, ...playlist, ...change }, null, 2);

describe('the file of a playlist', () => {
  it('holds any playlist', () => {
    const text = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 200 })
      .filter((one) => one.trim() !== '');
    const content = fc.record({
      name: fc.string({ minLength: 1, maxLength: 80 }),
      auto: fc.boolean(),
      pauseMs: fc.nat(60_000),
      loop: fc.boolean(),
      items: fc.array(
        fc.record({
          title: fc.string({ maxLength: 80 }),
          endpoint: fc.constant<'kugel-stream'>('kugel-stream'),
          text,
          settings: fc.record({ voice_id: fc.nat(9999) }),
          cast: fc.constant<ItemContent['cast']>([]),
        }),
        { maxLength: 6 },
      ),
    });
    fc.assert(
      fc.property(content, (one) => {
        expect(readPlaylist(playlistText(one, none))).toEqual(one);
      }),
    );
  });

  it.each(SHIPPED.map((one) => [one.name, one] as const))(
    '“%s” can be saved, opened and spoken',
    (_, one) => {
      expect(readPlaylist(playlistText(contentOf(one), none))).toEqual(contentOf(one));
      expect(one.items.map(itemProblem)).toEqual(one.items.map(() => null));
      expect(one.items.length).toBeGreaterThan(0);
    },
  );

  it.each([
    ['no JSON', '{ "voicewire-programme": 1, ', /^Line 1, column \d+: expected a field name/],
    ['another kind of file', '{ "log": {} }', /^Line 1, column 1: expected a playlist of Voicewire/],
    ['another version', fileOf({ 'voicewire-programme': 2 }), /voicewire-programme: expected 1, found 2/],
    ['a field of nobody', fileOf({ server: 'wss://evil.example' }), /server/],
    ['a pause beyond the limit', fileOf({ pauseMs: 1e9 }), /pauseMs/],
    ['an unknown endpoint', fileOf({ items: [{ ...item, endpoint: 'nowhere' }] }), /items\[0\]\.endpoint/],
    [
      'an unknown setting',
      fileOf({ items: [{ ...item, settings: { colour: 1 } }] }),
      /items\[0\]\.settings\.colour: expected a setting/,
    ],
    [
      'a setting that is refused',
      fileOf({ items: [{ ...item, settings: { speed: 9 } }] }),
      /items\[0\]\.settings\.speed/,
    ],
    [
      'a key',
      fileOf({ items: [{ ...item, settings: { api_key: KEY } }] }),
      /items\[0\]\.settings\.api_key: expected no key/,
    ],
    ['a cast where none is', fileOf({ items: [{ ...item, cast: scene.cast }] }), /items\[0\]\.cast/],
    [
      'a scene without its speakers',
      fileOf({ items: [{ ...scene, cast: [] }] }),
      /items\[0\]\.text: expected a line of a speaker/,
    ],
    [
      'two speakers of one name',
      fileOf({ items: [{ ...scene, cast: [...scene.cast, { name: 'ada', settings: {} }] }] }),
      /items\[0\]\.cast\[2\]\.name/,
    ],
    ['white space alone', fileOf({ items: [{ ...item, text: '  ' }] }), /items\[0\]\.text: expected words/],
    ['more items than a playlist has', fileOf({ items: Array(61).fill(item) }), /items/],
  ])('%s is refused with its place', (_, text, message) => {
    expect(() => readPlaylist(text)).toThrow(message);
    expect(() => readPlaylist(text)).not.toThrow(KEY);
  });

  it('holds a recording by its id, which only its browser can play', () => {
    const recording = { ...item, text: '', settings: {}, recording: 'r1' };
    expect(readPlaylist(fileOf({ items: [recording] })).items).toEqual([recording]);
    expect(() => readPlaylist(fileOf({ items: [{ ...item, text: '' }] }))).toThrow('expected words');
  });

  it('names the line of a fault', () => {
    const text = fileOf({ items: [item, { ...item, settings: { speed: 9 } }] });
    const line = text.split('\n').findIndex((one) => one.includes('"speed"')) + 1;
    expect(() => readPlaylist(text)).toThrow(`Line ${line},`);
  });

  it('is refused by its size before it is read', async () => {
    await expect(readPlaylistFile(new Blob([' '.repeat(2_000_001)]))).rejects.toThrow('at most 2.0 MB');
  });

  it('holds no key, also where a text contains one', () => {
    const text = playlistText(
      { ...playlist, items: [{ ...item, text: `Say ${KEY} and ?api_key=other1234.`, title: KEY }] },
      new Redaction(KEY),
    );
    expect(text).not.toContain(KEY);
    expect(text).not.toContain('other1234');
    expect(readPlaylist(text).items).toHaveLength(1);
  });

  it.each([
    ['My demo', 'my-demo.voicewire-programme.json'],
    ['../Stand “B”', 'stand-b.voicewire-programme.json'],
    ['…', 'playlist.voicewire-programme.json'],
  ])('%j is saved as %s', (name, file) => {
    expect(playlistFileName(name)).toBe(file);
  });
});

describe('an item', () => {
  it.each([
    ['Hello there.', 'Hello there.'],
    ['  One\n two ', 'One two'],
    [
      'A sentence that goes on and on until nobody would call it a title any more',
      'A sentence that goes on and on until nobody …',
    ],
  ])('%j is called %j', (text, title) => {
    expect(titleOf(text)).toBe(title);
  });

  it('has a number that no other item of the playlist has', () => {
    expect(numbered(4, playlist).items.map(({ id }) => id)).toEqual([1, 2]);
  });
});
