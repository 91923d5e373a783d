import { describe, expect, it } from 'vitest';
import type { Settings } from '#protocol/core/endpoint.ts';
import { endpointOf } from '#protocol/registry.ts';
import { A, B, SceneWorld, USAGE } from './testing/stage.ts';
import { World } from './testing/world.ts';

const BILL = { usage: USAGE };
const voice_settings = { voice_id: 1071 };

/** A stage where `a` has spoken a line, which was heard. */
function spoken(): SceneWorld {
  const stage = new SceneWorld();
  stage.performOpened(['a']);
  stage.speaks('a', 300, 1000);
  stage.advance(500);
  return stage;
}

describe('opening a context', () => {
  it('by a frame sent by hand leaves the settings of its speaker', () => {
    const stage = spoken();
    stage.do({ type: 'sendFrame', frame: '{"text":"By hand.","context_id":"a","flush":true}' });
    stage.advance(2000);
    stage.says('a', { final: true });
    stage.says('a', { context_closed: true, ...BILL });
    stage.perform(['a']);
    stage.advance(20);
    const last = stage.frames.findLast(({ context_id, text }) => context_id === 'a' && text);
    expect(last).toMatchObject({ text: 'Line 0 of a.', voice_settings });
  });

  it('comes with its first text, and the flush follows when it is open', () => {
    const stage = new SceneWorld();
    stage.perform(['a']);
    expect(stage.frames).toEqual([{ text: 'Line 0 of a.', context_id: 'a', language: 'en', voice_settings }]);
    stage.opens('a');
    expect(stage.frames.slice(1)).toEqual([{ flush: true, context_id: 'a' }]);
    stage.advance(20);
    expect(stage.turn(1)).toMatchObject({ context: 'a', voice: '1071', line: 0, state: 'waiting' });
  });

  it('adds text that is sent by hand to the turn whose flush waits for it, as the server does', () => {
    const stage = new SceneWorld();
    stage.perform(['a']);
    stage.do({ type: 'sendFrame', frame: '{"text":" By hand.","context_id":"a"}' });
    stage.opens('a');
    stage.advance(20);
    expect([...stage.turns.values()]).toMatchObject([{ text: 'Line 0 of a. By hand.', state: 'waiting' }]);
  });

  it('is confirmed by speech, and taken as confirmed after a while', () => {
    const stage = new SceneWorld();
    stage.perform(['a', 'b']);
    stage.begins('a', 20, 1000);
    expect(stage.frames).toContainEqual({ flush: true, context_id: 'a' });
    expect(stage.frames).not.toContainEqual({ flush: true, context_id: 'b' });
    stage.advance(1600);
    expect(stage.frames).toContainEqual({ flush: true, context_id: 'b' });
  });

  it('is confirmed behind the event that shows it, so that a turn which this ended gets no more frames', () => {
    const stage = new SceneWorld();
    stage.perform(['a']);
    stage.says('a', { final: true });
    stage.advance(20);
    expect(stage.states(1)).toEqual(['ended']);
    expect(stage.frames).not.toContainEqual({ flush: true, context_id: 'a' });
  });

  it('works without speech, also before there is a connection', () => {
    const world = new World(undefined, endpointOf('kugel-multi'));
    world.do({ type: 'speakers', speakers: [A] });
    world.do({ type: 'openContext', context: 'a' });
    world.socket.open();
    expect(world.socket.sent).toMatchObject([{ text: ' ', context_id: 'a', voice_settings }]);
  });

  it('that is refused fails its line, sends nothing more and disturbs no other context', () => {
    const stage = new SceneWorld();
    stage.perform(['a', 'b'], { closeAfter: true });
    stage.opens('a');
    stage.says('b', { error: 'Too many contexts', error_code: 'TOO_MANY_CONTEXTS', code: 429 });
    stage.speaks('a', 100, 8000);
    stage.advance(2000);
    expect(stage.frames.filter(({ context_id }) => context_id === 'b')).toHaveLength(1);
    expect(stage.states(1, 2)).toEqual(['ended', 'failed']);
    expect(stage.seen.contexts).toMatchObject([
      { id: 'a', state: 'closing' },
      { id: 'b', state: 'refused' },
    ]);
    expect(stage.problems).toHaveLength(1);
  });
});

describe('the next line of a speaker', () => {
  it('uses the same context', () => {
    const stage = spoken();
    stage.perform(['a']);
    expect(stage.frames.slice(2)).toEqual([
      { text: 'Line 0 of a.', context_id: 'a' },
      { flush: true, context_id: 'a' },
    ]);
  });

  it('opens another context where the settings of the speaker have changed', () => {
    const stage = spoken();
    stage.do({ type: 'speakers', speakers: [{ ...A, settings: { voice_id: 268 } }, B] });
    stage.perform(['a']);
    expect(stage.frames.at(-1)).toEqual({ close_context: true, context_id: 'a' });
    stage.closes('a');
    expect(stage.frames.at(-1)).toMatchObject({ context_id: 'a', voice_settings: { voice_id: 268 } });
  });

  it('that waits is spoken with the settings that its speaker had when it began', () => {
    const stage = new SceneWorld();
    stage.perform(['a', 'a']);
    stage.do({ type: 'speakers', speakers: [{ ...A, settings: { voice_id: 268 } }, B] });
    stage.perform(['a']);
    stage.opens('a');
    expect(stage.textsTo('a')).toEqual(['Line 0 of a.', 'Line 1 of a.']);
    for (let line = 0; line < 2; line += 1) stage.speaks('a', 100, 8000);
    stage.closes('a');
    stage.advance(20);
    expect(stage.frames.at(-1)).toMatchObject({ text: 'Line 0 of a.', voice_settings: { voice_id: 268 } });
    expect([1, 2, 3].map((id) => stage.turn(id).voice)).toEqual(['1071', '1071', '268']);
  });

  it('uses another connection where a setting of the whole connection has changed', () => {
    const stage = spoken();
    const settings: Settings = { language: 'en', output_format: 'ulaw_8000' };
    stage.do({ type: 'settings', settings });
    stage.perform(['a']);
    expect(stage.sockets).toHaveLength(2);
    stage.socket.open();
    expect(stage.frames[0]).toMatchObject({ output_format: 'ulaw_8000', voice_settings });
  });

  it('opens the context again with the text where the server may have closed it', () => {
    const stage = new SceneWorld();
    stage.do({ type: 'openContext', context: 'a' });
    stage.opens('a');
    stage.advance(19_500);
    stage.perform(['a']);
    expect(stage.frames.at(-1)).toMatchObject({ text: 'Line 0 of a.', voice_settings });
  });

  it.each([
    { name: '3.3.3 crosses with the end of its idle context', closeAfter: false, state: 'open' },
    { name: 'waits until its context has closed', closeAfter: true, state: 'closing' },
  ])('is heard where it $name', ({ closeAfter, state }) => {
    const stage = new SceneWorld();
    stage.performOpened(['a'], { closeAfter });
    stage.speaks('a', 300, 1000);
    if (!closeAfter) stage.advance(19_500);
    stage.perform(['a'], { closeAfter });
    stage.closes('a', BILL);
    stage.advance(20);
    expect(stage.seen.contexts).toMatchObject([{ state: 'opening', billed: { costCents: 0.01 } }]);
    stage.opens('a');
    stage.speaks('a', 300, 2000);
    stage.advance(1500);
    expect(stage.problems).toEqual([]);
    expect(stage.values).toEqual([1000, 2000]);
    expect(stage.states(1, 2)).toEqual(['ended', 'ended']);
    expect(stage.seen.contexts).toMatchObject([{ state, unknownCosts: 0 }]);
  });
});

describe('closing a context', () => {
  it('follows its last line, and its bill is added to the totals', () => {
    const stage = new SceneWorld();
    stage.performOpened(['a', 'b', 'a'], { closeAfter: true });
    expect(stage.frames.filter((frame) => frame.close_context)).toEqual([
      { close_context: true, context_id: 'a' },
      { close_context: true, context_id: 'b' },
    ]);
    for (const context of ['a', 'b', 'a']) stage.speaks(context, 100, 8000);
    stage.advance(20);
    expect(stage.seen.totals?.unknownCosts).toBe(0);
    for (const context of ['a', 'b']) stage.closes(context, BILL);
    stage.advance(20);
    expect(stage.turn(1).usage).toBe('withContext');
    expect(stage.seen.contexts).toMatchObject([
      { id: 'a', state: 'closed', billed: { costCents: 0.01, characters: 12 }, unbilledSeconds: 0 },
      { id: 'b', state: 'closed', billed: { costCents: 0.01 } },
    ]);
    expect(stage.seen.totals).toMatchObject({ turns: 3, costCents: 0.02, currency: 'eur', unknownCosts: 0 });
  });

  it('follows its last line also where that was sent after a lost connection', () => {
    const stage = new SceneWorld();
    stage.socket.close(1006);
    stage.perform(['a'], { closeAfter: true });
    stage.socket.close(1006);
    stage.advance(10_000);
    stage.socket.open();
    stage.opens('a');
    expect(stage.frames.slice(1)).toEqual([
      { flush: true, context_id: 'a' },
      { close_context: true, context_id: 'a' },
    ]);
  });

  it('follows no line that a disconnect has cancelled', () => {
    const stage = new SceneWorld();
    stage.performOpened(['a']);
    stage.do({ type: 'speakers', speakers: [{ ...A, settings: { voice_id: 268 } }] });
    stage.perform(['a'], { closeAfter: true });
    stage.do({ type: 'disconnect' });
    stage.speaks('a', 100, 8000);
    expect(stage.frames.at(-1)).toEqual({ close_socket: true });
  });

  it('leaves bills in the totals when the page changes to another endpoint', () => {
    const stage = new SceneWorld();
    stage.performOpened(['a', 'b'], { closeAfter: true });
    for (const context of ['a', 'b']) stage.speaks(context, 100, 8000);
    stage.closes('a', BILL);
    const target = { endpoint: 'kugel-stream', base: 'ws://other', key: 'k' } as const;
    stage.do({ type: 'target', target, settings: {} });
    stage.advance(20);
    expect(stage.seen.contexts).toEqual([]);
    expect(stage.seen.totals).toMatchObject({ costCents: 0.01, currency: 'eur', unknownCosts: 1 });
  });

  it('by a lost connection leaves the charge unknown, also of a context that is idle', () => {
    const stage = spoken();
    stage.socket.close(1006);
    stage.advance(20);
    expect(stage.seen.contexts).toMatchObject([{ state: 'closed', billed: null, unknownCosts: 1 }]);
    expect(stage.seen.totals?.unknownCosts).toBe(1);
  });

  it('at once silences it, and drops all that still comes for it', () => {
    const stage = new SceneWorld();
    stage.performOpened(['a']);
    stage.do({ type: 'closeContext', context: 'a', immediate: true });
    expect(stage.frames.at(-1)).toEqual({ close_context: true, context_id: 'a', immediate: true });
    stage.speaks('a', 100, 8000);
    stage.closes('a');
    stage.speaks('a', 100, 8000);
    stage.advance(300);
    expect(stage.values).toEqual([]);
    expect(stage.turns.size).toBe(1);
    expect(stage.states(1)).toEqual(['cancelled']);
  });

  it('closes its track once all of it was heard, and another line opens the track again', () => {
    const stage = new SceneWorld();
    stage.performOpened(['a', 'b'], { closeAfter: true });
    stage.speaks('a', 2000, 1000);
    stage.speaks('b', 300, 2000);
    for (const context of ['a', 'b']) stage.closes(context, BILL);
    stage.advance(1900);
    // One is still heard, and the other waits for it.
    expect([...stage.openTracks].sort()).toEqual(['a', 'b']);
    stage.advance(60_000);
    expect([...stage.openTracks]).toEqual([]);
    expect(stage.turn(2).heardToMs).not.toBeNull();
    expect(stage.timers).toBe(0);

    const from = stage.heard.length;
    stage.do({ type: 'repeat', turn: 2, fromSample: 0 });
    stage.advance(1000);
    stage.performOpened(['a']);
    stage.speaks('a', 300, 3000);
    stage.advance(1000);
    expect(stage.voices(from)).toMatchObject([
      { value: 2000, samples: 4800 },
      { value: 3000, samples: 4800 },
    ]);
    stage.advance(60_000);
    expect([...stage.openTracks]).toEqual(['a']);
  });
});

describe('an idle context', () => {
  it('reports when the server closes it, and costs nothing without audio', () => {
    const stage = new SceneWorld();
    stage.do({ type: 'openContext', context: 'a' });
    stage.opens('a');
    const openedMs = stage.nowMs;
    stage.advance(20);
    expect(stage.seen.contexts).toMatchObject([{ state: 'open', idleAtMs: openedMs + 20_000 }]);
    stage.advance(20_000);
    stage.closes('a');
    stage.advance(20);
    expect(stage.seen.contexts).toMatchObject([{ state: 'closed', idleAtMs: null, unknownCosts: 0 }]);
  });

  /** Both contexts are open, and the first is kept open. */
  function keepingOpen(): SceneWorld {
    const stage = new SceneWorld({ speakers: [{ ...A, keepOpen: true }, B] });
    for (const context of ['a', 'b']) {
      stage.do({ type: 'openContext', context });
      stage.opens(context);
    }
    return stage;
  }

  it('is kept alive as long as its speaker wants it open', () => {
    const stage = keepingOpen();
    const keepAlives = () => stage.frames.filter(({ text }) => text === '');
    stage.advance(60_000);
    const { length } = keepAlives();
    // The server waits 20 s.
    expect(length).toBeGreaterThanOrEqual(4);
    expect(keepAlives().every(({ context_id }) => context_id === 'a')).toBe(true);
    expect(stage.seen.contexts?.[0]).toMatchObject({ keepAlives: length, idleAtMs: null });
    stage.do({ type: 'speakers', speakers: [A, B] });
    stage.advance(60_000);
    expect(keepAlives()).toHaveLength(length);
    expect(stage.timers).toBe(0);
  });

  it('that is kept open is opened again when a lost connection comes back', () => {
    const stage = keepingOpen();
    stage.socket.close(1006);
    stage.advance(2000);
    expect(stage.sockets).toHaveLength(2);
    stage.socket.open();
    expect(stage.frames).toMatchObject([{ text: ' ', context_id: 'a' }]);
  });

  it.each([
    ['opens on the next connection while this one closes', 1],
    ['is not opened after a second disconnect', 2],
  ])('%s', (_, disconnects) => {
    const stage = new SceneWorld();
    stage.do({ type: 'openContext', context: 'b' });
    stage.opens('b');
    stage.do({ type: 'disconnect' });
    stage.do({ type: 'openContext', context: 'a' });
    if (disconnects === 2) stage.do({ type: 'disconnect' });
    stage.socket.close(1000);
    expect(stage.sockets).toHaveLength(disconnects === 2 ? 1 : 2);
    if (disconnects === 2) return;
    stage.socket.open();
    expect(stage.frames).toMatchObject([{ text: ' ', context_id: 'a' }]);
  });
});
