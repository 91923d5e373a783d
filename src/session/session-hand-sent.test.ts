import { describe, expect, it } from 'vitest';
import { endpointOf } from '#protocol/registry.ts';
import type { NewEntry } from '#record/record.ts';
import type { FeedMessage } from '#recordings/messages.ts';
import { audioFrame, ended, finished, samplesOf, World } from './testing/world.ts';

const KEY = 'ka_canary_1234';

function recorded(endpoint: string) {
  const world = new World(undefined, endpointOf(endpoint));
  const posted: FeedMessage[] = [];
  const port = { postMessage: (message: FeedMessage) => posted.push(structuredClone(message)) };
  // Only what a feed uses is there.
  world.do({ type: 'attachRecordings', port: port as unknown as MessagePort });
  const entries = (): NewEntry[] => {
    world.advance(100);
    return posted.flatMap((message) => (message.type === 'entries' ? [...message.entries] : []));
  };
  return { world, entries };
}

describe('a frame sent by hand', () => {
  it('goes out as it is over the open connection, and is recorded as sent', () => {
    const { world, entries } = recorded('kugel-stream');
    const { sent } = world.connect();
    const before = sent.length;
    world.do({ type: 'sendFrame', frame: '{"made":  "up"}' });
    world.do({ type: 'sendFrame', frame: new Uint8Array([1, 2, 255]) });
    expect(sent.slice(before)).toEqual([{ made: 'up' }, new Uint8Array([1, 2, 255])]);
    expect(entries().slice(-2)).toMatchObject([
      { direction: 'out', kind: 'sent', opcode: 'text', bytes: 15, payload: '{"made":  "up"}' },
      { direction: 'out', kind: 'sent', opcode: 'binary', bytes: 3, payload: new Uint8Array([1, 2, 255]) },
    ]);
  });

  it('connects first, and waits behind the opening in the order of writing', () => {
    const world = new World();
    world.do({ type: 'sendFrame', frame: '{"text":"Hi."}' });
    world.do({ type: 'sendFrame', frame: '{"flush":true}' });
    expect(world.sockets).toHaveLength(1);
    expect(world.socket.sent).toEqual([]);
    world.socket.open();
    expect(world.socket.sent).toEqual([{ voice_id: 1071 }, { text: 'Hi.' }, { flush: true }]);
  });

  it('waits for the acknowledgement of a connection that is opened for it', () => {
    const world = new World(undefined, endpointOf('murmr'));
    world.do({ type: 'sendFrame', frame: '{"type":"ping"}' });
    world.socket.open();
    expect(world.socket.sent).toHaveLength(1);
    world.socket.say({ type: 'config_ack', session_id: 's' });
    expect(world.socket.sent.at(-1)).toEqual({ type: 'ping' });
  });

  it('is not sent to another server than it was written for', () => {
    const world = new World();
    world.do({ type: 'sendFrame', frame: '{"flush":true}' });
    world.do({
      type: 'target',
      target: { endpoint: world.endpoint.id, base: 'ws://other', key: KEY },
      settings: {},
    });
    world.connect();
    expect(world.socket.sent).toEqual([{}]);
  });

  it('is not sent again after a connection that could not be opened', () => {
    const world = new World();
    world.do({ type: 'sendFrame', frame: '{"flush":true}' });
    world.socket.close(1006);
    world.connect();
    expect(world.socket.sent).toEqual([{ voice_id: 1071 }]);
  });

  it('is answered as any other: what it makes the server speak is a turn that is heard', () => {
    const world = new World();
    world.attachPlayer();
    const socket = world.connect();
    world.do({ type: 'sendFrame', frame: '{"text":"Hi.","flush":true}' });
    for (const frame of [audioFrame(samplesOf(200)), finished, ended()]) socket.say(frame);
    world.advance(1000);
    expect(world.turn(1)).toMatchObject({ state: 'ended', samples: 3200 });
    expect(world.heard.filter((sample) => sample !== 0).length).toBeGreaterThan(3000);
  });

  it('gets the key in place of its mark, and is recorded without it', () => {
    const { world, entries } = recorded('murmr');
    const socket = world.connect();
    const config = endpointOf('murmr').templates.find(({ frame }) => frame.type === 'config');
    world.do({ type: 'sendFrame', frame: JSON.stringify(config?.frame) });
    expect(socket.sent.at(-1)).toMatchObject({ type: 'config', api_key: KEY });
    const kept = entries().findLast(({ kind }) => kind === 'sent');
    expect(JSON.parse(String(kept?.payload))).toMatchObject({ type: 'config', api_key: '[key]' });
  });
});
