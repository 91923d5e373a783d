import { deflateRawSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redaction } from '#trace/secrets/redaction.ts';
import { type LinkedSession, readLink, writeLink } from './link.ts';

const KEY = 'ka_canary/42+x';
const SESSION: LinkedSession = {
  endpoint: 'kugel-stream',
  server: { id: 'local' },
  settings: { voice_id: 1071, language: 'en', chunk_length_schedule: [5, 80] },
  text: 'Grüße! <b>Hello</b> 字',
  source: null,
  cast: [],
};

async function fragmentOf(session: LinkedSession): Promise<string> {
  const result = await writeLink(session, new Redaction(KEY));
  if ('problem' in result) throw new Error(result.problem);
  return result.fragment;
}

const contentOf = (fragment: string): string =>
  inflateRawSync(Buffer.from(fragment.replace('session=1.', ''), 'base64url')).toString();

const linkOf = (content: string): string =>
  `session=1.${deflateRawSync(Buffer.from(content)).toString('base64url')}`;

describe('a link', () => {
  it('restores the session for any text', async () => {
    const server = fc.constantFrom(
      { id: 'local' },
      { id: 'eu' },
      { address: 'wss://tts.example.com:8443/prefix' },
    );
    const source = fc.oneof(
      fc.constant(null),
      fc.record({
        preset: fc.string({ maxLength: 40 }),
        tokensPerSecond: fc.option(fc.integer({ min: 1, max: 1000 }), { nil: null }),
        jitter: fc.option(fc.constantFrom(0, 0.5, 1), { nil: null }),
        seed: fc.nat(999_999),
      }),
    );
    const text = fc.string({ unit: 'binary', maxLength: 400 });
    await fc.assert(
      fc.asyncProperty(text, source, server, async (spoken, how, where) => {
        const session = { ...SESSION, server: where, text: spoken, source: how };
        expect(await readLink(`#${await fragmentOf(session)}`)).toEqual(session);
      }),
    );
  });

  it('carries the cast of a scene', async () => {
    const scene: LinkedSession = {
      ...SESSION,
      endpoint: 'kugel-multi',
      settings: { language: 'en' },
      cast: [
        { name: 'Ada', settings: { voice_id: 1071, speed: 1.1 } },
        { name: 'constructor', settings: { voice_id: 1072 } },
      ],
    };
    expect(await readLink(await fragmentOf(scene))).toEqual(scene);
  });

  it('is short, and safe in any address', async () => {
    const fragment = await fragmentOf({
      ...SESSION,
      text: 'The quick brown fox jumps over the lazy dog. '.repeat(20),
    });
    expect(fragment.length).toBeLessThan(250);
    expect(fragment).toMatch(/^session=1\.[\w-]+$/);
  });

  it('never carries a key, and says what it leaves out', async () => {
    const result = await writeLink(
      {
        ...SESSION,
        settings: { ...SESSION.settings, api_key: KEY, token: KEY, x_experiment: 1 },
        text: `my key is ${KEY} and ${encodeURIComponent(KEY)} and wss://h/?api_key=other_secret`,
      },
      new Redaction(KEY),
    );
    if ('problem' in result) throw new Error(result.problem);
    expect(result.leftOut).toEqual(['api_key', 'token', 'x_experiment']);
    const content = contentOf(result.fragment);
    for (const form of [KEY, encodeURIComponent(KEY), btoa(KEY), 'other_secret'])
      expect(content).not.toContain(form);
    expect(content).toContain('my key is [key] and [key] and wss://h/?api_key=[key]');
  });

  it('names a server without query and user of its address', async () => {
    const server = { address: ` wss://me:${encodeURIComponent(KEY)}@a.example/tts?api_key=${KEY}#x` };
    const result = await writeLink({ ...SESSION, server }, new Redaction());
    expect('fragment' in result && (await readLink(result.fragment))).toMatchObject({
      server: { address: 'wss://a.example/tts' },
    });
  });

  it('says so where the text is too long', async () => {
    const noise = Array.from({ length: 15_000 }, (_, i) =>
      String.fromCharCode(0x4e00 + ((i * 7919) % 20_000)),
    ).join('');
    expect(await writeLink({ ...SESSION, text: noise }, new Redaction())).toMatchObject({
      problem: expect.stringContaining('too long for a link'),
    });
  });
});

describe('a link from anywhere', () => {
  it.each(['', '#', '#help', 'sessions', '#x=session=1.a'])('%j is none of ours', async (fragment) => {
    expect(await readLink(fragment)).toBeNull();
  });

  it.each<[string, string, string]>([
    ['another version', 'session=2.abc', 'it is of another version'],
    ['great length', `session=1.${'A'.repeat(16_000)}`, 'longer than'],
    ['no base64', 'session=1.<script>', 'it is incomplete'],
    ['no content', 'session=1.', 'it is incomplete'],
    ['half of it', linkOf(JSON.stringify({ e: 'kugel-stream' })).slice(0, -6), 'it is incomplete'],
    ['a content made to burst', linkOf(`{"t":"${'a'.repeat(5_000_000)}"}`), 'it is incomplete'],
    ['great depth', linkOf('['.repeat(100_000)), 'it is incomplete'],
    ['another structure', linkOf('{"e":7}'), 'its field e is wrong'],
    ['no structure', linkOf('7'), 'its field (root) is wrong'],
    ['an unknown endpoint', linkOf('{"e":"__proto__","v":"local","s":{},"t":""}'), 'is not known here'],
    [
      'a setting out of range',
      linkOf('{"e":"kugel-stream","v":"local","s":{"speed":9},"t":""}'),
      'speed: expected a number from 0.8 to 1.2, got 9',
    ],
    [
      'an unknown server',
      linkOf('{"e":"murmr","v":"eu","s":{},"t":""}'),
      'its server "eu" is not known here',
    ],
    [
      'a server that is no socket',
      linkOf('{"e":"murmr","v":"https://a.example","s":{},"t":""}'),
      'no plain WebSocket address',
    ],
    [
      'a key in its server',
      linkOf('{"e":"murmr","v":"wss://a.example/?key=x","s":{},"t":""}'),
      'no plain WebSocket address',
    ],
    [
      'a speaker out of range',
      linkOf('{"e":"kugel-multi","v":"local","s":{},"t":"","c":[["Ada",{"speed":9}]]}'),
      'speed: expected a number from 0.8 to 1.2, got 9',
    ],
    [
      'a name that no script can have',
      linkOf('{"e":"kugel-multi","v":"local","s":{},"t":"","c":[["a:b",{}]]}'),
      'A name starts with a letter or digit',
    ],
    [
      'two speakers of one name',
      linkOf('{"e":"kugel-multi","v":"local","s":{},"t":"","c":[["Ada",{}],["ADA",{}]]}'),
      'There is a speaker called ADA already.',
    ],
  ])('with %s is refused in words', async (_, fragment, why) => {
    expect(await readLink(fragment)).toEqual({ problem: expect.stringContaining(why) });
  });

  it('drops settings that the endpoint does not describe', async () => {
    const session = await readLink(
      linkOf(
        '{"e":"kugel-stream","v":"local","s":{"voice_id":1071,"api_key":"x","__proto__":{"y":1},"z":2},"t":"Hi."}',
      ),
    );
    expect(session).toMatchObject({ settings: { voice_id: 1071 }, text: 'Hi.' });
    expect(Object.keys((session as LinkedSession).settings)).toEqual(['voice_id']);
  });

  it('never throws', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.json(), fc.string()), fc.boolean(), async (content, packed) => {
        const read = await readLink(packed ? linkOf(content) : `session=1.${content}`);
        expect(read).not.toBeNull();
      }),
    );
  });
});
