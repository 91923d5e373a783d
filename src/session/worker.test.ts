import { describe, expect, it } from 'vitest';
import { linkedPorts } from '#lib/testing/linked-ports.ts';
import type { SpeechNews } from '#microphone/speech-news.ts';
import type { RecordEntry } from '#trace/entry.ts';
import type { ReplayControl } from './replay/replay-view.ts';
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

/** Sessions that replay the recording. `control` takes a command of its player. */
function replaying(batch?: number, answerMs?: number) {
  const sessions = worldOfSessions();
  sessions.open(recording(), batch, answerMs);
  const control = (command: ReplayControl) => sessions.handle({ type: 'controlReplay', control: command });
  return { ...sessions, control };
}

describe('a recording that is replayed in place of the live session', () => {
  it('is heard at its times, reported as its own session, and opens no connection', async () => {
    const { advance, world, view, heard, texts, asked, port } = replaying(4);
    await advance(300);
    expect(view()).toMatchObject({ state: 'playing', isPaused: false, missing: 0, problem: null });
    await advance(3700);
    expect(heard()).toEqual(both);
    expect(view()).toMatchObject({ state: 'ended' });
    expect(texts(view()?.run ?? null)).toContain('Two.');
    expect(texts(null)).toEqual([]);
    expect(world.sockets).toEqual([]);
    // Each entry is fetched once, in order.
    expect(asked).toEqual([...new Set(asked)].toSorted((a, b) => a - b));
    expect(port.isClosed).toBe(false);
  });

  it('pauses and resumes', async () => {
    const { advance, control, view, heard } = replaying();
    await advance(600);
    control({ do: 'pause' });
    const at = view()?.positionMs ?? 0;
    await advance(5000);
    expect(heard()).toEqual([[FIRST, 400]]);
    control({ do: 'play' });
    expect(view()?.positionMs).toBeCloseTo(at, 3);
    await advance(1500);
    expect(heard()).toEqual([[SECOND, 400]]);
  });

  /** Speech over the replay, decided now. */
  const says = ({ handle, world }: ReturnType<typeof replaying>, ...kinds: SpeechNews['kind'][]) => {
    for (const kind of kinds) {
      const decidedMs = world.nowMs;
      const speech = kind === 'continue' ? { kind } : { kind, onsetMs: decidedMs - 90, decidedMs };
      handle({ type: 'talkOver', speech });
    }
  };
  const values = (heard: readonly [number, number][]) => heard.map(([value]) => value);

  it.each([
    ['lasts', ['cancel']],
    ['was in doubt and lasted', ['pause', 'confirm']],
  ] as const)('is paused by speech that %s, with its turn cut off', async (_, kinds) => {
    const replay = replaying();
    const { advance, control, view, heard } = replay;
    await advance(200);
    says(replay, ...kinds);
    expect(view()?.isPaused).toBe(true);
    await advance(5000);
    expect(values(heard())).toEqual([FIRST]);
    control({ do: 'play' });
    await advance(2000);
    expect(values(heard())).toEqual([SECOND]);
  });

  it('goes on after speech in doubt that was none', async () => {
    const replay = replaying();
    const { advance, view, heard } = replay;
    await advance(200);
    says(replay, 'pause', 'continue');
    await advance(5000);
    expect(view()?.isPaused).toBe(false);
    expect(heard().reduce((sum, [, ms]) => sum + ms, 0)).toBe(800);
  });

  it('comes at another speed from then on, and is heard at its own rate', async () => {
    const { advance, control, view, heard } = replaying();
    await advance(100);
    control({ do: 'speed', speed: 0.25 });
    const fromMs = view()?.positionMs ?? Number.NaN;
    await advance(400);
    control({ do: 'speed', speed: 8 });
    expect(view()?.positionMs).toBeCloseTo(fromMs + 100, 3);
    await advance(700);
    expect(view()).toMatchObject({ state: 'ended', speed: 8 });
    expect(heard()).toEqual(both);
  });

  it('has the turns that a seek passes, without their sound, also on an output that comes meanwhile', async () => {
    const { advance, world, control, handle, view, heard, texts } = replaying(1, 20);
    control({ do: 'seek', toMs: 980 });
    await advance(30);
    expect(view()?.state).toBe('seeking');
    world.attachPlayer();
    handle({ type: 'attachPlayer', port: {} as MessagePort, sampleRate: RATE });
    await advance(2000);
    expect(heard()).toEqual([[SECOND, 400]]);
    expect(texts(view()?.run ?? null)).toContain('One.');
  });

  it('begins again after a seek back', async () => {
    const { advance, control, heard, view } = replaying();
    await advance(3000);
    const { run } = view() ?? {};
    control({ do: 'seek', toMs: 0 });
    await advance(3000);
    expect(heard()).toEqual([...both, ...both]);
    expect(view()?.run).not.toBe(run);
  });

  it('has the same sound each time under the same impairments', async () => {
    const impaired = async () => {
      const { advance, control, heard } = replaying();
      control({ do: 'impair', impairments: { delayMs: 300, jitterMs: 100, stallShare: 0.3, seed: 5 } });
      await advance(6000);
      return heard();
    };
    const once = await impaired();
    expect(await impaired()).toEqual(once);
    expect(once.map(([value]) => value)).toEqual([FIRST, SECOND]);
  });

  it('shows why it cannot be read, and is read from its beginning when it is to play', async () => {
    const { advance, control, disk, heard, view } = replaying();
    await advance(1);
    disk.problem = 'The disk was away.';
    await advance(1000);
    expect(view()).toMatchObject({ state: 'failed', problem: 'The disk was away.' });
    heard();
    disk.problem = null;
    control({ do: 'play' });
    await advance(3000);
    expect(view()).toMatchObject({ state: 'ended', isPaused: false, problem: null });
    expect(heard()).toEqual(both);
  });
});

describe('the live session behind a replay', () => {
  /** A live turn was heard, and the replay has begun. `answer`: the server speaks a live turn. */
  async function behind() {
    const sessions = worldOfSessions();
    const { world, handle, advance, heard } = sessions;
    const answer = () => {
      for (const frame of [audioFrame(samplesOf(400, LIVE)), finished, ended()]) world.socket.say(frame);
    };
    handle({ type: 'speak', text: 'Live.' });
    world.socket.open();
    answer();
    await advance(1000);
    expect(heard()).toEqual([[LIVE, 400]]);
    sessions.open(recording());
    await advance(200);
    return { ...sessions, answer };
  }

  it.each(['leaveReplay', 'speak'] as const)('is heard again on its connection after %s', async (type) => {
    const { advance, world, handle, heard, view, answer, port } = await behind();
    if (type === 'leaveReplay') {
      handle({ type });
      await advance(1000);
      expect(world.timers).toBe(0);
      await advance(2000);
      expect(heard().every(([value, ms]) => value === FIRST && ms < 300)).toBe(true);
    }
    handle({ type: 'speak', text: 'Again.' });
    await advance(100);
    answer();
    await advance(1000);
    expect(view()).toBeNull();
    expect(port.isClosed).toBe(true);
    expect(heard().filter(([value]) => value === LIVE)).toEqual([[LIVE, 400]]);
    expect(world.socket.sent).toContainEqual({ text: 'Again.' });
    expect(world.sockets).toHaveLength(1);
  });

  it('sends no cancel for replayed turns, and silences only the current one', async () => {
    const { advance, world, handle, heard } = await behind();
    const sent = world.socket.sent.length;
    handle({ type: 'cancel' });
    await advance(3000);
    expect(world.socket.sent).toHaveLength(sent);
    expect(heard().at(-1)).toEqual([SECOND, 400]);
  });
});

describe('the port of the microphone', () => {
  it('pauses and continues the replay that is heard', async () => {
    const { advance, handle, heard, world } = replaying();
    const [detector, port] = linkedPorts();
    handle({ type: 'attachMicrophone', port: port as unknown as MessagePort });
    await advance(200);
    const news = { onsetMs: world.nowMs - 90, decidedMs: world.nowMs };
    detector.postMessage({ kind: 'pause', ...news }, []);
    await advance(300);
    const [[, paused] = [0, Number.NaN]] = heard();
    expect(paused).toBeLessThan(300);
    detector.postMessage({ kind: 'continue' }, []);
    await advance(3000);
    // Nothing is lost or heard twice. The pause adds two glides, and lengths are rounded to 20 ms.
    const wholeMs = heard().reduce((sum, [, ms]) => sum + ms, paused);
    expect(Math.abs(wholeMs - 800)).toBeLessThanOrEqual(20);
  });
});

describe('a warm-up', () => {
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
    handle({ type: 'warmUp' });
    await advance(40_000);
    expect(reported).toBeGreaterThan(before);
    expect(reports.length).toBe(reported);
    expect(world.sockets).toEqual([]);
    expect(world.timers).toBe(timers);
  });
});
