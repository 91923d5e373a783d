import { describe, expect, it } from 'vitest';
import { A, B, C, LINE_PAUSE_MS, SceneWorld } from './testing/stage.ts';

const SIMULATED = {
  kind: 'simulated',
  profile: {
    timeToFirstTokenMs: 50,
    tokensPerSecond: 20,
    jitter: 0,
    burst: { every: 0, size: 0 },
    stall: { chance: 0, ms: 0 },
  },
  seed: 1,
} as const;

const waitOf = (stage: SceneWorld, id: number) =>
  new Map(stage.turn(id).wait?.map(({ name, ms }) => [name, ms]));

describe('lines that are heard in turn', () => {
  it('wait until the line before was heard, and report the saved time', () => {
    const stage = new SceneWorld();
    stage.performOpened(['a', 'b']);
    stage.advance(400);
    // The second line is there first.
    stage.speaks('b', 300, 4000);
    stage.advance(100);
    expect(stage.turn(2)).toMatchObject({ held: true, heardFromMs: null });
    stage.speaks('a', 300, 8000);
    stage.advance(1500);
    const [first, second] = stage.voices();
    expect([first, second]).toMatchObject([
      { value: 8000, samples: 4800 },
      { value: 4000, samples: 4800 },
    ]);
    const gapMs = ((second?.from ?? 0) - (first?.from ?? 0) - 4800) / 16;
    // To within a quantum and a report of the audio thread.
    expect(gapMs).toBeGreaterThanOrEqual(LINE_PAUSE_MS - 8);
    expect(gapMs).toBeLessThan(LINE_PAUSE_MS + 60);
    const { turnTaking } = stage.turn(2);
    expect(turnTaking?.gapMs).toBeCloseTo(gapMs, 0);
    expect(turnTaking?.savedMs).toBeCloseTo((turnTaking?.readyMs ?? 0) - gapMs, 0);
    expect(turnTaking?.savedMs).toBeGreaterThan(100);
    expect(waitOf(stage, 2).has('inTurn')).toBe(true);
    expect(stage.turn(1).turnTaking).toBeNull();
  });

  it.each(['before the sound output', 'before the lines take turns'])(
    'count their wait for the line before where the audio came %s',
    (what) => {
      const isWithoutOutput = what === 'before the sound output';
      const stage = new SceneWorld({ listening: isWithoutOutput ? 'inTurn' : 'together' });
      if (isWithoutOutput) stage.do({ type: 'detachPlayer' });
      stage.performOpened(isWithoutOutput ? ['a', 'b'] : ['a', 'a']);
      stage.speaks('a', 1000, 1000);
      stage.speaks(isWithoutOutput ? 'b' : 'a', 300, 2000);
      stage.advance(100);
      if (isWithoutOutput) stage.attachPlayer();
      else stage.do({ type: 'listen', listening: 'inTurn', pauseMs: 500 });
      stage.advance(2500);
      expect(waitOf(stage, 2).get('startFloor')).toBeLessThan(150);
      expect(waitOf(stage, 2).get('inTurn')).toBeGreaterThan(1000);
      if (isWithoutOutput) expect(stage.turn(2).turnTaking).toMatchObject({ readyMs: 0 });
    },
  );

  it.each<[string, string, (stage: SceneWorld) => void, number[]]>([
    ['a repeat is stopped before', 'ab', (stage) => stage.do({ type: 'stopRepeat' }), [1000, 2000]],
    ['speakers have several lines each', 'abab', () => {}, [1000, 2000, 3000, 4000]],
    [
      'a line is cancelled and another fails',
      'abca',
      (stage) => {
        stage.says('b', { error: 'x', code: 500 });
        stage.do({ type: 'cancel', context: 'a' });
      },
      [3000],
    ],
  ])('keep the order of the script where %s', (_, script, happens, heard) => {
    const stage = new SceneWorld({ speakers: [A, B, C] });
    const speakers = [...script];
    stage.performOpened(speakers);
    happens(stage);
    // Speaker after speaker, not in the order of the script.
    for (const speaker of new Set(speakers)) {
      speakers.forEach((each, line) => {
        if (each === speaker && heard.includes((line + 1) * 1000)) stage.speaks(each, 200, (line + 1) * 1000);
      });
    }
    stage.advance(3000);
    expect(stage.voices().map(({ value, samples }) => [value, samples])).toEqual(
      heard.map((value) => [value, 3200]),
    );
  });

  it('end a repeat, whichever speaker is repeated', () => {
    const stage = new SceneWorld();
    stage.performOpened(['a', 'b']);
    stage.speaks('a', 300, 1000);
    stage.speaks('b', 3000, 2000);
    stage.advance(5000);
    stage.do({ type: 'repeat', turn: 2, fromSample: 0 });
    stage.advance(300);
    expect(stage.seen.player?.repeating).toBe(true);
    stage.perform(['a']);
    const from = stage.heard.length;
    stage.speaks('a', 600, 4000);
    stage.advance(1000);
    expect(stage.voices(from)).toMatchObject([{ value: 4000, samples: 9600 }]);
    expect(stage.seen.player?.repeating).toBe(false);
  });
});

describe('a line that interrupts', () => {
  it('cuts off the line before with a cancel, and its speaker speaks when the server has confirmed it', () => {
    const stage = new SceneWorld({ speakers: [A, B, C] });
    stage.performOpened(['a', 'b'], { interrupts: 1 });
    stage.begins('a', 5000, 8000);
    stage.speaks('b', 300, 4000);
    stage.advance(1800);
    expect(stage.frames.at(-1)).toEqual({ cancel: true, context_id: 'a' });
    expect(stage.states(1)).toEqual(['cancelled']);
    stage.perform(['a']);
    expect(stage.textsTo('a')).toHaveLength(1);
    stage.says('a', { interrupted: true });
    expect(stage.textsTo('a')).toHaveLength(2);
    stage.advance(500);
    const [cut, interrupting] = stage.voices();
    expect([cut?.value, interrupting?.value]).toEqual([8000, 4000]);
    expect((cut?.samples ?? 0) / 16).toBeGreaterThan(1450);
    expect((cut?.samples ?? 0) / 16).toBeLessThan(1650);
  });

  it('leaves all later lines of both speakers, also where all were received before', () => {
    const stage = new SceneWorld();
    const script = [...'ababab'];
    stage.performOpened(script, { closeAfter: true, interrupts: 3 });
    script.forEach((speaker, line) => {
      stage.speaks(speaker, line === 2 ? 5000 : 300, (line + 1) * 1000);
    });
    for (const context of ['a', 'b']) stage.closes(context);
    stage.advance(9000);
    expect(stage.values).toEqual([1000, 2000, 3000, 4000, 5000, 6000]);
    expect(stage.voices()[2]?.samples).toBeLessThan(1650 * 16);
    expect([3, 4, 5].map((id) => stage.turn(id).silencedMs !== null)).toEqual([true, false, false]);
    expect(stage.states(5)).toEqual(['ended']);
  });

  it('cancels no context on the server with later lines on their way', () => {
    const stage = new SceneWorld();
    stage.performOpened(['a', 'b', 'a'], { interrupts: 1 });
    stage.begins('a', 2500, 1000);
    stage.speaks('b', 300, 2000);
    stage.advance(1800);
    expect(stage.states(1)).toEqual(['cancelled']);
    // The rest of the line that was cut off, and then the next.
    stage.speaks('a', 500, 1000);
    stage.speaks('a', 300, 3000);
    stage.advance(2000);
    expect(stage.frames.some(({ cancel }) => cancel)).toBe(false);
    expect(stage.values).toEqual([1000, 2000, 3000]);
    expect(stage.turn(1).lateFrames).toBe(1);
    expect(stage.states(3)).toEqual(['ended']);
    expect(stage.problems).toEqual([]);
  });
});

describe('lines that are heard together', () => {
  it('add up', () => {
    const stage = new SceneWorld({ listening: 'together' });
    stage.performOpened(['a', 'b']);
    stage.speaks('a', 300, 8000);
    stage.speaks('b', 300, 4000);
    stage.advance(1000);
    expect(stage.values).toContain(12_000);
  });

  it('lose no sample where they take turns for a while', () => {
    const stage = new SceneWorld({ listening: 'together' });
    stage.performOpened(['a', 'b', 'a']);
    stage.speaks('a', 500, 1000);
    stage.speaks('a', 500, 4000);
    stage.advance(250);
    stage.do({ type: 'listen', listening: 'inTurn', pauseMs: LINE_PAUSE_MS });
    stage.advance(600);
    // The second line has not come yet, and the third waits for it.
    expect(stage.turn(3)).toMatchObject({ held: true, heardFromMs: null });
    stage.do({ type: 'listen', listening: 'together', pauseMs: LINE_PAUSE_MS });
    stage.advance(1000);
    const total = stage.voices().reduce((sum, { value, samples }) => sum + (value === 4000 ? samples : 0), 0);
    expect(total).toBe(8000);
    expect(stage.turn(3).heardToMs).not.toBeNull();
  });
});

describe('a cancel', () => {
  const cancelsOf = (stage: SceneWorld) => stage.frames.filter(({ cancel }) => cancel);

  it('of one speaker silences that one, and delays only its text', () => {
    const stage = new SceneWorld({ listening: 'together' });
    stage.performOpened(['a', 'b']);
    for (const context of ['a', 'b']) stage.begins(context, 1000, 4000);
    stage.advance(400);
    stage.do({ type: 'cancel', context: 'a' });
    expect(stage.frames.at(-1)).toEqual({ cancel: true, context_id: 'a' });
    stage.perform(['a', 'b']);
    expect(['a', 'b'].map((context) => stage.textsTo(context).length)).toEqual([1, 2]);
    stage.says('a', { interrupted: true });
    expect(stage.textsTo('a')).toHaveLength(2);
    stage.says('b', { final: true });
    stage.advance(1200);
    expect(stage.states(1)).toEqual(['cancelled']);
    expect(stage.turn(2).heardToMs).not.toBeNull();
  });

  it('of all is one frame and silence', () => {
    const stage = new SceneWorld({ listening: 'together' });
    stage.performOpened(['a', 'b']);
    for (const context of ['a', 'b']) stage.begins(context, 1000, 4000);
    stage.advance(300);
    stage.do({ type: 'cancel' });
    expect(cancelsOf(stage)).toEqual([{ cancel: true }]);
    stage.socket.say({ interrupted: true });
    const from = stage.heard.length;
    stage.advance(500);
    expect(stage.heard.slice(from + 200).every((sample) => sample === 0)).toBe(true);
    expect(stage.states(1, 2)).toEqual(['cancelled', 'cancelled']);
  });

  it('of all names closing contexts, which a cancel of all does not reach', () => {
    const stage = new SceneWorld({ listening: 'together', speakers: [A, B, C] });
    stage.performOpened(['a', 'b'], { closeAfter: true });
    stage.performOpened(['c']);
    for (const context of ['a', 'b', 'c']) stage.begins(context, 1000, 4000);
    stage.advance(300);
    stage.do({ type: 'cancel' });
    expect(cancelsOf(stage)).toEqual([
      { cancel: true, context_id: 'a' },
      { cancel: true, context_id: 'b' },
      { cancel: true },
    ]);
    // The answers do not name their cancel, and interrupt no text that is sent meanwhile.
    stage.socket.say({ interrupted: true });
    stage.perform(['c']);
    for (let answers = 0; answers < 2; answers += 1) stage.socket.say({ interrupted: true });
    for (const context of ['a', 'b']) stage.closes(context);
    stage.speaks('c', 300, 2000);
    stage.advance(1000);
    expect(stage.problems).toEqual([]);
    expect(stage.states(1, 2, 3, 4)).toEqual(['cancelled', 'cancelled', 'cancelled', 'ended']);
    expect(stage.turns.size).toBe(4);
  });

  it('of all is sent to no context but the closing ones where all that speak are closing', () => {
    const stage = new SceneWorld({ listening: 'together' });
    stage.performOpened(['a'], { closeAfter: true });
    stage.do({ type: 'cancel' });
    expect(stage.frames.slice(3)).toEqual([{ cancel: true, context_id: 'a' }]);
  });

  it('of all silences and marks the turns that were not heard yet, and leaves those that were', () => {
    const stage = new SceneWorld();
    stage.performOpened(['a', 'b', 'a', 'b']);
    stage.speaks('a', 200, 1000);
    stage.speaks('b', 2000, 2000);
    stage.speaks('a', 200, 3000);
    stage.advance(1000);
    stage.do({ type: 'cancel' });
    const atMs = stage.nowMs;
    stage.advance(1000);
    expect([1, 2, 3, 4].map((id) => stage.turn(id).silencedMs)).toEqual([null, atMs, atMs, null]);
    expect([2, 3].map((id) => stage.turn(id).heardToMs)).toEqual([atMs, null]);
    const marks = stage.marks.filter(({ kind }) => kind === 'cancel');
    expect(marks.map(({ context, turn }) => [context, turn]).sort()).toEqual([
      ['a', 3],
      ['b', 2],
      ['b', 4],
    ]);
  });

  it('of an output that was replaced does not reach the next one', () => {
    const stage = new SceneWorld({ listening: 'together' });
    const epoch = () => stage.seen.player?.tracks.find(({ context }) => context === 'a')?.epoch ?? -1;
    stage.performOpened(['a']);
    stage.speaks('a', 300, 1000);
    stage.advance(100);
    stage.do({ type: 'cancel' });
    stage.advance(100);
    const before = epoch();
    expect(before).toBeGreaterThan(0);
    stage.do({ type: 'detachPlayer' });
    stage.attachPlayer();
    stage.advance(100);
    expect(epoch()).toBeGreaterThan(before);
  });
});

describe('lines of simulated models', () => {
  /** Performs until the first tokens were sent. */
  async function simulating(speakers: string[], closeAfter = false): Promise<SceneWorld> {
    const stage = new SceneWorld();
    stage.perform(speakers, { source: SIMULATED, closeAfter });
    await stage.advanceSettled(100);
    return stage;
  }

  it('are written at once by several speakers, and one after the other by one', async () => {
    const stage = await simulating(['a', 'b', 'a']);
    for (const context of ['a', 'b']) stage.opens(context);
    expect([1, 2, 3].map((id) => stage.turn(id).textFrames)).toEqual([1, 1, 0]);
    // A flush by hand ends no line.
    stage.do({ type: 'flush' });
    await stage.advanceSettled(1000);
    expect(stage.frames.filter(({ flush }) => flush)).toHaveLength(3);
    expect(stage.turn(1)).toMatchObject({ text: 'Line 0 of a.', flushedMs: expect.any(Number) });
    expect(stage.textsTo('a').join('')).toBe('Line 0 of a.Line 2 of a.');
  });

  it('continue with the next line of a speaker when one has failed', async () => {
    const stage = await simulating(['a', 'b', 'a', 'b'], true);
    for (const context of ['a', 'b']) stage.opens(context);
    stage.says('a', { error: 'x', code: 500 });
    await stage.advanceSettled(1500);
    expect(stage.states(1, 2, 3, 4)).toEqual(['failed', 'waiting', 'waiting', 'waiting']);
    stage.speaks('b', 300, 2000);
    stage.speaks('a', 300, 3000);
    stage.speaks('b', 300, 4000);
    await stage.advanceSettled(2500);
    expect(stage.values).toEqual([2000, 3000, 4000]);
  });

  it('close the context behind a last line that failed', async () => {
    const stage = await simulating(['a'], true);
    stage.opens('a');
    stage.says('a', { error: 'x', code: 500 });
    expect(stage.frames.at(-1)).toEqual({ close_context: true, context_id: 'a' });
  });

  it('continue with the unsent lines when a lost connection comes back', async () => {
    const stage = await simulating(['a', 'b', 'a', 'b']);
    stage.socket.close(1006);
    await stage.advanceSettled(200);
    // Tokens do not hurry the next try.
    expect(stage.sockets).toHaveLength(1);
    await stage.advanceSettled(1000);
    expect(stage.sockets).toHaveLength(2);
    stage.socket.open();
    await stage.advanceSettled(500);
    expect(stage.states(1, 2, 3, 4)).toEqual(['lost', 'lost', 'sending', 'sending']);
    for (const context of ['a', 'b']) stage.opens(context);
    await stage.advanceSettled(500);
    stage.speaks('a', 300, 3000);
    stage.speaks('b', 300, 4000);
    await stage.advanceSettled(1500);
    expect(stage.values).toEqual([3000, 4000]);
  });

  it('fail with one problem where text cannot be cut into tokens', async () => {
    const stage = new SceneWorld({ tokens: () => Promise.reject(new Error('no file')) });
    stage.perform(['a', 'b', 'a'], { source: SIMULATED, closeAfter: true });
    await stage.advanceSettled(200);
    expect(stage.states(1, 2, 3)).toEqual(['failed', 'failed', 'failed']);
    expect(stage.problems).toHaveLength(1);
  });
});

describe('a speaker who is removed', () => {
  it('speaks no line that was not sent', async () => {
    const stage = new SceneWorld();
    stage.perform(['b', 'b', 'a'], { source: SIMULATED });
    await stage.advanceSettled(100);
    stage.opens('b');
    stage.do({ type: 'speakers', speakers: [A] });
    expect(stage.frames.at(-1)).toEqual({ close_context: true, context_id: 'b' });
    stage.closes('b');
    await stage.advanceSettled(1500);
    expect(stage.states(1, 2, 3)).toEqual(['lost', 'cancelled', 'waiting']);
    expect(stage.frames.at(-1)).toMatchObject({ context_id: 'a' });
    expect(stage.frames.findLast(({ context_id }) => context_id === 'b')?.close_context).toBe(true);
  });

  it('is closed once the context that is being opened is open', () => {
    const stage = new SceneWorld();
    stage.perform(['b']);
    stage.do({ type: 'speakers', speakers: [A] });
    expect(stage.frames).toHaveLength(1);
    stage.opens('b');
    expect(stage.frames.slice(1)).toEqual([
      { flush: true, context_id: 'b' },
      { close_context: true, context_id: 'b' },
    ]);
  });
});
