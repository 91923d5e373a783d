import { describe, expect, it } from 'vitest';
import { VOICES } from '../../speech/voices/voices.ts';
import { setUpAccountServer } from './account-server.test-helper.ts';

/** The rules of voices alone; `account-routes.test.ts` has those that dictionaries share. */

const server = setUpAccountServer();
const call = (method: string, path: string, body?: unknown) => server.call(method, `/voices${path}`, body);
const read = (query: string) => server.read(`/voices${query}`);
const created = async (fields: object = { name: 'Nora' }) => (await call('POST', '', fields)).body;
const refusal = (error: unknown, code = 400, error_code = 'VALIDATION_ERROR') => ({
  status: code,
  body: { error, error_code, code },
});

const OWN = { name: 'My Voice', category: 'narrative', supported_languages: ['de', 'en'] };

describe('5 the voices of the catalogue', () => {
  it('come in pages of 20, and all of them over several', async () => {
    const first = await read('');
    expect(first).toMatchObject({ total: VOICES.length, limit: 20, offset: 0 });
    expect(first.voices).toHaveLength(20);
    const ids: number[] = [];
    for (let offset = 0; offset < VOICES.length; offset += 7) {
      ids.push(...(await read(`?limit=7&offset=${offset}`)).voices.map(({ id }: { id: number }) => id));
    }
    expect(ids).toEqual(VOICES.map(({ id }) => id));
    expect((await read(`?offset=${VOICES.length}`)).voices).toEqual([]);
  });

  it('go out compressed to a client that accepts it, and are the same', async () => {
    const answer = async (encoding: string) => {
      const response = await server.fetch('/v1/voices?limit=100', {
        headers: { 'Accept-Encoding': encoding },
      });
      return { encoding: response.headers.get('content-encoding'), body: await response.json() };
    };
    const plain = await answer('identity');
    const packed = await answer('gzip, br');
    expect([plain.encoding, packed.encoding]).toEqual([null, 'gzip']);
    expect(packed.body).toEqual(plain.body);
  });

  const marta = {
    id: 1071,
    voice_id: 1071,
    handle: 'marta',
    public_id: 'marta',
    name: 'Marta',
    description: expect.any(String),
    category: 'premade',
    sex: 'female',
    age: 'middle_aged',
    quality: 'mid',
    supported_languages: ['en', 'de', 'fr'],
    sample_url: expect.stringMatching(/^http:\/\/.+\/kugel\/v1\/voices\/1071\/sample\.wav$/),
    avatar_url: null,
  };
  it('have every field of a list, and more in detail, by number or handle', async () => {
    expect((await read('')).voices[0]).toEqual(marta);
    const more = {
      is_public: true,
      verified: true,
      pending_verification: false,
      sample_text: expect.any(String),
    };
    for (const one of ['/1071', '/marta']) {
      expect(await read(one)).toEqual({ ...marta, ...more, generative_voice_description: '' });
    }
  });

  it.each(['nobody', '0', '%', '%2f'])('404 in the envelope for %s', async (one) => {
    expect(await call('GET', `/${one}`)).toEqual(refusal('Voice not found', 404, 'NOT_FOUND'));
  });

  it.each([
    ['PATCH', '/1071', { name: 'Mine' }],
    ['DELETE', '/marta', undefined],
    ['POST', '/1072/publish', undefined],
  ])('%s %s: 403', async (method, path, body) => {
    expect(await call(method, path, body)).toEqual(refusal('Forbidden', 403, 'UNAUTHORIZED'));
  });
});

it.each([
  ['language=de-DE', /^language: expected one of .+, got "de-DE"$/],
  ['category=mine', /^category: expected one of "premade", .+, got "mine"$/],
  ['include_public=maybe', /^include_public: expected true or false, got "maybe"$/],
])('a list by ?%s is refused', async (query, why) => {
  expect(await call('GET', `?${query}`)).toEqual(refusal(expect.stringMatching(why)));
});

it('5 voices are filtered by language, category and ownership, and the total counts what fits', async () => {
  await created(OWN);
  await created();
  const found = async (query: string) => {
    const { voices, total } = await read(`?limit=100&${query}`);
    expect(total).toBe(voices.length);
    return voices.map(({ name }: { name: string }) => name);
  };
  const names = VOICES.map(({ name }) => name);
  expect(await found('sdk=js')).toEqual([...names, 'My Voice', 'Nora']);
  expect(await found('include_public=false')).toEqual(['My Voice', 'Nora']);
  expect(await found('category=premade')).toEqual(names);
  expect(await found('category=cloned')).toEqual([]);
  expect(await found('category=narrative')).toEqual(['My Voice']);
  const german = VOICES.filter(({ languages }) => languages.includes('de')).map(({ name }) => name);
  expect(await found('language=de')).toEqual([...german, 'My Voice']);
});

describe('5 created voices', () => {
  it('come in a form with a JSON part, whose is_public changes nothing', async () => {
    const metadata = JSON.stringify({ ...OWN, is_public: true });
    for (const part of [new Blob([metadata], { type: 'application/json' }), metadata]) {
      const form = new FormData();
      form.append('metadata', part as string);
      expect(await call('POST', '', form)).toMatchObject({ status: 201, body: { ...OWN, is_public: false } });
    }
  });

  it('with reference audio answer 501, because no local engine clones', async () => {
    const form = new FormData();
    form.append('metadata', JSON.stringify(OWN));
    form.append('files', new Blob(['RIFF']), 'me.wav');
    const why = 'Reference audio is not offered by the local server';
    expect(await call('POST', '', form)).toEqual(refusal(why, 501));
    expect((await read('?include_public=false')).total).toBe(0);
  });

  it('a form that breaks off, or without metadata, is refused', async () => {
    const response = await server.fetch('/v1/voices', {
      method: 'POST',
      headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
      body: '--x\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n{"name"',
    });
    const why = 'Invalid request: expected a body of multipart/form-data';
    expect([response.status, (await response.json()).error]).toEqual([400, why]);
    const form = new FormData();
    form.append('name', 'Nora');
    const missing = 'Invalid request: metadata: expected a part of JSON, got nothing';
    expect(await call('POST', '', form)).toEqual(refusal(missing));
  });

  it('are refused with a language that nobody speaks', async () => {
    const why = /^Invalid request: supported_languages\.1: expected one of "de", /;
    const fields = { name: 'a', supported_languages: ['en', 'xx'] };
    expect(await call('POST', '', fields)).toEqual(refusal(expect.stringMatching(why)));
  });

  it('are refused as premade voices', async () => {
    const why = /^Invalid request: category: expected one of .+, got "premade"$/;
    const { status, body } = await call('POST', '', { ...OWN, category: 'premade' });
    expect([status, body.error]).toEqual([400, expect.stringMatching(why)]);
  });

  it('are public once published, and wait for a verification', async () => {
    const before = await created();
    const published = { is_public: true, pending_verification: true, verified: false };
    const { status, body } = await call('POST', `/${before.id}/publish`);
    expect([status, body]).toEqual([200, { ...before, ...published, sample_url: expect.any(String) }]);
  });

  it('have handles that no other voice has and no id could be', async () => {
    const handles = [];
    for (const name of ['Márta  Śliwa!', 'marta', 'Nora', 'Nora', '1071', '声']) {
      const { id, handle } = await created({ name });
      handles.push(handle.replace(String(id), 'ID'));
    }
    expect(handles).toEqual(['marta-sliwa', 'marta-ID', 'nora', 'nora-ID', 'voice-ID', 'voice-ID']);
  });

  it('speak as their closest voice, by number and by handle', async () => {
    const { id } = await created({ name: 'Nora', sex: 'male', supported_languages: ['de'] });
    const voice = (await server.spoken({ voice_id: 'nora' }))?.voice;
    const hans = VOICES.find(({ handle }) => handle === 'hans')?.espeak;
    expect(voice).toMatchObject({ languages: ['de'], espeak: { variant: hans?.variant } });
    for (const voice_id of [id, String(id)]) {
      expect((await server.spoken({ voice_id }))?.voice).toEqual(voice);
    }
    expect(server.engine.requests).toHaveLength(3);
  });

  it('have a sample that plays and follows their changes', async () => {
    const sample = async (url: string) => {
      const response = await fetch(url);
      const { length } = Buffer.from(await response.arrayBuffer());
      return [response.status, response.headers.get('content-type'), length];
    };
    const wav = [200, 'audio/wav', expect.any(Number)];
    const { id, sample_url: first } = await created({ name: 'Nora', sample_text: 'One.' });
    const one = await sample(first);
    expect(one).toEqual(wav);
    const longer = { sample_text: 'One, two, three, four, five.' };
    const { sample_url: second } = (await call('PATCH', `/${id}`, longer)).body;
    expect(second).not.toBe(first);
    const two = await sample(second);
    expect(two).toEqual(wav);
    expect(Number(two[2])).toBeGreaterThan(Number(one[2]));
    await call('DELETE', `/${id}`);
    expect((await sample(second))[0]).toBe(404);
  });
});
