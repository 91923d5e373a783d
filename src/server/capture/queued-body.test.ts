import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { createFakeClock } from '../fake-clock.test-helper.ts';
import { createLog } from '../log.ts';
import { waitingParts } from './call-body.ts';
import { Capture } from './capture.ts';
import { CapturedCalls } from './captured-calls.ts';
import { QueuedBody } from './queued-body.ts';

const KIB = 1024;
/** Takes some 0.3 ms to record. */
const LINE = `${'"a":"s",'.repeat(2500)}\n`;

/** Answers a call with so many lines, which are recorded later. */
function answered(lines: number) {
  const clock = createFakeClock();
  const capture = new Capture(clock);
  const calls = new CapturedCalls({ capture, clock, log: createLog('silent'), isPublic: () => false });
  const request = Object.assign(new IncomingMessage(new Socket()), {
    method: 'GET',
    headers: { authorization: 'Bearer sk-canary-0123456789' },
  });
  const response = new ServerResponse(request);
  response.assignSocket(new Duplex({ read() {}, write() {} }) as Socket);
  calls.begin(request, response, new URL('http://127.0.0.1/kugel/v1/models'));
  response.setHeader('Content-Type', 'application/x-ndjson').writeHead(200);
  for (let at = 0; at < lines; at += 1) response.write(LINE);
  response.destroy();
  const entries = () => [...capture.connections.values()].flatMap((each) => each.from(0, 1e6));
  return {
    ofKind: (kind: string) => entries().filter((entry) => entry.kind === kind),
    turn: () => new Promise(setImmediate),
  };
}

it('many waiting parts are recorded over several turns of the event loop', async () => {
  const { ofKind, turn } = answered(400);
  await turn();
  expect(ofKind('body').length).toBeLessThan(100);
  await vi.waitFor(() => expect(ofKind('ended')).toHaveLength(1), { timeout: 20_000 });
  expect(ofKind('body')).toHaveLength(400);
});

it('a body that waits in too much memory is cut, and its size still counts', async () => {
  const { ofKind } = answered(1000);
  await vi.waitFor(() => expect(ofKind('ended')).toHaveLength(1), { timeout: 20_000 });
  expect(ofKind('body').length).toBeLessThan(400);
  const { received } = JSON.parse(String(ofKind('ended')[0]?.payload));
  expect(received).toMatchObject({ bytes: 1000 * LINE.length, kept: expect.any(Number) });
});

it('the largest waiting body of the address that holds most is cut', () => {
  const waiting = waitingParts();
  const [good, large, small] = ['1', '2', '2'].map((peer) => new QueuedBody(waiting, [peer]));
  const add = (body: QueuedBody | undefined) => body?.add(new Uint8Array(512 * KIB));
  const kept = [add(good), add(small)];
  const first = add(large);
  for (let at = 0; at < 40; at += 1) add(large);
  expect(kept.map((part) => part?.bytes?.length)).toEqual([512 * KIB, 512 * KIB]);
  expect([first?.bytes, first?.length]).toEqual([null, expect.any(Number)]);
  expect(waiting.heldBytes).toBeLessThan(2 * 513 * KIB);
});

it('single bytes that wait are counted with what each takes', () => {
  const waiting = waitingParts();
  const body = new QueuedBody(waiting, ['1']);
  const parts = Array.from({ length: 20_000 }, () => body.add(Uint8Array.of(1)));
  const queued = parts.filter((part) => part !== null);
  expect(queued.length).toBeLessThan(17_000);
  expect(queued.reduce((sum, { length }) => sum + length, 0)).toBe(20_000);
  for (const part of queued) body.take(part);
  expect(waiting.heldBytes).toBe(0);
});
