import { describe, expect, it } from 'vitest';
import { linkedPorts } from '#lib/testing/linked-ports.ts';
import type { RecordEntry } from '#record/record.ts';
import { record } from './testing/recorded.ts';
import { worldOfSessions } from './testing/sessions-world.ts';
import { audioFrame, ended, finished, samplesOf, started, World } from './testing/world.ts';

const RATE = 16_000;
/** Loud constants, so that what is heard tells whose it is. */
const FIRST = 4000;
const SECOND = 8000;
const LIVE = 12_000;

/** Two turns, of 400 ms each, a second apart, with all of their audio at once. */
function recording(): RecordEntry[] {
  const world = new World();
  const { entries } = record(world);
  const socket = world.connect();
  for (const [text, value] of [
    ['One.', FIRST],
    ['Two.', SECOND],
  ] as const) {
    world.do({ type: 'speak', text });
    for (const frame of [started(text), audioFrame(samplesOf(400, value)), finished, ended()])
      socket.say(frame);
    world.advance(1000);
  }
  return entries();
}

const both: [number, number][] = [
  [FIRST, 400],
  [SECOND, 400],
];

describe('a recording that is replayed in place of the live session', () => {
  it('is heard at its times, reported as its own session, and opens no connection', async () => {
    const { advance, world, open, view, heard, texts } = worldOfSessions();
    open(recording());
    await advance(300);
    expect(view()).toMatchObject({ state: 'playing', isPaused: false, missing: 0, problem: null });
    await advance(3000);
    expect(heard()).toEqual(both);
    expect(view()).toMatchObject({ state: 'ended' });
    expect(texts(view()?.run ?? null)).toContain('Two.');
    expect(texts(null)).toEqual([]);
    expect(world.sockets).toEqual([]);
  });

  it('fetches entries as it needs them, each once', async () => {
    const { advance, open, asked, port } = worldOfSessions();
    open(recording(), 4);
    await advance(4000);
    expect(asked).toEqual(asked.toSorted((a, b) => a - b));
    expect(new Set(asked).size).toBe(asked.length);
    expect(port.isClosed).toBe(false);
  });

  it('pauses and resumes', async () => {
    const { advance, handle, open, view, heard } = worldOfSessions();
    open(recording());
    await advance(600);
    handle({ type: 'controlReplay', control: { do: 'pause' } });
    const at = view()?.positionMs ?? 0;
    await advance(5000);
    expect(heard()).toEqual([[FIRST, 400]]);
    handle({ type: 'controlReplay', control: { do: 'play' } });
    expect(view()?.positionMs).toBeCloseTo(at, 3);
    await advance(1500);
    expect(heard()).toEqual([[SECOND, 400]]);
  });

  it('comes faster at another speed, and is heard at its own rate all the same', async () => {
    const { advance, handle, open, view, heard } = worldOfSessions();
    open(recording());
    handle({ type: 'controlReplay', control: { do: 'speed', speed: 4 } });
    await advance(1200);
    expect(view()).toMatchObject({ state: 'ended', speed: 4 });
    // The second was there before the first had been heard, so there is no silence between them.
    expect(heard()).toEqual([[SECOND, 800]]);
  });

  it('lets nothing be heard of what it passes, also where an output comes meanwhile', async () => {
    const { advance, world, open, handle, view, heard } = worldOfSessions();
    open(recording(), 1, 20);
    handle({ type: 'controlReplay', control: { do: 'seek', toMs: 980 } });
    await advance(30);
    expect(view()?.state).toBe('seeking');
    world.attachPlayer();
    handle({ type: 'attachPlayer', port: {} as MessagePort, sampleRate: RATE });
    await advance(2000);
    expect(heard()).toEqual([[SECOND, 400]]);
  });

  it('is not heard where it is set forward, but its turns are there', async () => {
    const { advance, handle, open, heard, view, texts } = worldOfSessions();
    open(recording());
    handle({ type: 'controlReplay', control: { do: 'seek', toMs: 900 } });
    await advance(2000);
    expect(heard()).toEqual([[SECOND, 400]]);
    expect(texts(view()?.run ?? null)).toContain('One.');
  });

  it('begins anew where it is set back', async () => {
    const { advance, handle, open, heard, view } = worldOfSessions();
    open(recording());
    await advance(3000);
    const { run } = view() ?? {};
    handle({ type: 'controlReplay', control: { do: 'seek', toMs: 0 } });
    await advance(3000);
    expect(heard()).toEqual([...both, ...both]);
    expect(view()?.run).not.toBe(run);
  });

  it('runs dry where the way is made worse, in the same places each time', async () => {
    const impair = async (): Promise<[number, number][]> => {
      const { advance, handle, open, heard } = worldOfSessions();
      open(recording());
      const impairments = { delayMs: 300, jitterMs: 100, stallShare: 0.3, seed: 5 };
      handle({ type: 'controlReplay', control: { do: 'impair', impairments } });
      await advance(10_000);
      return heard();
    };
    const once = await impair();
    expect(await impair()).toEqual(once);
    expect(once.map(([value]) => value)).toEqual([FIRST, SECOND]);
  });

  it('says why it cannot be read', async () => {
    const { advance, open, disk, view } = worldOfSessions();
    disk.problem = 'It is gone.';
    open([]);
    await advance(100);
    expect(view()).toMatchObject({ state: 'failed', problem: 'It is gone.' });
  });

  it('is read from its beginning again where it could not be, when it is to play', async () => {
    const { advance, handle, open, disk, heard, view } = worldOfSessions();
    open(recording());
    await advance(1);
    disk.problem = 'The disk was away.';
    await advance(1000);
    expect(view()).toMatchObject({ state: 'failed' });
    heard();
    disk.problem = null;
    handle({ type: 'controlReplay', control: { do: 'play' } });
    await advance(3000);
    expect(view()).toMatchObject({ state: 'ended', isPaused: false, problem: null });
    expect(heard()).toEqual(both);
  });
});

describe('the live session behind a replay', () => {
  /** It has a turn, which has been heard. */
  async function spoken() {
    const sessions = worldOfSessions();
    const { world, handle, advance } = sessions;
    handle({ type: 'speak', text: 'Live.' });
    world.socket.open();
    const answer = () => {
      for (const frame of [audioFrame(samplesOf(400, LIVE)), finished, ended()]) world.socket.say(frame);
    };
    answer();
    await advance(1000);
    expect(sessions.heard()).toEqual([[LIVE, 400]]);
    return { ...sessions, answerLive: answer };
  }

  it('keeps its connection and its turns, and is heard again when the replay is left', async () => {
    const { advance, world, handle, open, heard, view, answerLive, port } = await spoken();
    open(recording());
    await advance(200);
    handle({ type: 'leaveReplay' });
    await advance(3000);
    expect(view()).toBeNull();
    expect(port.isClosed).toBe(true);
    expect(heard().every(([value, ms]) => value === FIRST && ms < 300)).toBe(true);
    handle({ type: 'speak', text: 'Again.' });
    answerLive();
    await advance(1000);
    expect(heard()).toEqual([[LIVE, 400]]);
    expect(world.sockets).toHaveLength(1);
  });

  it('is what something is said to: that leaves the replay', async () => {
    const { advance, world, handle, open, heard, view, answerLive } = await spoken();
    open(recording());
    await advance(10);
    handle({ type: 'speak', text: 'Live again.' });
    await advance(100);
    answerLive();
    await advance(3000);
    expect(view()).toBeNull();
    expect(world.socket.sent).toContainEqual({ text: 'Live again.' });
    expect(heard().filter(([value]) => value === LIVE)).toEqual([[LIVE, 400]]);
  });

  it('sends no cancel for a replayed turn', async () => {
    const { advance, world, handle, open, heard } = await spoken();
    open(recording());
    await advance(200);
    const sent = world.socket.sent.length;
    handle({ type: 'cancel' });
    await advance(3000);
    expect(world.socket.sent).toHaveLength(sent);
    // Only what was spoken then is silent.
    expect(heard().at(-1)).toEqual([SECOND, 400]);
  });
});

describe('the port of the microphone', () => {
  const loud = (heard: readonly [value: number, ms: number][]) => heard.map(([, ms]) => ms);

  it('pauses the replay that is heard in place of the live session, and lets it go on', async () => {
    const { advance, handle, open, heard, world } = worldOfSessions();
    const [detector, port] = linkedPorts();
    handle({ type: 'attachMicrophone', port: port as unknown as MessagePort });
    open(recording());
    await advance(200);
    const news = { onsetMs: world.nowMs - 90, decidedMs: world.nowMs };
    detector.postMessage({ kind: 'pause', ...news }, []);
    await advance(300);
    const [paused] = loud(heard());
    expect(paused).toBeLessThan(300);
    detector.postMessage({ kind: 'continue' }, []);
    await advance(3000);
    // Nothing is lost or heard twice. The pause adds two glides, and lengths are rounded to 20 ms.
    const wholeMs = loud(heard()).reduce((sum, ms) => sum + ms, paused ?? 0);
    expect(Math.abs(wholeMs - 800)).toBeLessThanOrEqual(20);
  });
});

describe('a rehearsal', () => {
  it('opens no connection, reports nothing, and is forgotten where nothing plays it', async () => {
    const { advance, handle, world, reports } = worldOfSessions();
    await advance(100);
    const { timers } = world;
    const before = reports.length;
    handle({
      type: 'target',
      target: { endpoint: 'kugel-multi', base: 'ws://server/prefix', key: '' },
      settings: {},
    });
    await advance(100);
    const reported = reports.length;
    handle({ type: 'rehearse' });
    await advance(40_000);
    expect(reported).toBeGreaterThan(before);
    expect(reports.length).toBe(reported);
    expect(world.sockets).toEqual([]);
    expect(world.timers).toBe(timers);
  });
});
