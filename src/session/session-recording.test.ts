import { describe, expect, it } from 'vitest';
import { endpointOf } from '#protocol/registry.ts';
import type { NewEntry } from '#record/record.ts';
import type { FeedMessage } from '#recordings/messages.ts';
import { audioFrame, completed, ended, finished, samplesOf, started, World } from './testing/world.ts';

/** A world whose session is recorded; what was recorded so far. */
function recorded(world = new World()) {
  const posted: FeedMessage[] = [];
  const port = { postMessage: (message: FeedMessage) => posted.push(structuredClone(message)) };
  // Only what a feed uses is there.
  world.do({ type: 'attachRecordings', port: port as unknown as MessagePort });
  const entries = (): NewEntry[] => {
    world.advance(100);
    return posted.flatMap((message) => (message.type === 'entries' ? [...message.entries] : []));
  };
  return { world, posted, entries };
}

const places = (entries: readonly NewEntry[]) =>
  entries.map(({ direction, kind, turn, context, chunk, audioMs }) => ({
    is: `${direction} ${kind}`,
    ...(turn === null ? {} : { turn }),
    ...(context === null ? {} : { context }),
    ...(chunk === null ? {} : { chunk }),
    ...(audioMs === null ? {} : { audioMs }),
  }));

describe('The recording of a session', () => {
  it('has everything that happens in a turn, each with what it belongs to', () => {
    const { world, entries } = recorded();
    const socket = world.connect();
    world.do({ type: 'speak', text: 'Hello.' });
    for (const frame of [started('Hello.'), audioFrame(samplesOf(40)), completed(), finished, ended()])
      socket.say(frame);
    socket.close(1001, 'going away');
    expect(places(entries())).toEqual([
      { is: 'connection opening' },
      { is: 'connection opened' },
      { is: 'out open' },
      { is: 'player begun', turn: 1 },
      { is: 'out say', turn: 1 },
      { is: 'out flush', turn: 1 },
      { is: 'in chunkStarted', turn: 1, chunk: 0 },
      { is: 'in audio', turn: 1, chunk: 0, audioMs: 40 },
      { is: 'in chunkCompleted', turn: 1, chunk: 0 },
      { is: 'in audioEnded', turn: 1 },
      { is: 'in turnEnded', turn: 1 },
      { is: 'connection failed' },
      { is: 'connection retrying' },
    ]);
    const closed = entries().find(({ kind }) => kind === 'failed');
    expect(JSON.parse(String(closed?.payload))).toMatchObject({ code: 1001, reason: 'going away' });
  });

  it('has frames that nobody understands, and errors', () => {
    const { world, entries } = recorded();
    const socket = world.connect();
    socket.say('{');
    socket.say({ something: 'new' });
    socket.say({ error: 'No such voice', error_code: 'VALIDATION_ERROR', code: 400 });
    expect(places(entries()).slice(-3)).toEqual([
      { is: 'in malformed' },
      { is: 'in unknown' },
      { is: 'in error' },
    ]);
  });

  it('gives each context its frames', () => {
    const { world, entries } = recorded(new World(undefined, endpointOf('kugel-multi')));
    const socket = world.connect();
    world.do({ type: 'speakers', speakers: [{ id: 'narrator', settings: {}, keepOpen: false }] });
    world.do({
      type: 'perform',
      lines: [{ speaker: 'narrator', text: 'Hello.', line: 0 }],
      source: { kind: 'whole' },
      closeAfter: false,
    });
    socket.say({ context_created: true, context_id: 'narrator' });
    socket.say({ ...audioFrame(samplesOf(20)), context_id: 'narrator' });
    // Of a context that nobody has opened.
    socket.say({ ...audioFrame(samplesOf(20)), context_id: 'stranger' });
    const seen = places(entries());
    expect(seen).toContainEqual({ is: 'out say', context: 'narrator', turn: 1 });
    expect(seen.slice(-4)).toEqual([
      { is: 'in contextOpened', context: 'narrator', turn: 1 },
      { is: 'out flush', context: 'narrator', turn: 1 },
      { is: 'in audio', context: 'narrator', turn: 1, chunk: 0, audioMs: 20 },
      { is: 'in audio', context: 'stranger', chunk: 0, audioMs: 20 },
    ]);
  });

  it('gives speech that nobody asked for the turn that it opens', () => {
    const { world, entries } = recorded();
    world.connect().say(audioFrame(samplesOf(20)));
    expect(places(entries()).at(-1)).toEqual({ is: 'in audio', turn: 1, chunk: 0, audioMs: 20 });
  });

  it('numbers connections through retries, and says which the page has left', () => {
    const { world, entries } = recorded();
    world.connect().close(1006);
    world.advance(60_000);
    world.socket.open();
    world.do({
      type: 'target',
      target: { endpoint: world.endpoint.id, base: 'ws://other', key: 'ka_canary_1234' },
      settings: {},
    });
    const seen = entries().filter(({ direction }) => direction === 'connection');
    expect(seen.map(({ connection, kind }) => `${connection} ${kind}`)).toEqual([
      '1 opening',
      '1 opened',
      '1 failed',
      '1 retrying',
      '2 opening',
      '2 opened',
      '2 closed',
    ]);
  });

  it('holds no key, wherever it was typed or repeated', () => {
    const { world, posted, entries } = recorded();
    const key = 'ka_canary_1234';
    const socket = world.connect();
    world.do({ type: 'speak', text: `My key is ${key}.` });
    socket.say({ error: `bad key ${key}`, code: 401 });
    socket.say(new TextEncoder().encode(`bad key ${key}`));
    socket.close(4001, `bad key ${key}`);
    const bytes = entries().map(({ payload }) =>
      typeof payload === 'string' ? payload : new TextDecoder().decode(payload),
    );
    expect(bytes.length).toBeGreaterThan(6);
    expect(JSON.stringify(posted) + bytes.join()).not.toContain('canary');
  });
});
