import { describe, expect, it } from 'vitest';
import { audioFrame, completed, ended, finished, samplesOf, started, World } from './testing/world.ts';

const CONFIG = { voice_id: 1071 };

/** A turn from its text to its end. */
function answer(world: World, text: string): void {
  const { socket } = world;
  socket.say(started(text));
  socket.say(audioFrame(samplesOf(200)));
  socket.say(completed());
  socket.say(finished);
  socket.say(ended());
}

describe('a whole turn', () => {
  it('connects, sends config, text and flush, and is heard to its end', () => {
    const world = new World();
    world.attachPlayer();
    world.do({ type: 'speak', text: 'Hello there.' });
    world.advance(40);
    expect(world.turn(1)).toMatchObject({ state: 'sending', text: 'Hello there.', firstTextMs: null });
    world.socket.open();
    expect(world.socket.sent).toEqual([CONFIG, { text: 'Hello there.' }, { flush: true }]);
    world.advance(100);
    expect(world.turn(1)).toMatchObject({ state: 'waiting', voice: 1071 });
    answer(world, 'Hello there.');
    world.advance(600);

    const turn = world.turn(1);
    expect(turn).toMatchObject({
      state: 'ended',
      samples: 3200,
      audioFrames: 1,
      usage: { costCents: 0.02, currency: 'eur' },
      replayable: true,
    });
    const [chunk] = turn.chunks;
    expect(chunk).toMatchObject({ text: 'Hello there.', samples: 3200, generationMs: 20 });
    expect((chunk?.heardToMs ?? 0) - (chunk?.heardFromMs ?? 0)).toBeCloseTo(200, 3);
    expect((turn.heardToMs ?? 0) - (turn.heardFromMs ?? 0)).toBeCloseTo(200, 3);
    expect(world.heard.filter((sample) => sample !== 0).length).toBeGreaterThan(3000);
    expect(turn.wait?.map((segment) => segment.name)).toEqual([
      'server',
      'firstAudioFrame',
      'decode',
      'startFloor',
      'firstSample',
      'leadingSilence',
    ]);
    const waited = turn.wait?.reduce((sum, segment) => sum + segment.ms, 0) ?? 0;
    expect(waited).toBeCloseTo((turn.heardFromMs ?? 0) - (turn.firstTextMs ?? 0), 6);
    expect(world.seen.totals).toEqual({
      turns: 1,
      audioSeconds: 0.2,
      characters: 12,
      costCents: 0.02,
      currency: 'eur',
      unknownCosts: 0,
      unreportedCosts: 0,
      planCharacters: 0,
    });
    expect(world.problems).toEqual([]);
  });

  it('leaves no timer behind when all is quiet', () => {
    const world = new World();
    world.attachPlayer();
    world.connect();
    world.do({ type: 'speak', text: 'Hi.' });
    answer(world, 'Hi.');
    world.advance(2000);
    expect(world.timers).toBe(0);
  });

  it('reports at most once per animation frame, and the first sample that is heard at once', () => {
    const world = new World();
    world.attachPlayer();
    world.connect();
    world.do({ type: 'speak', text: 'Hi.' });
    let heardMs: number | null = null;
    let reportedMs: number | null = null;
    for (let index = 0; index < 150; index += 1) {
      if (index % 3 === 0) world.socket.say(audioFrame(samplesOf(20), index / 3));
      world.advance(1);
      if (world.heard.some((sample) => sample !== 0)) heardMs ??= world.nowMs;
      if (world.turns.get(1)?.played.length) reportedMs ??= world.nowMs;
    }
    const gaps = world.updatesMs.slice(1).map((atMs, index) => atMs - (world.updatesMs[index] ?? 0));
    expect(gaps.filter((gapMs) => gapMs < 16)).toHaveLength(1);
    // This audio thread reports every four quanta, 32 ms after the start, and has rendered the first sample after 15 ms.
    expect((reportedMs ?? Number.NaN) - (heardMs ?? Number.NaN)).toBeLessThanOrEqual(17);
  });

  it('waits for a player, and plays then', () => {
    const world = new World();
    world.connect();
    world.do({ type: 'speak', text: 'Hi.' });
    answer(world, 'Hi.');
    world.advance(500);
    expect(world.turn(1)).toMatchObject({ state: 'ended', heardFromMs: null });
    world.attachPlayer();
    world.advance(500);
    expect(world.turn(1).heardToMs).not.toBeNull();
  });

  it('continues a turn that is being received when the output is replaced', () => {
    const world = new World();
    world.attachPlayer();
    world.connect();
    world.do({ type: 'speak', text: 'Hi.' });
    for (let index = 0; index < 5; index += 1) world.socket.say(audioFrame(samplesOf(200), index));
    world.advance(300);
    world.attachPlayer();
    world.advance(500);
    world.socket.say(ended(1));
    world.advance(1000);
    expect(world.turn(1).heardToMs).not.toBeNull();
    expect(world.turn(1).underruns).toEqual([]);
  });

  it('asks for an output at the rate that audio comes in', () => {
    const world = new World();
    world.attachPlayer(24_000);
    world.connect();
    world.do({ type: 'speak', text: 'Hi.' });
    answer(world, 'Hi.');
    world.advance(100);
    expect(world.seen.wantedSampleRate).toBe(16_000);
    world.attachPlayer(16_000);
    world.advance(500);
    expect(world.turn(1).heardToMs).not.toBeNull();
  });

  it('splits text that is longer than a frame', () => {
    const world = new World();
    world.connect();
    world.do({ type: 'speak', text: 'word '.repeat(3000) });
    const texts = world.socket.sent.flatMap((frame) => (frame as { text?: string }).text ?? []);
    expect(texts.join('')).toBe('word '.repeat(3000));
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(10_000);
  });

  it('has nothing to say for white space', () => {
    const world = new World();
    world.do({ type: 'speak', text: ' \n' });
    world.do({ type: 'flush' });
    expect(world.sockets).toHaveLength(0);
  });
});

describe('turns on one connection', () => {
  it('2.3.26 retires turns first in, first out', () => {
    const world = new World();
    world.connect();
    world.do({ type: 'speak', text: 'One.' });
    world.do({ type: 'speak', text: 'Two.' });
    answer(world, 'One.');
    world.socket.say(started('Two.'));
    world.advance(20);
    expect([world.turn(1).state, world.turn(2).state]).toEqual(['ended', 'waiting']);
    expect(world.turn(2).chunks.map((chunk) => chunk.text)).toEqual(['Two.']);
  });

  it('ends text that was streamed before it speaks a whole', () => {
    const world = new World();
    world.connect();
    world.do({ type: 'say', text: 'Typed', origin: 'typed' });
    world.do({ type: 'speak', text: 'Whole.' });
    expect(world.socket.sent.slice(1)).toEqual([
      { text: 'Typed' },
      { flush: true },
      { text: 'Whole.' },
      { flush: true },
    ]);
  });

  it('2.3.12 text after an idle end is the next turn, and the warning is reported', () => {
    const world = new World();
    world.connect();
    world.do({ type: 'say', text: 'One', origin: 'typed' });
    world.socket.say({ warning: 'Turn ended after 5s of inactivity.' });
    world.do({ type: 'say', text: 'Two', origin: 'typed' });
    world.advance(20);
    expect(world.turn(1)).toMatchObject({ text: 'One', state: 'waiting', flushedMs: null });
    expect(world.turn(2)).toMatchObject({ text: 'Two', state: 'sending' });
    expect(world.problems).toEqual([
      'The server ended the turn by itself: Turn ended after 5s of inactivity.',
    ]);
  });

  it('1.6 estimates timings until the server sends them, and puts late ones to the turn that has that chunk', () => {
    const world = new World();
    world.connect();
    world.do({ type: 'speak', text: 'Hi.' });
    answer(world, 'Hi.');
    world.socket.say({ word_timestamps: [], chunk_id: 0 });
    world.advance(20);
    expect(world.turn(1).chunks[0]).toMatchObject({
      words: [{ word: 'Hi' }],
      wordsAreEstimated: true,
      wordsMs: null,
    });
    world.socket.say({
      word_timestamps: [{ word: 'Hi', start_ms: 20, end_ms: 100, char_start: 0, char_end: 2 }],
      chunk_id: 0,
    });
    world.advance(20);
    expect(world.turn(1).chunks[0]).toMatchObject({
      words: [{ word: 'Hi', startMs: 20, endMs: 100 }],
      wordsAreEstimated: false,
    });
  });

  it('keeps speech for which no turn is open', () => {
    const world = new World();
    world.connect();
    answer(world, 'Unasked.');
    world.advance(20);
    expect(world.turn(1)).toMatchObject({ state: 'ended', samples: 3200 });
    expect(world.problems[0]).toContain('Speech without a turn');
  });

  it('distinguishes usage that never came and unknown charges', () => {
    const world = new World();
    world.connect();
    world.do({ type: 'speak', text: 'One.' });
    world.do({ type: 'speak', text: 'Two.' });
    world.socket.say({ session_closed: true });
    world.socket.say(ended(0.2, null));
    world.advance(20);
    expect(world.turn(1).usage).toBe('unreported');
    expect(world.turn(2).usage).toMatchObject({ costCents: null });
    expect(world.seen.totals).toMatchObject({ unknownCosts: 2, costCents: 0 });
  });
});

describe('settings', () => {
  it('2.3.2 are sent once, and again before the next turn when they have changed', () => {
    const world = new World();
    world.connect();
    world.do({ type: 'speak', text: 'One.' });
    world.do({ type: 'settings', settings: { voice_id: 1072 } });
    expect(world.socket.sent).toEqual([CONFIG, { text: 'One.' }, { flush: true }]);
    world.do({ type: 'speak', text: 'Two.' });
    world.do({ type: 'speak', text: 'Three.' });
    expect(world.socket.sent.slice(3)).toEqual([
      { voice_id: 1072 },
      { text: 'Two.' },
      { flush: true },
      { text: 'Three.' },
      { flush: true },
    ]);
    world.advance(20);
    expect([world.turn(1).voice, world.turn(2).voice]).toEqual([1071, 1072]);
  });

  it('that are changed while text streams wait for the next turn', () => {
    const world = new World();
    world.connect();
    world.do({ type: 'say', text: 'a', origin: 'typed' });
    world.do({ type: 'settings', settings: { voice_id: 1072 } });
    world.do({ type: 'say', text: 'b', origin: 'typed' });
    expect(world.socket.sent).toEqual([CONFIG, { text: 'a' }, { text: 'b' }]);
  });

  it('that can only be unset by a new connection get one, after the turn in flight', () => {
    const world = new World();
    world.do({ type: 'settings', settings: { voice_id: 1071, language: 'en' } });
    const first = world.connect();
    world.do({ type: 'speak', text: 'One.' });
    world.do({ type: 'settings', settings: CONFIG });
    world.do({ type: 'speak', text: 'Two.' });
    expect(world.sockets).toHaveLength(1);
    answer(world, 'One.');
    expect(first.closedWith).toBe(1000);
    expect(world.sockets).toHaveLength(2);
    world.socket.open();
    expect(world.socket.sent).toEqual([CONFIG, { text: 'Two.' }, { flush: true }]);
  });
});

describe('barge-in', () => {
  const speaking = (): World => {
    const world = new World();
    world.attachPlayer();
    world.connect();
    world.do({ type: 'speak', text: 'A long story.' });
    world.socket.say(started('A long story.'));
    for (let index = 0; index < 10; index += 1) world.socket.say(audioFrame(samplesOf(200), index));
    world.advance(500);
    return world;
  };

  it('is silent and over at once, without waiting for the server', () => {
    const world = speaking();
    expect(world.seen.player?.state).toBe('playing');
    world.do({ type: 'cancel' });
    world.advance(20);
    world.heard = [];
    world.advance(200);
    expect(world.turn(1)).toMatchObject({ state: 'cancelled', usage: 'unreported' });
    expect(world.turn(1).heardToMs).not.toBeNull();
    expect(world.heard.every((sample) => sample === 0)).toBe(true);
    expect(world.socket.sent.at(-1)).toEqual({ cancel: true });
    expect(world.seen.totals?.unknownCosts).toBe(1);
  });

  it('2.3.20 drops frames in transit, and counts them for the cancelled turn alone', () => {
    const world = speaking();
    world.do({ type: 'cancel' });
    world.do({ type: 'speak', text: 'Next.' });
    world.socket.say(audioFrame(samplesOf(200), 10));
    world.socket.say(audioFrame(samplesOf(200), 11));
    expect(world.socket.sent.at(-1)).toEqual({ cancel: true });
    world.socket.say({ interrupted: true });
    expect(world.socket.sent.slice(-2)).toEqual([{ text: 'Next.' }, { flush: true }]);
    answer(world, 'Next.');
    world.advance(500);
    expect(world.turn(1)).toMatchObject({ lateFrames: 2, audioFrames: 10, samples: 32_000 });
    expect(world.turn(2)).toMatchObject({ state: 'ended', lateFrames: 0, audioFrames: 1, gaps: null });
    expect(world.turn(2).heardToMs).not.toBeNull();
  });

  it('does not wait for ever for interrupted', () => {
    const world = speaking();
    world.do({ type: 'cancel' });
    world.do({ type: 'speak', text: 'Next.' });
    world.advance(1999);
    expect(world.socket.sent.at(-1)).toEqual({ cancel: true });
    world.advance(2);
    expect(world.socket.sent.at(-1)).toEqual({ flush: true });
    world.advance(20);
    expect(world.problems[0]).toContain('The cancel was not confirmed');
    // It comes all the same: it is the old turn's.
    world.socket.say({ interrupted: true });
    world.advance(20);
    expect(world.turn(2).state).toBe('waiting');
  });

  it('keeps what a cancel that crossed with the end of the turn was charged', () => {
    const world = speaking();
    world.do({ type: 'cancel' });
    world.do({ type: 'speak', text: 'Next.' });
    world.socket.say(ended());
    expect(world.socket.sent.at(-1)).toEqual({ cancel: true });
    world.socket.say({ interrupted: true });
    world.advance(20);
    expect(world.turn(1)).toMatchObject({ state: 'cancelled', usage: { costCents: 0.02 } });
    expect(world.turn(2).state).toBe('waiting');
    expect(world.problems).toEqual([]);
  });

  it('comes with another server, and the next turn is spoken there', () => {
    const world = new World();
    world.attachPlayer();
    world.connect();
    world.do({ type: 'speak', text: 'Hi.' });
    for (let index = 0; index < 10; index += 1) world.socket.say(audioFrame(samplesOf(200), index));
    world.advance(500);
    world.do({
      type: 'target',
      target: { endpoint: world.endpoint.id, base: 'ws://elsewhere', key: 'k' },
      settings: CONFIG,
    });
    world.advance(50);
    expect(world.turn(1).state).toBe('cancelled');
    const heard = world.heard.length;
    world.advance(500);
    expect(world.heard.slice(heard).every((sample) => sample === 0)).toBe(true);
    world.do({ type: 'speak', text: 'There.' });
    world.socket.open();
    expect(world.socket.address).toContain('ws://elsewhere');
    answer(world, 'There.');
    world.advance(1000);
    expect(world.turn(2)).toMatchObject({ state: 'ended' });
    expect(world.turn(2).heardToMs).not.toBeNull();
    expect(world.problems).toEqual([]);
  });

  it('only silences a turn that the server has ended', () => {
    const world = speaking();
    world.socket.say(ended());
    world.do({ type: 'cancel' });
    world.advance(20);
    expect(world.socket.sent.at(-1)).toEqual({ flush: true });
    expect(world.turn(1).state).toBe('ended');
    expect(world.turn(1).heardToMs).toBeLessThanOrEqual(world.nowMs);
  });

  it('needs no word to the server for what never left', () => {
    const world = new World();
    world.do({ type: 'speak', text: 'Hi.' });
    world.do({ type: 'cancel' });
    world.socket.open();
    world.advance(20);
    expect(world.socket.sent).toEqual([CONFIG]);
    expect(world.turn(1).state).toBe('cancelled');
  });

  it('reports a server that interrupts without a cancel', () => {
    const world = speaking();
    world.socket.say({ interrupted: true });
    world.advance(20);
    expect(world.turn(1).state).toBe('cancelled');
    expect(world.problems[0]).toContain('Interrupted by the server');
  });
});

describe('errors', () => {
  const refusal = { error: 'voice_id is required', error_code: 'MISSING_VOICE_ID', code: 400 };
  const failure = {
    error: 'Audio generation failed',
    error_code: 'INTERNAL_ERROR',
    code: 500,
    request_id: 'r1',
  };

  it('2.11 a refusal fails a turn of which nothing can come', () => {
    const world = new World();
    world.connect();
    world.do({ type: 'speak', text: 'Hi.' });
    world.socket.say(refusal);
    world.advance(20);
    expect(world.turn(1)).toMatchObject({ state: 'failed', text: 'Hi.' });
    expect(world.seen.problems).toMatchObject([
      {
        turn: 1,
        title: 'The server refused a message',
        detail: 'voice_id is required (MISSING_VOICE_ID, 400)',
        remedy: world.endpoint.explainError('MISSING_VOICE_ID', 400),
      },
    ]);
    // Its flush is answered with zero totals, and the next turn is not confused.
    world.socket.say(ended(0));
    world.do({ type: 'speak', text: 'Again.' });
    answer(world, 'Again.');
    world.advance(20);
    expect([world.turn(1).state, world.turn(2).state]).toEqual(['failed', 'ended']);
  });

  it('a server that does not answer the flush of a refused turn continues with the next', () => {
    const world = new World();
    world.connect();
    world.do({ type: 'speak', text: 'Hi.' });
    world.socket.say(refusal);
    world.do({ type: 'speak', text: 'Again.' });
    answer(world, 'Again.');
    world.advance(20);
    expect([world.turn(1).state, world.turn(2).state]).toEqual(['failed', 'ended']);
    expect(world.turn(1).samples).toBe(0);
  });

  it('2.11 a refusal leaves a turn that speaks undisturbed', () => {
    const world = new World();
    world.connect();
    world.do({ type: 'say', text: 'Hello. ', origin: 'typed' });
    world.socket.say(started('Hello.'));
    world.socket.say(refusal);
    world.advance(20);
    expect(world.turn(1).state).toBe('sending');
  });

  it('a refused config does not take the turn with it', () => {
    const world = new World();
    world.connect();
    world.do({ type: 'speak', text: 'Hi.' });
    world.socket.say(refusal);
    answer(world, 'Hi.');
    world.advance(20);
    expect(world.turn(1)).toMatchObject({ state: 'ended', samples: 3200 });
  });

  it('2.11 a failed generation ends the turn, and nothing follows for it', () => {
    const world = new World();
    world.connect();
    world.do({ type: 'speak', text: 'One.' });
    world.do({ type: 'speak', text: 'Two.' });
    world.socket.say(started('One.'));
    world.socket.say(failure);
    answer(world, 'Two.');
    world.advance(20);
    expect([world.turn(1).state, world.turn(2).state]).toEqual(['failed', 'ended']);
    expect(world.problems).toEqual([
      'The server reported an error: Audio generation failed (INTERNAL_ERROR, 500, request r1)',
    ]);
    expect(world.seen.totals?.unknownCosts).toBe(0);
  });

  it('repeat no key, neither long nor short', () => {
    for (const key of ['ka_canary_1234', 'k3y']) {
      const world = new World();
      world.do({
        type: 'target',
        target: { endpoint: world.endpoint.id, base: 'ws://server', key },
        settings: CONFIG,
      });
      world.connect();
      world.do({ type: 'speak', text: 'Hi.' });
      world.socket.say({ error: `Invalid API key ${key}`, error_code: 'UNAUTHORIZED', code: 401 });
      world.socket.say({ warning: `${key}?` });
      world.socket.say(`{"nonsense": ${key}`);
      world.socket.close(4001, `no ${key}`);
      world.advance(20);
      expect(world.socket.address).toContain(key);
      expect(JSON.stringify([world.seen, [...world.turns.values()]])).not.toContain(key);
      expect(world.problems[0]).toContain('Invalid API key [key]');
    }
  });

  it('quote the beginning of what a server writes at length', () => {
    const world = new World();
    world.connect();
    const long = 'x'.repeat(100_000);
    world.socket.say({ ...failure, error: long, error_code: long, request_id: long });
    world.socket.say({ [long]: true });
    world.advance(20);
    expect(world.problems).toHaveLength(2);
    for (const problem of world.problems) expect(problem.length).toBeLessThan(1200);
  });

  it('are listed once and counted', () => {
    const world = new World();
    world.connect();
    world.do({ type: 'say', text: 'a', origin: 'typed' });
    for (let count = 0; count < 3; count += 1) world.socket.say('no JSON');
    world.advance(20);
    expect(world.seen.problems).toMatchObject([{ times: 3 }]);
    world.do({ type: 'dismissProblems', ids: world.seen.problems?.map(({ id }) => id) ?? [] });
    world.advance(20);
    expect(world.problems).toEqual([]);
  });

  it('in audio cost no more than the frame', () => {
    const world = new World();
    world.connect();
    world.do({ type: 'speak', text: 'Hi.' });
    const odd = samplesOf(100);
    world.socket.say({ ...audioFrame(odd), audio: 'not base64!' });
    world.socket.say({ ...audioFrame(odd), audio: Buffer.alloc(5, 0x20).toString('base64'), samples: 3 });
    world.socket.say({ ...audioFrame(odd), audio: Buffer.alloc(5, 0x20).toString('base64'), samples: 2 });
    world.socket.say({ ...audioFrame(odd), samples: 7 });
    world.socket.say({ ...audioFrame(odd), sr: 8000 });
    world.socket.say(ended());
    world.advance(20);
    expect(world.turn(1)).toMatchObject({ state: 'ended', samples: 5 + odd.length });
    expect(world.seen.problems?.map((problem) => problem.title)).toEqual([
      'Audio that cannot be played',
      'An audio frame ends in the middle of a sample',
      'An audio frame does not hold the samples it names',
    ]);
  });
});

describe('replay', () => {
  /** A turn was heard to its end, and is played again from its beginning. */
  function replaying(): World {
    const world = new World();
    world.attachPlayer();
    world.connect();
    world.do({ type: 'speak', text: 'One.' });
    answer(world, 'One.');
    world.advance(500);
    world.do({ type: 'replay', turn: 1, fromSample: 0 });
    return world;
  }

  it('plays a finished turn from a sample, and changes none of its figures', () => {
    const world = new World();
    world.attachPlayer();
    world.connect();
    world.do({ type: 'speak', text: 'Hi.' });
    answer(world, 'Hi.');
    world.advance(500);
    const before = structuredClone(world.turn(1));
    world.heard = [];
    world.do({ type: 'replay', turn: 1, fromSample: 1600 });
    world.advance(60);
    expect(world.seen.player).toMatchObject({
      replaying: true,
      state: 'playing',
      tracks: [{ turn: 1, state: 'playing' }],
    });
    world.advance(500);
    expect(world.heard.filter((sample) => sample !== 0).length).toBeGreaterThan(1500);
    // The edge at its end glides to silence.
    expect(world.heard.filter((sample) => sample !== 0).length).toBeLessThanOrEqual(1600 + 2 * 64);
    expect(world.turn(1)).toEqual(before);
    expect(world.seen.player).toMatchObject({ replaying: false, state: 'idle' });
  });

  it('gives way to what is new', () => {
    const world = replaying();
    world.do({ type: 'speak', text: 'Two.' });
    answer(world, 'Two.');
    world.advance(600);
    expect(world.turn(2).heardToMs).not.toBeNull();
    expect(world.seen.player?.replaying).toBe(false);
  });

  it('can be stopped', () => {
    const world = replaying();
    world.advance(50);
    world.do({ type: 'stopReplay' });
    world.advance(20);
    expect(world.seen.player?.state).toBe('idle');
  });

  it('that was stopped when it had just ended leaves nothing of what the page halted for it', () => {
    const world = replaying();
    world.advance(1000);
    expect(world.seen.player?.replaying).toBe(false);
    const halted = world.seen.player?.tracks[0]?.epoch ?? Number.NaN;
    world.do({ type: 'stopReplay' });
    world.advance(20);
    expect(world.seen.player?.tracks[0]?.epoch).toBeGreaterThan(halted);
    world.do({ type: 'speak', text: 'Two.' });
    answer(world, 'Two.');
    world.advance(600);
    expect(world.turn(2).heardToMs).not.toBeNull();
  });
});

describe('underruns', () => {
  it('are reported where they were heard, with their length', () => {
    const world = new World();
    world.attachPlayer();
    world.connect();
    world.do({ type: 'speak', text: 'Hi.' });
    world.socket.say(started('Hi.'));
    world.socket.say(audioFrame(samplesOf(200)));
    world.advance(600);
    expect(world.turn(1).underruns).toMatchObject([{ atSample: 3200, lengthMs: null }]);
    world.socket.say(audioFrame(samplesOf(400), 1));
    world.socket.say(ended());
    world.advance(1000);
    const [underrun, ...others] = world.turn(1).underruns;
    expect(others).toEqual([]);
    expect(underrun?.lengthMs).toBeGreaterThan(100);
    expect(world.turn(1).heardToMs).not.toBeNull();
  });

  it('that nothing followed were none', () => {
    const world = new World();
    world.attachPlayer();
    world.connect();
    world.do({ type: 'speak', text: 'Hi.' });
    world.socket.say(audioFrame(samplesOf(200)));
    world.advance(600);
    world.socket.say(ended());
    world.advance(100);
    expect(world.turn(1)).toMatchObject({ underruns: [], state: 'ended' });
    expect(world.turn(1).heardToMs).not.toBeNull();
  });
});
