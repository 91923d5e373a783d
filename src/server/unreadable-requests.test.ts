import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { refuseUnreadable } from './unreadable-requests.ts';

let server: Server;
beforeEach(async () => {
  server = createServer((request, response) => {
    // The head is sent, and the body waits for that of the request.
    if (request.url === '/begun') response.write('begun');
    request.on('end', () => response.end('done'));
    request.resume();
  });
  refuseUnreadable(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => server.close());

/** @param next sent behind the first answer */
async function answerTo(bytes: string, next = ''): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.once('data', () => void socket.write(next));
  socket.write(bytes);
  return text(socket);
}

const CHUNKED = 'Host: a\r\nTransfer-Encoding: chunked\r\n\r\n';

it.each([
  ['a long header', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'at most 16384 bytes'],
  ['a long line', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`, 431, 'at most 16384 bytes'],
  [
    'long extensions',
    `POST / HTTP/1.1\r\n${CHUNKED}1;${'x'.repeat(20_000)}\r\na\r\n`,
    413,
    'at most 16384 bytes',
  ],
  ['something else than HTTP', '\x16\x03\x01\x02', 400, 'Expected a request in HTTP/1.1.'],
  ['an odd body', `POST / HTTP/1.1\r\n${CHUNKED}no length\r\n`, 400, 'Expected a request in HTTP/1.1.'],
])('refuses %s with words', async (_, bytes, status, words) => {
  const answer = await answerTo(bytes);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*\\r\\n`));
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(body).toContain(words);
  expect(head).toContain(`Content-Length: ${body.length}`);
});

it('puts nothing into an answer that has begun', async () => {
  const answer = await answerTo(`POST /begun HTTP/1.1\r\n${CHUNKED}no length\r\n`);
  expect(answer.match(/HTTP\/1\.1/g)?.length ?? 0).toBeLessThan(2);
  expect(answer).not.toContain('Expected');
});

it('answers an odd request behind a whole one', async () => {
  const answer = await answerTo('GET / HTTP/1.1\r\nHost: a\r\n\r\n', 'odd\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1\.1 200 .*done.*HTTP\/1\.1 400 /s);
});
