import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { createFakeClock, settle } from '../fake-clock.test-helper.ts';
import { createLog } from '../log.ts';
import type { RestContext } from '../rest.ts';
import { fileBody, UnreadFiles } from './file-body.ts';

it('files wait while too many bytes are unread, and start again one by one', async () => {
  const unread = new UnreadFiles(100);
  const remove = unread.add(new Uint8Array(100));
  const added: number[] = [];
  for (const id of [1, 2, 3]) {
    void unread.room().then(() => {
      unread.add(new Uint8Array(60));
      added.push(id);
    });
  }
  await settle();
  expect(added).toEqual([]);
  remove();
  await settle();
  expect(added).toEqual([1, 2]);
});

it('counts a file until its answer is over, and sends it whole', async () => {
  const unread = new UnreadFiles(1);
  const outgoing = new EventEmitter();
  const c = { env: { outgoing } } as unknown as RestContext;
  const file = Uint8Array.from({ length: 1_000_000 }, (_, index) => index);
  const body = fileBody(c, { clock: createFakeClock(), log: createLog('silent'), unread }, file);
  let hasRoom = false;
  void unread.room().then(() => {
    hasRoom = true;
  });
  const received = new Uint8Array(await new Response(body).arrayBuffer());
  expect(Buffer.compare(received, file)).toBe(0);
  await settle();
  expect(hasRoom).toBe(false);
  outgoing.emit('close');
  await settle();
  expect(hasRoom).toBe(true);
});
