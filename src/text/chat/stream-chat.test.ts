import { createGzip } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { type ApiFault, retryAfterSeconds } from '../api/api-fault.ts';
import {
  type ChatReply,
  type ChatServer,
  chatChunk,
  chatEvent,
  openStream,
  startChatServer,
  tokensReply,
} from '../testing/chat-server.ts';
import type { ChatRequest } from './chat-request.ts';
import { MAX_ANSWER_CHARS, MAX_TOKEN_CHARS } from './fault.ts';
import { streamChat } from './stream-chat.ts';

let server: ChatServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

const messages = [{ role: 'user', content: 'Why?' }] as const;
const thoughts = { tag: '', isFirst: false };

async function asked(
  reply: ChatReply,
  change: Partial<ChatRequest> = {},
): Promise<{ tokens: string[]; fault: ApiFault | null }> {
  server = await startChatServer(reply);
  const request = { base: server.base, model: 'scripted', key: '', messages, thoughts, ...change };
  const stream = streamChat(request, new AbortController().signal);
  const tokens: string[] = [];
  for (;;) {
    const next = await stream.next();
    if (next.done) return { tokens, fault: next.value };
    tokens.push(next.value);
  }
}

/** Sends a body as it is, in one piece or several, and does not end it. */
const kept =
  (...parts: readonly (string | Uint8Array)[]): ChatReply =>
  (to) => {
    openStream(to);
    for (const part of parts) to.write(part);
  };

/** Sends an event and a gzip bomb behind it, which unpacks to twelve times the limit. */
const packedBomb =
  (event: string): ChatReply =>
  (to) => {
    to.writeHead(200, { 'Content-Type': 'text/event-stream', 'Content-Encoding': 'gzip' });
    const packed = createGzip();
    packed.on('error', () => {});
    packed.pipe(to);
    packed.write(event);
    const zeros = Buffer.alloc(2 ** 20, '0');
    for (let at = 0; at < 100; at += 1) packed.write(zeros);
    packed.end();
  };

/** Sends a whole body. */
const raw =
  (...parts: readonly (string | Uint8Array)[]): ChatReply =>
  (to, body) => {
    void kept(...parts)(to, body);
    to.end();
  };

const plain =
  (status: number, type: string, body: string, headers: Record<string, string> = {}): ChatReply =>
  (to) => {
    to.writeHead(status, { 'Content-Type': type, ...headers });
    to.end(body);
  };

const json = (status: number, body: string): ChatReply => plain(status, 'application/json', body);

const error = (message: string): string => JSON.stringify({ error: { message, type: 'x' } });
/** Ends the connection in the middle of an answer. */
const broken: ChatReply = (to) => {
  openStream(to);
  to.write(one, () => to.destroy());
};
const stop = chatEvent(chatChunk(null, 'stop'));
const one = chatEvent(chatChunk('One.'));

describe('a model server that behaves', () => {
  it('is asked with model, messages and key, and answers token by token', async () => {
    const { tokens, fault } = await asked(tokensReply('One ', 'two.'), { key: 'sk-1' });
    expect({ tokens, fault }).toEqual({ tokens: ['One ', 'two.'], fault: null });
    expect(server?.requests).toEqual([
      { authorization: 'Bearer sk-1', body: { model: 'scripted', messages, stream: true } },
    ]);
  });

  it('gets no header for a key where there is none', async () => {
    await asked(tokensReply('One.'));
    expect(server?.requests[0]?.authorization).toBeUndefined();
  });

  const bytes = new TextEncoder().encode(chatEvent(chatChunk('Grüße 😀')) + stop);
  it.each<[string, ChatReply, string]>([
    [
      'ends lines with CR LF and sends comments',
      raw(': ping\r\n\r\n', one.replaceAll('\n', '\r\n'), stop),
      'One.',
    ],
    ['ends without [DONE]', raw(one, stop), 'One.'],
    ['gives its reason and keeps the connection open', kept(one, stop), 'One.'],
    [
      'gives an empty reason with each token',
      raw(chatEvent(chatChunk('One', '')), chatEvent(chatChunk('.', 'stop'))),
      'One.',
    ],
    ['cuts line ends of CR LF', raw(...`${one}${stop}`.replaceAll('\n', '\r\n').split(/(?<=\r)/)), 'One.'],
    ['cuts events anywhere', raw(...Array.from(bytes, (byte) => Uint8Array.of(byte))), 'Grüße 😀'],
    [
      'sends chunks without choices, content or delta',
      raw(
        chatEvent('{"choices":[],"usage":{"total_tokens":1}}'),
        chatEvent('{"choices":[{"delta":{"role":"assistant","content":null}}]}'),
        chatEvent('{"choices":[{"delta":{"reasoning_content":"Hm."}}]}'),
        chatEvent('{"choices":[{"delta":null}]}'),
        one,
        stop,
      ),
      'One.',
    ],
    ...[
      '',
      'null',
      '{}',
      '{"type":"ping"}',
      '{"choices":null}',
      '{"choices":[null]}',
      '{"choices":[{}],"error":null}',
      '{"choices":[{"delta":{"content":[]}}]}',
      '{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"text":"Hm."}]}]}}]}',
      '{"choices":[{"finish_reason":7}]}',
    ].map((data): [string, ChatReply, string] => [
      `sends ${data === '' ? 'nothing' : data}`,
      raw(`data: ${data}\n\n`, one, stop),
      'One.',
    ]),
    [
      'sends a text in parts',
      raw(
        chatEvent('{"choices":[{"delta":{"content":[{"type":"text","text":"One "},"two",{"text":null}]}}]}'),
        chatEvent('{"choices":[{"delta":{"content":{"text":"."}}}]}'),
        stop,
      ),
      'One two.',
    ],
    ['ends with the beginning of a mark', tokensReply('One <'), 'One <'],
    ['thinks aloud', tokensReply('<think>', 'Hm.', '</think>', 'One.'), 'One.'],
  ])('%s', async (_, reply, text) => {
    const { tokens, fault } = await asked(reply);
    expect(fault).toBeNull();
    expect(tokens.join('')).toBe(text);
  });
});

describe('a model server that does not', () => {
  it.each<[string, ChatReply, string, string]>([
    ['refuses the key', json(401, error('Invalid key')), 'refused the key', '401: Invalid key'],
    ['has no such model', json(404, error('no model "x"')), 'does not know this model', 'no model "x"'],
    ['has no such path', plain(404, 'text/html', '<h1>Not found</h1>'), 'or address', 'status 404'],
    ['has too much to do', json(429, '{"error":"Slow down"}'), 'no more requests', 'Slow down'],
    ['refuses the request', plain(422, 'text/plain', 'bad role'), 'refused the request', '422: bad role'],
    ['fails', plain(503, 'text/plain', ''), 'failed', 'status 503'],
    ['answers with a page', plain(200, 'text/html; charset=utf-8', '<html>'), 'no stream', 'text/html'],
    ['answers with one JSON', plain(200, 'application/json', '{}'), 'no stream', 'application/json'],
    ['redirects', plain(307, 'text/plain', '', { Location: 'http://h/' }), 'redirects', 'another address'],
    ['answers nothing', tokensReply(), 'answered nothing', 'without any text'],
  ])('%s', async (_, reply, title, detail) => {
    const { tokens, fault } = await asked(reply);
    expect(tokens).toEqual([]);
    expect(fault?.title).toContain(title);
    expect(fault?.detail).toContain(detail);
    expect(fault?.remedy).not.toBe('');
  });

  it.each<[string, ChatReply, string]>([
    ['breaks off in an answer', broken, 'broke off'],
    ['ends in an answer', raw(one), 'broke off'],
    ['sends no JSON', raw(one, chatEvent('{"choices":')), 'no chat completion'],
    ...['7', '"text"', '[]', '{"choices":{}}', '{"choices":["One."]}', '{"choices":[{"delta":[]}]}'].map(
      (json): [string, ChatReply, string] => [
        `sends ${json}`,
        raw(one, chatEvent(json)),
        'no chat completion',
      ],
    ),
    ...['7', 'true', '{"text":7}', '[[]]', '["One.",7]'].map((content): [string, ChatReply, string] => [
      `sends ${content} in place of text`,
      raw(one, chatEvent(`{"choices":[{"delta":{"content":${content}}}]}`)),
      'no chat completion',
    ]),
    [
      'reports an error without a message',
      raw(one, chatEvent('{"error":{"code":500}}')),
      'reported an error',
    ],
    ['reports an error in the stream', raw(one, chatEvent(error('Out of memory'))), 'reported an error'],
    ['stops at its limit', raw(one, chatEvent(chatChunk('', 'length'))), 'stopped at its limit'],
    [
      'sends a token that is too long',
      raw(one, chatEvent(chatChunk('x'.repeat(MAX_TOKEN_CHARS + 1)))),
      'too long',
    ],
    ['sends a token of 10 MB', raw(one, chatEvent(chatChunk('x'.repeat(10_000_000)))), 'too long'],
    // Each carriage return cost a search to the end of its part.
    ['sends lines of carriage returns without an end', raw(one, 'a\r'.repeat(4_500_000)), 'too long'],
    ['sends comments without an end', raw(one, ': ping\n\n'.repeat(1_200_000)), 'too long'],
    ['packs 100 MB into 100 kB', packedBomb(one), 'too long'],
    ['sends a line without an end', raw(one, `data: ${'x'.repeat(9_000_000)}`), 'too long'],
  ])('%s, which keeps the text before it', async (_, reply, title) => {
    const { tokens, fault } = await asked(reply);
    expect(tokens).toEqual(['One.']);
    expect(fault?.title).toContain(title);
  });

  it('marks only the end of its thoughts', async () => {
    const reply = tokensReply('Hm.', '</think>', 'One.');
    const marked = await asked(reply);
    expect(marked.tokens).toEqual(['Hm.', 'One.']);
    expect(marked.fault?.title).toBe('Thoughts of the model were spoken');
    await server?.close();
    const first = await asked(reply, { thoughts: { tag: '', isFirst: true } });
    expect(first).toEqual({ tokens: ['One.'], fault: null });
  });

  it('says where in a chunk the wrong field is', async () => {
    const { fault } = await asked(raw(chatEvent('{"choices":[{"delta":{"content":7}}]}')));
    expect(fault?.detail).toContain('“choices[0].delta.content”');
  });

  it('says how long to wait', async () => {
    const { fault } = await asked(plain(429, 'text/plain', 'Slow down', { 'Retry-After': '20' }));
    expect(fault?.remedy).toBe('Ask again in 20 s.');
  });

  it('is left when its answer has no end', async () => {
    const { tokens, fault } = await asked((to) => {
      openStream(to);
      const more = (): void => {
        while (!to.destroyed && to.write(chatEvent(chatChunk('x'.repeat(100)))));
      };
      to.on('drain', more);
      more();
    });
    expect(tokens.join('')).toHaveLength(MAX_ANSWER_CHARS);
    expect(fault?.title).toContain('too long');
    await expect.poll(() => server?.aborted).toBe(1);
  });

  it('is not there', async () => {
    const gone = await startChatServer(tokensReply());
    await gone.close();
    const { fault } = await asked(tokensReply(), { base: gone.base });
    expect(fault?.title).toContain('cannot be reached');
    expect(fault?.detail).toContain(gone.base);
  });

  it('never gets a key that no header can carry', async () => {
    const { fault } = await asked(tokensReply('One.'), { key: 'sk-ü' });
    expect(fault?.title).toContain('cannot get its key');
    expect(server?.requests).toEqual([]);
  });

  it('is left at once by an abort', async () => {
    const abort = new AbortController();
    server = await startChatServer((to) => {
      openStream(to);
      to.write(one);
    });
    const stream = streamChat({ base: server.base, model: 'm', key: '', messages, thoughts }, abort.signal);
    await stream.next();
    abort.abort();
    expect((await stream.next()).done).toBe(true);
    await expect.poll(() => server?.aborted).toBe(1);
  });
});

it.each([
  [null, null],
  ['', null],
  ['soon', null],
  ['7', 7],
  [new Date(5000).toUTCString(), 4],
  [new Date(0).toUTCString(), 0],
])('reads the wait of Retry-After: %s', (header, seconds) => {
  expect(retryAfterSeconds(header, 1000)).toBe(seconds);
});
