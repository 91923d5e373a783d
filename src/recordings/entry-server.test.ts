import { describe, expect, it } from 'vitest';
import {
  type EntryPort,
  type EntryReply,
  type ServedRecording,
  servedFrom,
  serveEntries,
} from './entry-server.ts';
import type { ShownEntry } from './store/payload-reader.ts';
import { entryOf, RecordingWorld } from './testing/world.ts';

/** A port to a recording, and what comes over it. */
function portTo(open: () => Promise<ServedRecording>) {
  const replies: EntryReply[] = [];
  const port: EntryPort = { postMessage: (reply) => replies.push(reply), onmessage: null };
  serveEntries(port, open);
  const ask = async (from: number): Promise<EntryReply | undefined> => {
    port.onmessage?.({ data: { type: 'entries', from } } as MessageEvent);
    await new Promise((resolve) => setImmediate(resolve));
    return replies.at(-1);
  };
  return { ask, replies };
}

const shown = (index: number, payload: string): ShownEntry => ({ ...entryOf({ payload }), index });

async function all(ask: (from: number) => Promise<EntryReply | undefined>) {
  const entries: ShownEntry[] = [];
  const sizes: number[] = [];
  for (;;) {
    const reply = await ask(entries.length);
    if (reply?.type !== 'entries') throw new Error(reply?.message);
    entries.push(...reply.entries);
    sizes.push(reply.entries.length);
    if (reply.isLast) return { entries, sizes };
  }
}

describe('entries of a recording that are asked for', () => {
  it('come all, in order, some at a time, and nothing comes unasked', async () => {
    let looked = 0;
    const entry = async (index: number) => {
      looked += 1;
      return shown(index, 'x');
    };
    const { ask, replies } = portTo(async () => ({ length: 3000, entry }));
    const { entries, sizes } = await all(ask);
    expect(entries.map(({ index }) => index)).toEqual(Array.from({ length: 3000 }, (_, i) => i));
    expect(sizes).toEqual([1024, 1024, 952]);
    expect(looked).toBe(3000);
    expect(replies).toHaveLength(3);
  });

  it('are no more than a megabyte at a time, and one at least', async () => {
    const large = 'x'.repeat(700_000);
    const { ask } = portTo(async () => ({ length: 3, entry: async (index) => shown(index, large) }));
    expect((await all(ask)).sizes).toEqual([2, 1]);
  });

  it('are none of a recording that is empty', async () => {
    const { ask } = portTo(async () => ({ length: 0, entry: async (index) => shown(index, '') }));
    expect(await ask(0)).toEqual({ type: 'entries', entries: [], isLast: true });
  });

  it('say why they cannot be read', async () => {
    const { ask } = portTo(() => Promise.reject(new Error('It is gone.')));
    expect(await ask(0)).toEqual({ type: 'failed', message: 'It is gone.' });
  });

  it('are those of what is being recorded, as many as there are then, and of what is stored', async () => {
    const world = new RecordingWorld();
    world.record([entryOf({ payload: 'a' }), entryOf({ payload: 'b' })]);
    await world.settle();
    const id = world.last('recorder').recorder.recording ?? '';
    const live = servedFrom(await world.recordings.open(id));
    world.record([entryOf({ payload: 'c' })]);
    expect(live.length).toBe(2);
    expect(await live.entry(1)).toMatchObject({ index: 1, payload: 'b' });
    await world.advance(1000);
    world.reload();
    const stored = servedFrom(await world.recordings.open(id));
    expect(stored.length).toBe(3);
    expect(await stored.entry(2)).toMatchObject({ index: 2, payload: 'c' });
    await expect(world.recordings.open('none')).rejects.toThrow();
  });
});
