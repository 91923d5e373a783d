import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { createFakeClock, settle } from '../fake-clock.test-helper.ts';
import { createLog } from '../log.ts';
import type { RestContext } from '../rest.ts';
import { FileMemory, fileBody, slicesOf } from './file-body.ts';

const [one, other] = [['address 1'], ['address 2']];
const keep = () => {};

it('files wait while too many bytes are unread, and start again one by one', async () => {
  const files = new FileMemory(100);
  const { release } = files.hold(one, 100, keep);
  const added: number[] = [];
  for (const id of [1, 2, 3]) {
    void files.room(one).then(() => {
      files.hold(one, 60, keep);
      added.push(id);
    });
  }
  await settle();
  expect(added).toEqual([]);
  release();
  await settle();
  expect(added).toEqual([1, 2]);
});

it('a client that leaves waits no more, and takes no room from those behind it', async () => {
  const files = new FileMemory(100);
  const { release } = files.hold(one, 100, keep);
  const leaving = new AbortController();
  const left = files.room(one, leaving.signal);
  const next = files.room(one);
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  release();
  await next;
});

it('a peer waits for no file of a peer that holds more, whose oldest file gives way', async () => {
  const files = new FileMemory(100);
  const lost: string[] = [];
  for (const name of ['first', 'second', 'third']) files.hold(other, 33, () => lost.push(name));
  await files.room(one);
  const mine = files.hold(one, 0, () => lost.push('mine'));
  expect(lost).toEqual([]);
  mine.resize(30);
  expect(lost).toEqual(['first']);
  // Nothing is taken from a peer that holds less.
  mine.resize(70);
  expect(lost).toEqual(['first']);
});

it('files of one peer outgrow the limit once over, then the oldest gives way', () => {
  const files = new FileMemory(100);
  const lost: string[] = [];
  for (const name of ['first', 'second', 'third', 'fourth']) files.hold(one, 60, () => lost.push(name));
  expect(lost).toEqual(['first']);
});

it('a file that is alone may exceed the limit', () => {
  const files = new FileMemory(100);
  const lost: string[] = [];
  files.hold(one, 200, () => lost.push('mine'));
  expect(lost).toEqual([]);
});

it('counts a file until its answer is over, and sends it whole', async () => {
  const files = new FileMemory(1);
  const outgoing = new EventEmitter();
  const c = { env: { outgoing } } as unknown as RestContext;
  const file = Uint8Array.from({ length: 1_000_000 }, (_, index) => index);
  const watch = { clock: createFakeClock(), log: createLog('silent'), files, peer: one };
  const body = fileBody(c, watch, { parts: slicesOf(file), length: file.length });
  let hasRoom = false;
  void files.room(one).then(() => {
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
