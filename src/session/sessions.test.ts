import { describe, expect, it } from 'vitest';
import type { EntryReply, EntryRequest } from '#recordings/entry-server.ts';
import type { RecordEntry } from '#recordings/format/record.ts';
import type { Command, Report } from './messages.ts';
import type { ReplayView } from './replay/messages.ts';
import type { EntrySource } from './replay/replay.ts';
import { Session } from './session.ts';
import { Sessions } from './sessions.ts';
import { record } from './testing/recorded.ts';
import { audioFrame, ended, finished, samplesOf, started, World } from './testing/world.ts';

const RATE = 16_000;
/** Loud constants, so that what is heard tells whose it is. */
const FIRST = 4000;
const SECOND = 8000;
const LIVE = 12_000;

/** Two turns, of 400 ms each, a second apart, with all of their audio at once. */
function recording(): RecordEntry[] {
  const world = new World();
  const entries = record(world);
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

/** Sessions in a world with an output, and the recordings worker's end of a port. */
function worldOfSessions() {
  const reports: Report[] = [];
  const box: { sessions?: Sessions } = {};
  const world = new World(undefined, undefined, (options) => {
    box.sessions = new Sessions({ ...options, report: (report) => reports.push(structuredClone(report)) });
    // The world asks for one; what is tested is beside it.
    return new Session(options);
  });
  const { sessions } = box;
  if (!sessions) throw new Error('The world has opened no sessions.');
  const handle = (command: Command): void => sessions.handle(command);
  handle({
    type: 'target',
    target: { endpoint: 'kugel-stream', base: 'ws://server/prefix', key: '' },
    settings: { voice_id: 1071 },
  });
  world.attachPlayer();
  handle({ type: 'attachPlayer', port: {} as MessagePort, sampleRate: RATE });
  handle({ type: 'anchor', anchor: { contextTimeS: 0, wallMs: world.nowMs, outputLatencyMs: 0 } });

  const asked: number[] = [];
  const source = { onmessage: null, closed: false } as unknown as EntrySource & { closed: boolean };
  const answer = (reply: EntryReply): void => source.onmessage?.({ data: reply } as MessageEvent<EntryReply>);
  const open = (entries: readonly RecordEntry[], batch = 5, answerMs = 1): void => {
    source.postMessage = ({ from }: EntryRequest) => {
      asked.push(from);
      // An answer comes in a task of its own.
      options.after(answerMs, () => {
        const part = entries.slice(from, from + batch);
        answer({ type: 'entries', entries: part, isLast: from + part.length >= entries.length });
      });
    };
    source.close = () => {
      source.closed = true;
    };
    handle({
      type: 'openReplay',
      recording: {
        id: 'r',
        name: 'A recording',
        endpoint: 'kugel-stream',
        address: 'ws://elsewhere/prefix/ws/tts/stream',
        durationUs: entries.at(-1)?.atUs ?? 0,
      },
      port: source as unknown as MessagePort,
    });
  };
  const options = world.environment;
  /** The last view of the replay; null once it is left. */
  const view = (): ReplayView | null => {
    const found = reports.findLast((report) => report.type === 'replay');
    return found?.type === 'replay' ? found.replay : null;
  };
  /** What was heard since the last call: how loud each stretch of sound was, and how long to 20 ms, edges included. */
  let heardTo = 0;
  const heard = (): [value: number, ms: number][] => {
    const stretches: { peak: number; samples: number }[] = [];
    let wasSilent = true;
    for (const sample of world.heard.slice(heardTo)) {
      if (sample !== 0) {
        if (wasSilent) stretches.push({ peak: 0, samples: 0 });
        const last = stretches.at(-1);
        if (last) {
          last.peak = Math.max(last.peak, sample);
          last.samples += 1;
        }
      }
      wasSilent = sample === 0;
    }
    heardTo = world.heard.length;
    return stretches.map(({ peak, samples }) => [
      Math.round(peak * 32_768),
      Math.round((samples / RATE) * 50) * 20,
    ]);
  };
  const texts = (run: number | null): string[] =>
    reports.flatMap((report) =>
      report.type === 'update' && report.run === run
        ? (report.update.turns ?? []).map(({ text }) => text)
        : [],
    );
  return { world, handle, open, answer, view, heard, asked, source, texts, reports };
}

const both: [number, number][] = [
  [FIRST, 400],
  [SECOND, 400],
];

describe('a recording that is replayed in place of the live session', () => {
  it('is heard at its times, told as a session of its own, and connects to nothing', () => {
    const { world, open, view, heard, texts } = worldOfSessions();
    open(recording());
    world.advance(300);
    expect(view()).toMatchObject({ state: 'playing', isPaused: false, missing: 0, problem: null });
    world.advance(3000);
    expect(heard()).toEqual(both);
    expect(view()).toMatchObject({ state: 'ended' });
    expect(texts(view()?.run ?? null)).toContain('Two.');
    expect(texts(null)).toEqual([]);
    expect(world.sockets).toEqual([]);
  });

  it('fetches entries as it needs them, each once', () => {
    const { world, open, asked, source } = worldOfSessions();
    open(recording(), 4);
    world.advance(4000);
    expect(asked).toEqual(asked.toSorted((a, b) => a - b));
    expect(new Set(asked).size).toBe(asked.length);
    expect(source.closed).toBe(false);
  });

  it('stands still while it is paused, and goes on', () => {
    const { world, handle, open, view, heard } = worldOfSessions();
    open(recording());
    world.advance(600);
    handle({ type: 'controlReplay', control: { do: 'pause' } });
    const at = view()?.positionMs ?? 0;
    world.advance(5000);
    expect(heard()).toEqual([[FIRST, 400]]);
    handle({ type: 'controlReplay', control: { do: 'play' } });
    expect(view()?.positionMs).toBeCloseTo(at, 3);
    world.advance(1500);
    expect(heard()).toEqual([[SECOND, 400]]);
  });

  it('comes faster at another speed, and is heard at its own rate all the same', () => {
    const { world, handle, open, view, heard } = worldOfSessions();
    open(recording());
    handle({ type: 'controlReplay', control: { do: 'speed', speed: 4 } });
    world.advance(1200);
    expect(view()).toMatchObject({ state: 'ended', speed: 4 });
    // The second was there before the first had been heard, so there is no silence between them.
    expect(heard()).toEqual([[SECOND, 800]]);
  });

  it('lets nothing be heard of what it passes, also where an output comes meanwhile', () => {
    const { world, open, handle, view, heard } = worldOfSessions();
    open(recording(), 1, 20);
    handle({ type: 'controlReplay', control: { do: 'seek', toMs: 980 } });
    world.advance(30);
    expect(view()?.state).toBe('seeking');
    world.attachPlayer();
    handle({ type: 'attachPlayer', port: {} as MessagePort, sampleRate: RATE });
    world.advance(2000);
    expect(heard()).toEqual([[SECOND, 400]]);
  });

  it('is not heard where it is set forward, but its turns are there', () => {
    const { world, handle, open, heard, view, texts } = worldOfSessions();
    open(recording());
    handle({ type: 'controlReplay', control: { do: 'seek', toMs: 900 } });
    world.advance(2000);
    expect(heard()).toEqual([[SECOND, 400]]);
    expect(texts(view()?.run ?? null)).toContain('One.');
  });

  it('begins anew where it is set back', () => {
    const { world, handle, open, heard, view } = worldOfSessions();
    open(recording());
    world.advance(3000);
    const { run } = view() ?? {};
    handle({ type: 'controlReplay', control: { do: 'seek', toMs: 0 } });
    world.advance(3000);
    expect(heard()).toEqual([...both, ...both]);
    expect(view()?.run).not.toBe(run);
  });

  it('runs dry where the way is made worse, in the same places each time', () => {
    const impair = (): [number, number][] => {
      const { world, handle, open, heard } = worldOfSessions();
      open(recording());
      const impairments = { delayMs: 300, jitterMs: 100, stallShare: 0.3, seed: 5 };
      handle({ type: 'controlReplay', control: { do: 'impair', impairments } });
      world.advance(10_000);
      return heard();
    };
    const once = impair();
    expect(impair()).toEqual(once);
    expect(once.map(([value]) => value)).toEqual([FIRST, SECOND]);
  });

  it('says why it cannot be read', () => {
    const { world, open, answer, view } = worldOfSessions();
    open([]);
    answer({ type: 'failed', message: 'It is gone.' });
    world.advance(100);
    expect(view()).toMatchObject({ state: 'failed', problem: 'It is gone.' });
  });

  it('is read from its beginning again where it could not be, when it is to play', () => {
    const { world, handle, open, answer, heard, view } = worldOfSessions();
    open(recording());
    world.advance(600);
    answer({ type: 'failed', message: 'The disk was away.' });
    world.advance(1000);
    expect(view()).toMatchObject({ state: 'failed' });
    heard();
    handle({ type: 'controlReplay', control: { do: 'play' } });
    world.advance(3000);
    expect(view()).toMatchObject({ state: 'ended', isPaused: false, problem: null });
    expect(heard()).toEqual(both);
  });
});

describe('the live session behind a replay', () => {
  /** It has a turn, which has been heard. */
  function spoken() {
    const sessions = worldOfSessions();
    const { world, handle } = sessions;
    handle({ type: 'speak', text: 'Live.' });
    world.socket.open();
    const answer = () => {
      for (const frame of [audioFrame(samplesOf(400, LIVE)), finished, ended()]) world.socket.say(frame);
    };
    answer();
    world.advance(1000);
    expect(sessions.heard()).toEqual([[LIVE, 400]]);
    return { ...sessions, answerLive: answer };
  }

  it('keeps its connection and its turns, and is heard again when the replay is left', () => {
    const { world, handle, open, heard, view, answerLive, source } = spoken();
    open(recording());
    world.advance(200);
    handle({ type: 'leaveReplay' });
    world.advance(3000);
    expect(view()).toBeNull();
    expect(source.closed).toBe(true);
    expect(heard().every(([value, ms]) => value === FIRST && ms < 300)).toBe(true);
    handle({ type: 'speak', text: 'Again.' });
    answerLive();
    world.advance(1000);
    expect(heard()).toEqual([[LIVE, 400]]);
    expect(world.sockets).toHaveLength(1);
  });

  it('is what something is said to: that leaves the replay', () => {
    const { world, handle, open, heard, view, answerLive } = spoken();
    open(recording());
    world.advance(10);
    handle({ type: 'speak', text: 'Live again.' });
    world.advance(100);
    answerLive();
    world.advance(3000);
    expect(view()).toBeNull();
    expect(world.socket.sent).toContainEqual({ text: 'Live again.' });
    expect(heard().filter(([value]) => value === LIVE)).toEqual([[LIVE, 400]]);
  });

  it('is not told of a cancel of what is replayed', () => {
    const { world, handle, open, heard } = spoken();
    open(recording());
    world.advance(200);
    const sent = world.socket.sent.length;
    handle({ type: 'cancel' });
    world.advance(3000);
    expect(world.socket.sent).toHaveLength(sent);
    // Only what was spoken then is silent.
    expect(heard().at(-1)).toEqual([SECOND, 400]);
  });
});
