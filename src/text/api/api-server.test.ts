import { afterEach, expect, it } from 'vitest';
import { type ChatServer, startChatServer, tokensReply } from '../testing/chat-server.ts';
import { API_ROLES } from './api-role.ts';
import { beginningOf, listModels } from './api-server.ts';

let server: ChatServer | null = null;
afterEach(() => server?.close());

async function listed(status: number, body: string) {
  server = await startChatServer(tokensReply());
  server.list = (to) => {
    to.writeHead(status, { 'Content-Type': 'application/json' });
    to.end(body);
  };
  return listModels(API_ROLES.liveModel, { base: server.base, key: '' });
}

it('lists the models of a server', async () => {
  expect(await listed(200, '{"object":"list","data":[{"id":"a","object":"model"},{"id":"b"}]}')).toEqual([
    'a',
    'b',
  ]);
});

it.each([
  ['a server without a list', 404, '', 'does not know'],
  ['a server that wants a key', 401, '{"error":"No key"}', 'refused the key'],
  ['another answer', 200, '{"models":[]}', 'no list of models'],
  ['no JSON', 200, '<html>', 'no list of models'],
])('says what is wrong with %s', async (_, status, body, title) => {
  expect(await listed(status, body)).toMatchObject({ title: expect.stringContaining(title) });
});

it('reads the beginning of an answer that does not go on, and leaves it', async () => {
  let isLeft = false;
  const dripping = new ReadableStream<Uint8Array>({
    start: (drips) => drips.enqueue(new TextEncoder().encode('{"data":[')),
    cancel() {
      isLeft = true;
    },
  });
  expect(await beginningOf(new Response(dripping), 100, 20)).toBe('{"data":[');
  expect(isLeft).toBe(true);
});
