import { afterEach, describe, expect, it } from 'vitest';
import { encodeWav } from '#lib/wav.ts';
import {
  heardReply,
  startTranscriptionServer,
  type TranscriptionServer,
} from '../testing/transcription-server.ts';
import { type TranscriptionTarget, transcribe } from './transcribe.ts';

const KEY = 'sk-canary/42+Qx7';
const WAV = encodeWav(Int16Array.of(1, -2, 3), 24_000);

let server: TranscriptionServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

async function heard(
  reply: TranscriptionServer['reply'],
  change: Partial<TranscriptionTarget> = {},
  { signal = new AbortController().signal, timeoutMs = 10_000 } = {},
) {
  server = await startTranscriptionServer(reply);
  const target = { base: server.base, key: '', model: 'scripted', language: '', ...change };
  return transcribe(target, WAV, signal, timeoutMs);
}

describe('a transcription server that behaves', () => {
  it('gets the sound, the model and the key, each in its place', async () => {
    await heard(heardReply({ text: 'Hello.' }), { key: KEY, language: 'de' });
    const [request] = server?.requests ?? [];
    expect(request?.path).toBe('/v1/audio/transcriptions');
    expect(request?.fields).toEqual([
      ['model', 'scripted'],
      ['language', 'de'],
      ['temperature', '0'],
      ['response_format', 'verbose_json'],
    ]);
    expect(request?.file).toEqual({ name: 'turn.wav', type: 'audio/wav', bytes: new Uint8Array(WAV) });
    expect(request?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(JSON.stringify([request?.path, request?.fields])).not.toContain(KEY);
    expect(request?.headers.referer).toBeUndefined();
  });

  it('gets neither a key nor a language where there is none', async () => {
    await heard(heardReply({ text: 'Hello.' }));
    expect(server?.requests[0]?.headers.authorization).toBeUndefined();
    expect(server?.requests[0]?.fields.map(([name]) => name)).not.toContain('language');
  });

  it.each([
    ['its language', { text: 'Hello, you.', language: 'english' }, 'english'],
    ['a faulty language', { text: 'Hello', language: 7 }, ''],
    ['only text', { text: 'Hello' }, ''],
  ])('answers with %s', async (_, answer, language) => {
    expect(await heard(heardReply(answer))).toEqual({ text: answer.text, language });
  });

  it.each([400, 415, 422])('is asked for plain text after it refused to say more with %i', async (status) => {
    const answer = await heard((to, request) => {
      const isPlain = request.fields.some(([, value]) => value === 'json');
      heardReply(isPlain ? { text: 'Hello' } : { error: 'no verbose_json' }, isPlain ? 200 : status)(
        to,
        request,
      );
    });
    expect(answer).toEqual({ text: 'Hello', language: '' });
    expect(server?.requests).toHaveLength(2);
  });
});

const body =
  (text: string, type = 'application/json'): TranscriptionServer['reply'] =>
  (to) => {
    to.writeHead(200, { 'Content-Type': type });
    to.end(text);
  };

describe('a transcription server that does not', () => {
  it.each<[string, TranscriptionServer['reply'], string, string]>([
    ['refuses the key', heardReply({ error: `Bad key ${KEY}` }, 401), 'refused the key', 'Bad key [key]'],
    ['has no such model', heardReply({ error: { message: 'no model' } }, 404), 'does not know', 'no model'],
    ['refuses the sound', heardReply({ error: 'Too long' }, 400), 'refused the request', 'Too long'],
    ['refuses its size', heardReply({ error: 'Too large' }, 413), 'refused the request', 'Too large'],
    ['fails', heardReply('', 500), 'failed', '500'],
    [
      'redirects',
      (to) => void to.writeHead(307, { Location: 'http://h/' }).end(),
      'redirects',
      'another address',
    ],
    ['sends no JSON', body('{"text":'), 'sent no transcript', 'no JSON'],
    ['sends a page', body('<html>', 'text/html'), 'sent no transcript', 'no JSON'],
    ['sends another shape', heardReply({ text: 7 }), 'sent no transcript', 'no JSON'],
    ['sends a text without an end', heardReply({ text: 'x'.repeat(60_000) }), 'sent no transcript', '50,000'],
    ['sends 10 MB', heardReply({ text: 'x', more: 'x'.repeat(10_000_000) }), 'sent no transcript', 'no JSON'],
    ['breaks off', (to) => void to.write('{"te', () => to.destroy()), 'sent no transcript', 'no JSON'],
  ])('%s', async (_, reply, title, detail) => {
    const fault = await heard(reply, { key: KEY });
    expect(fault).toMatchObject({
      title: expect.stringContaining(title),
      detail: expect.stringContaining(detail),
    });
    expect(JSON.stringify(fault)).not.toContain(KEY);
  });

  it.each<[string, TranscriptionServer['reply']]>([
    ['never answers', () => {}],
    ['stalls in its answer', (to) => void to.write('{"text":"')],
  ])('%s, which costs its time and no more', async (_, reply) => {
    expect(await heard(reply, {}, { timeoutMs: 200 })).toMatchObject({
      title: 'The transcription server did not answer',
      detail: 'It took more than 0.2 s.',
    });
    await expect.poll(() => server?.open).toBe(0);
  });

  it('is left at once by an abort', async () => {
    const abort = new AbortController();
    const answer = heard(() => abort.abort(), {}, { signal: abort.signal });
    expect(await answer).toHaveProperty('title');
    await expect.poll(() => server?.open).toBe(0);
  });

  it('keeps markup in words as text', async () => {
    const text = '<img src=x onerror=alert(1)> Hello';
    expect(await heard(heardReply({ text }))).toMatchObject({ text });
  });
});
