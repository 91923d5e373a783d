import { describe, expect, it } from 'vitest';
import type { EndpointId } from '#protocol/core/endpoint.ts';
import { CaptureReader } from '#recordings/capture/capture-reader.ts';
import { EntrySource } from '#recordings/entry-source.ts';
import { Tail } from '#recordings/store/tail.ts';
import type { CapturedMessage } from '#trace/capture-messages.ts';
import type { NewEntry } from '#trace/entry.ts';
import { record } from '../testing/recorded.ts';
import { worldOfSessions } from '../testing/sessions-world.ts';
import { audioFrame, ended, finished, samplesOf, started, World } from '../testing/world.ts';
import type { Mark, TurnView } from '../views.ts';

/** Loud constants, so that what is heard tells whose it is. */
const FIRST = 4000;
const SECOND = 8000;
/** Of the server, which has a clock of its own. */
const STARTED = 77_000_000;
/** How far the session is behind the client, see `replay-run.ts`. */
const BEHIND_MS = 250;

/** A client of a server, and a session that follows it. */
function followed(endpoint: EndpointId = 'kugel-stream') {
  const sessions = worldOfSessions();
  const { world } = sessions;
  const reader = new CaptureReader({ endpoint, address: '', startedAtMs: STARTED });
  const entries: NewEntry[] = [];
  const tail = new Tail();
  const source = new EntrySource(
    async () => ({
      index: {
        get length() {
          return entries.length;
        },
      },
      reader: { entry: async (index) => ({ index, ...(entries[index] as NewEntry) }) },
    }),
    tail,
  );
  /** Wall time of the page at the beginning of the connection. */
  const beganMs = world.nowMs;
  const say = (direction: 'in' | 'out' | 'connection', frame: object, kind = ''): void => {
    const message: CapturedMessage = { atMs: atMs(), direction, kind, text: JSON.stringify(frame) };
    entries.push(reader.read(message));
  };
  const atMs = (): number => STARTED + world.nowMs - beganMs;
  /** Entries so far reach the page. */
  const send = (): void => tail.advance(reader.usAt(atMs()), world.nowMs - (atMs() - STARTED));
  const connect = (): void => {
    say('connection', {}, 'opening');
    say('connection', {}, 'opened');
    send();
  };
  const speak = (text: string, value: number, ms = 400): void => {
    say('out', { text, voice_id: 1071, flush: true });
    for (const frame of [started(text), audioFrame(samplesOf(ms, value)), finished, ended()])
      say('in', frame);
    send();
  };
  const close = (code: number): void => {
    say('connection', { code, reason: '', asked: false, left: false }, 'closed');
    send();
    tail.end();
  };
  /** Time in which nothing happens, or only what was said already reaches the page. */
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 50) {
      await sessions.advance(Math.min(50, ms - passed));
      if (!tail.isOver) send();
    }
  };
  const open = (): void => {
    sessions.openWith((from) => source.batch(from), { endpoint, follows: true });
  };
  const listen = (isListening: boolean): void =>
    sessions.handle({ type: 'controlReplay', control: { do: 'listen', isListening } });
  const updates = () =>
    sessions.reports.flatMap((report) =>
      report.type === 'update' && report.run === sessions.view()?.run ? [report.update] : [],
    );
  const marks = (kind: Mark['kind']): number[] =>
    updates()
      .flatMap((update) => update.marks ?? [])
      .flatMap((mark) => (mark.kind === kind ? [mark.atMs] : []));
  const turns = () =>
    new Map(updates().flatMap(({ turns: some = [] }) => some.map((turn) => [turn.id, turn] as const)));
  const connection = () => updates().findLast((update) => update.connection)?.connection;
  return {
    ...sessions,
    ...{ beganMs, say, send, connect, speak, close, pass, open, listen, marks, turns, connection },
  };
}

describe('the session of another client that is followed', () => {
  it('has the turns of the client as they happen, with their own times, and is silent', async () => {
    const { connect, speak, pass, open, view, heard, marks, turns, beganMs, world } = followed();
    connect();
    open();
    await pass(1000);
    speak('One.', FIRST);
    await pass(BEHIND_MS + 50);
    expect(turns().get(1)).toMatchObject({ text: 'One.', state: 'ended', samples: 6400 });
    await pass(700);
    speak('Two.', SECOND);
    await pass(2000);
    expect(turns().get(2)).toMatchObject({ text: 'Two.', state: 'ended' });
    expect(marks('audio')).toEqual([1000, 2000].map((ms) => beganMs + ms + BEHIND_MS));
    expect(marks('connected')).toEqual([beganMs + BEHIND_MS]);
    expect(view()).toMatchObject({ state: 'playing', followed: { isListening: false }, missing: 0 });
    expect(heard()).toEqual([]);
    expect(world.sockets).toEqual([]);
  });

  it('plays the requests of an endpoint that the page does not offer, beside refused ones', async () => {
    const { connect, say, send, pass, open, listen, heard, turns } = followed('kugel-tts');
    const word = { word: 'One', start_ms: 0, end_ms: 300, char_start: 0, char_end: 3 };
    connect();
    open();
    listen(true);
    await pass(500);
    say('out', { text: 'Refused.', voice_id: 'nobody' });
    say('in', { error: 'No.', error_code: 'NOT_FOUND', code: 404 });
    say('out', { text: 'One.', voice_id: 1071, word_timestamps: true });
    say('out', { text: 'Two.', voice_id: 1071 });
    say('out', { text: 'Malformed.', speed: 9 });
    say('in', { error: 'No.', error_code: 'VALIDATION_ERROR', code: 400 });
    say('in', audioFrame(samplesOf(400, FIRST)));
    say('in', { word_timestamps: [word], chunk_id: 0 });
    say('in', { final: true, chunks: 1, dur_ms: 400 });
    send();
    await pass(1500);
    expect(turns().get(1)).toMatchObject({ text: 'Refused.', state: 'failed' });
    const changedChunks = [
      { chunk: { text: 'One.', words: [{ word: 'One' }], completedMs: expect.any(Number) } },
    ];
    expect(turns().get(2)).toMatchObject({ text: 'One.', state: 'ended', samples: 6400, changedChunks });
    expect(turns().get(3)).toMatchObject({ text: 'Two.', state: 'waiting', samples: 0 });
    expect(heard()).toEqual([[FIRST, 400]]);
  });

  it('has the turns that the client itself has, with text in pieces, a cancel and an error', async () => {
    const own = new World();
    const { entries } = record(own);
    const socket = own.connect();
    const answer = (text: string, ms: number) => {
      for (const frame of [started(text), audioFrame(samplesOf(ms)), finished, ended()]) socket.say(frame);
    };
    for (const text of ['One ', 'by ', 'one.']) own.do({ type: 'say', text, origin: 'simulated' });
    for (const text of ['Queued.', 'Cancelled.']) own.do({ type: 'speak', text });
    answer('One by one.', 200);
    answer('Queued.', 200);
    socket.say(audioFrame(samplesOf(5000)));
    own.advance(400);
    own.do({ type: 'cancel' });
    socket.say(audioFrame(samplesOf(100)));
    own.do({ type: 'speak', text: 'After it.' });
    socket.say({ interrupted: true });
    answer('After it.', 100);
    own.do({ type: 'speak', text: 'Refused.' });
    socket.say({ error: 'No.', code: 400 });

    const { connect, say, send, pass, open, turns } = followed();
    connect();
    open();
    for (const { direction, payload } of entries()) {
      if (direction === 'in' || direction === 'out') say(direction, JSON.parse(String(payload)));
    }
    send();
    await pass(500);
    const seen = (views: Iterable<Pick<TurnView, 'id' | 'text' | 'state' | 'samples' | 'lateFrames'>>) =>
      [...views].map(({ id, text, state, samples, lateFrames }) => [id, text, state, samples, lateFrames]);
    expect(seen(turns().values())).toEqual(seen(own.turns.values()));
    expect(seen(own.turns.values())).toHaveLength(5);
  });

  it('begins with everything of before at once, at the times at which it was', async () => {
    const { connect, speak, pass, open, marks, turns, beganMs } = followed();
    connect();
    await pass(500);
    speak('One.', FIRST);
    await pass(6000);
    speak('Two.', SECOND);
    await pass(1000);
    open();
    await pass(50);
    expect(turns().size).toBe(2);
    expect(marks('audio')).toEqual([500, 6500].map((ms) => beganMs + ms + BEHIND_MS));
    speak('Three.', SECOND);
    await pass(500);
    expect(marks('audio').at(-1)).toBe(beganMs + 7550 + BEHIND_MS);
    expect(turns().get(1)).toMatchObject({ wait: null, firstTextMs: beganMs + 500 + BEHIND_MS });
  });

  it('keeps the times of frames that reach the page late', async () => {
    const { connect, speak, advance, pass, say, send, open, marks, beganMs } = followed();
    connect();
    open();
    await pass(500);
    say('out', { text: 'One.', voice_id: 1071, flush: true });
    say('in', started('One.'));
    await advance(100);
    say('in', audioFrame(samplesOf(100)));
    // Nothing reaches the page for three seconds.
    await advance(3000);
    send();
    await pass(100);
    speak('Two.', SECOND);
    await pass(500);
    expect(marks('audio')).toEqual([600, 3700].map((ms) => beganMs + ms + BEHIND_MS));
  });

  it('is heard from the turn on that somebody listens to, whole, until they stop', async () => {
    const { connect, speak, pass, open, listen, heard, view } = followed();
    connect();
    speak('Past.', 2000);
    await pass(3000);
    open();
    await pass(500);
    listen(true);
    await pass(500);
    expect(heard()).toEqual([]);
    speak('One.', FIRST);
    await pass(1500);
    expect(heard()).toEqual([[FIRST, 400]]);
    expect(view()?.followed).toEqual({ isListening: true });
    speak('Two.', SECOND, 5000);
    await pass(1000);
    listen(false);
    await pass(5000);
    const [[value, ms] = [0, 0]] = heard();
    expect(value).toBe(SECOND);
    expect(ms).toBeLessThan(1000);
    speak('Three.', FIRST);
    await pass(1000);
    expect(heard()).toEqual([]);
  });

  it('is heard from the beginning of a turn that its client may still be playing', async () => {
    const { connect, speak, pass, open, listen, heard } = followed();
    connect();
    open();
    speak('Long.', FIRST, 2000);
    await pass(1000);
    listen(true);
    await pass(3000);
    expect(heard()).toEqual([[FIRST, 2000]]);
  });

  it('is heard from a turn that its client can only play behind the turn before', async () => {
    const { connect, speak, pass, open, listen, heard } = followed();
    connect();
    open();
    speak('Long.', FIRST, 2000);
    speak('Next.', SECOND);
    await pass(2000 + BEHIND_MS + 100);
    listen(true);
    await pass(3000);
    expect(heard()).toEqual([[SECOND, 400]]);
  });

  it('ends with the connection, and is a replay from then on', async () => {
    const { connect, speak, pass, close, open, handle, heard, view } = followed();
    connect();
    open();
    speak('One.', FIRST);
    await pass(1000);
    speak('Two.', SECOND);
    await pass(1000);
    close(1000);
    await pass(500);
    expect(view()).toMatchObject({ state: 'ended', followed: {}, recording: { durationUs: 2_000_000 } });
    handle({ type: 'controlReplay', control: { do: 'play' } });
    await pass(3000);
    expect(view()).toMatchObject({ state: 'ended', followed: null });
    expect(heard()).toEqual([
      [FIRST, 400],
      [SECOND, 400],
    ]);
  });

  it('shows a loss as the client had it, and tries nothing again', async () => {
    const { connect, say, send, pass, close, open, connection, turns, reports } = followed();
    connect();
    open();
    say('out', { text: 'One.', voice_id: 1071, flush: true });
    say('in', started('One.'));
    send();
    await pass(500);
    close(1006);
    await pass(5000);
    expect(connection()).toMatchObject({ state: 'failed', close: { code: 1006 } });
    expect(turns().get(1)?.state).toBe('lost');
    expect(JSON.stringify(reports)).not.toContain('"retrying"');
  });

  it('takes no command of a replay, and counts the frames that the server had dropped', async () => {
    const { connect, say, speak, pass, open, handle, turns, view } = followed();
    connect();
    say('connection', { entries: 12 }, 'lost');
    open();
    for (const control of [{ do: 'pause' }, { do: 'seek', toMs: 0 }, { do: 'speed', speed: 4 }] as const)
      handle({ type: 'controlReplay', control });
    speak('One.', FIRST);
    await pass(500);
    expect(turns().size).toBe(1);
    expect(view()).toMatchObject({ speed: 1, isPaused: false, run: 1, missing: 12 });
  });
});
