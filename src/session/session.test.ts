import { describe, expect, it } from 'vitest';
import { protocolOf } from '#protocol/protocols.ts';
import { endpointOf } from '#protocol/registry.ts';
import type { OpenWordSearcher } from './measuring/measured-words.ts';
import type { FoundWords, SoundMessage } from './measuring/word-search.ts';
import { EndpointSession } from './session.ts';
import { ReplayWorld, record } from './testing/recorded.ts';
import { ServedWorld } from './testing/served.ts';
import { audioFrame, completed, ended, finished, samplesOf, started, World } from './testing/world.ts';

const CONFIG = { voice_id: 1071 };

/** A connected world that has sent these texts as whole turns. */
function speaking(...texts: string[]): World {
  const world = new World();
  world.attachPlayer();
  world.connect();
  for (const text of texts) world.do({ type: 'speak', text });
  return world;
}

/** The server speaks a whole turn. */
function answer(world: World, text: string): void {
  for (const frame of [started(text), audioFrame(samplesOf(200)), completed(), finished, ended()])
    world.socket.say(frame);
}

const states = ({ turns }: World) => [...turns.values()].map(({ state }) => state);

describe('a turn', () => {
  it('sends config, text and flush, and has the figures of its chunk, its wait and its usage', () => {
    const world = speaking('Hello there.');
    expect(world.socket.sent).toEqual([CONFIG, { text: 'Hello there.' }, { flush: true }]);
    answer(world, 'Hello there.');
    world.advance(600);
    expect(world.turn(1)).toMatchObject({
      voice: '1071',
      usage: { costCents: 0.02, currency: 'eur' },
      chunks: [{ text: 'Hello there.', generationMs: 20 }],
    });
    expect(world.turn(1).wait?.map(({ name }) => name)).toEqual([
      'server',
      'firstAudioFrame',
      'decode',
      'startFloor',
      'firstSample',
      'leadingSilence',
    ]);
    expect(world.seen.totals).toMatchObject({ turns: 1, audioSeconds: 0.2, characters: 12, costCents: 0.02 });
  });

  it('is reported at most once per animation frame, and its first sample at once', () => {
    const world = speaking('Hi.');
    let heardMs = Number.NaN;
    let reportedMs = Number.NaN;
    for (let index = 0; index < 150; index += 1) {
      if (index % 3 === 0) world.socket.say(audioFrame(samplesOf(20), index / 3));
      world.advance(1);
      if (Number.isNaN(heardMs) && world.heard.some((sample) => sample !== 0)) heardMs = world.nowMs;
      if (Number.isNaN(reportedMs) && world.turns.get(1)?.played.length) reportedMs = world.nowMs;
    }
    const gaps = world.updatesMs.slice(1).map((atMs, index) => atMs - (world.updatesMs[index] ?? 0));
    expect(gaps.filter((gapMs) => gapMs < 16)).toHaveLength(1);
    // This audio thread reports every four quanta, 32 ms after the start, and has rendered the first sample after 15 ms.
    expect(reportedMs - heardMs).toBeLessThanOrEqual(17);
  });

  it('requests an output at the rate of its audio', () => {
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

  it.each([
    ['fits', 'a'.repeat(10_000), [10_000]],
    ['has white space near the limit', `${'a'.repeat(8000)} ${'b'.repeat(8000)}`, [8001, 8000]],
    ['has white space far from the limit', `${'a'.repeat(7000)} ${'b'.repeat(8000)}`, [10_000, 5001]],
    ['has a surrogate pair at the limit', `${'a'.repeat(9999)}😀`, [9999, 2]],
  ])('is sent in frames of 10,000 characters where its text %s', (_, text, lengths) => {
    const frames = speaking(text).socket.sent.flatMap((frame) => (frame as { text?: string }).text ?? []);
    expect(frames.map(({ length }) => length)).toEqual(lengths);
    expect(frames.join('')).toBe(text);
  });

  it('is not begun by white space', () => {
    const world = new World();
    world.do({ type: 'speak', text: ' \n' });
    world.do({ type: 'flush' });
    expect(world.sockets).toHaveLength(0);
  });

  it('is retired first in, first out', () => {
    const world = speaking('One.', 'Two.');
    answer(world, 'One.');
    world.socket.say(started('Two.'));
    world.advance(20);
    expect(states(world)).toEqual(['ended', 'waiting']);
    expect(world.turn(2).chunks.map(({ text }) => text)).toEqual(['Two.']);
  });

  it('ends streamed text before a whole is spoken', () => {
    const world = speaking();
    world.do({ type: 'say', text: 'Typed', origin: 'typed' });
    world.do({ type: 'speak', text: 'Whole.' });
    const flush = { flush: true };
    expect(world.socket.sent.slice(1)).toEqual([{ text: 'Typed' }, flush, { text: 'Whole.' }, flush]);
  });

  it.each(['kugel-stream', 'murmr'] as const)(
    'has no words that are typed while the connection to %s closes, which begin one on the next connection',
    (id) => {
      const world = new ServedWorld(endpointOf(id));
      world.connect();
      world.accept();
      world.do({ type: 'say', text: 'Good ', origin: 'typed' });
      world.do({ type: 'disconnect' });
      world.do({ type: 'say', text: 'morning ', origin: 'typed' });
      world.socket.close(1000);
      world.advance(20);
      expect(world.turn(1)).toMatchObject({ state: 'lost', text: 'Good ' });
      expect(world.turn(2)).toMatchObject({ state: 'sending', text: 'morning ' });
      world.accept();
      expect(world.hasSent('morning ')).toBe(true);
    },
  );

  it('ends by idleness with a warning, and further text is the next turn', () => {
    const world = speaking();
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

  it('has estimated word times until the server sends them, which may be after its end', () => {
    const world = speaking('Hi.');
    answer(world, 'Hi.');
    const words = [{ word: 'Hi', start_ms: 20, end_ms: 100, char_start: 0, char_end: 2 }];
    for (const [sent, expected] of [
      [[], { words: [{ word: 'Hi' }], wordSource: 'estimated', wordsMs: null }],
      [words, { words: [{ word: 'Hi', startMs: 20, endMs: 100 }], wordSource: 'server' }],
    ]) {
      world.socket.say({ word_timestamps: sent, chunk_id: 0 });
      world.advance(20);
      expect(world.turn(1).chunks).toMatchObject([expected]);
    }
  });

  it('has measured word times of the sound so far, estimates behind them, and keeps those of the server', () => {
    const text = 'One two three.';
    const posted: SoundMessage[] = [];
    let found: (words: FoundWords) => void = () => {};
    const openWordSearcher: OpenWordSearcher = (report) => {
      found = report;
      return { post: (message) => posted.push(message) };
    };
    const world = new World(undefined, undefined, (options) => {
      return new EndpointSession({ ...options, openWordSearcher });
    });
    const recorded = record(world);
    world.attachPlayer();
    world.connect();
    world.do({ type: 'speak', text });
    const word = (name: string, startMs: number, charStart: number) => {
      const place = { charStart, charEnd: charStart + name.length };
      return { word: name, startMs, endMs: startMs + 50, ...place, referenceMs: 60, leastMs: null };
    };
    const first = word('One', 140, 0);
    const chunk = { turn: 1, chunk: 0, text };
    const shown = () => {
      world.advance(20);
      return world.turn(1).chunks[0];
    };

    world.socket.say(started(text));
    world.socket.say(audioFrame(samplesOf(400)));
    expect(posted).toMatchObject([{ ...chunk, sampleRate: 16_000, isWhole: false }]);
    found({ ...chunk, words: [first], isFinal: false, by: 'test' });
    expect(shown()).toMatchObject({
      words: [first, {}, {}],
      wordSource: 'estimated',
    });
    expect(shown()?.words?.[1]?.startMs).toBeGreaterThanOrEqual(190);
    // More sound does not change what is measured.
    world.socket.say(audioFrame(samplesOf(900), 1));
    expect(shown()?.words?.[0]).toEqual(first);

    for (const frame of [completed(0, 1.3), finished, ended()]) world.socket.say(frame);
    expect(posted.at(-1)).toMatchObject({ ...chunk, isWhole: true });
    const samples = posted.flatMap((message) => (message.kind === 'sound' ? [...message.samples] : []));
    expect(samples).toHaveLength(1300 * 16);
    const all = [first, word('two', 600, 4), word('three', 900, 8)];
    found({ ...chunk, words: all, isFinal: true, by: 'test' });
    expect(shown()).toMatchObject({ words: all, wordSource: 'measured' });

    // The recording keeps them, and a replay without a search has the same.
    const entries = recorded.entries();
    expect(entries.filter(({ kind }) => kind === 'measured')).toMatchObject([
      { turn: 1, chunk: 0, payload: expect.stringContaining('"by":"test"') },
    ]);
    const again = new ReplayWorld(world.endpoint);
    again.attachPlayer();
    again.play(entries);
    again.advance(10_000);
    expect(again.turn(1).chunks[0]).toMatchObject({ words: all, wordSource: 'measured' });

    const own = [{ word: 'One', start_ms: 20, end_ms: 100, char_start: 0, char_end: 3 }];
    world.socket.say({ word_timestamps: own, chunk_id: 0 });
    found({ ...chunk, words: all, isFinal: true, by: 'test' });
    expect(shown()).toMatchObject({ words: [{ startMs: 20 }], wordSource: 'server', measured: all });
  });

  it.each([
    ['has its words searched in its language', 'kugel-stream', { language: 'de' }, ['de']],
    [
      'has words searched behind its end whose times the server sends',
      'kugel-stream',
      { word_timestamps: true },
      [null],
    ],
    [
      'has its words searched in a language that is given by its name',
      'murmr',
      { language: 'German' },
      ['de'],
    ],
  ] as const)('%s', (_, id, settings, expected) => {
    const languages = new Set<string | null>();
    const openWordSearcher: OpenWordSearcher = () => ({
      post: (message) => {
        if (message.kind === 'sound') languages.add(message.language);
      },
    });
    const world = new World(undefined, endpointOf(id), (options) => {
      return new EndpointSession({ ...options, openWordSearcher });
    });
    world.attachPlayer();
    world.do({ type: 'settings', settings: { ...world.settings, ...settings } });
    world.connect();
    world.do({ type: 'speak', text: 'Guten Morgen.' });
    for (const frame of protocolOf(world.endpoint).exampleTurn('Guten Morgen.', '')) world.socket.say(frame);
    expect([...languages]).toEqual(expected);
  });

  it('opens for speech without a request', () => {
    const world = speaking();
    answer(world, 'Unasked.');
    world.advance(20);
    expect(world.turn(1)).toMatchObject({ state: 'ended', samples: 3200 });
    expect(world.problems[0]).toContain('Speech without a turn');
  });

  it('shows unreported usage and an unknown charge as two states', () => {
    const world = speaking('One.', 'Two.');
    world.socket.say({ session_closed: true });
    world.socket.say(ended(0.2, null));
    world.advance(20);
    expect(world.turn(1).usage).toBe('unreported');
    expect(world.turn(2).usage).toMatchObject({ costCents: null });
    expect(world.seen.totals).toMatchObject({ unknownCosts: 2, costCents: 0 });
  });

  it('knows when the last text of each chunk was sent, also of one that the server has rewritten', () => {
    const world = speaking();
    for (const text of ['Yes. ', 'Yes. ', 'Hello ', 'there. ', 'It is 5 ', 'euros now.']) {
      world.do({ type: 'say', text, origin: 'typed' });
      world.advance(100);
    }
    const sentMs = world.marks.filter(({ kind }) => kind === 'text').map(({ atMs }) => atMs);
    const chunks = ['Yes.', 'Yes.', 'Hello there.', 'It is five'];
    for (const [id, text] of chunks.entries()) world.socket.say(started(text, id));
    world.advance(20);
    expect(world.turn(1).chunks.map((chunk) => chunk.sentMs)).toEqual([0, 1, 3, 5].map((at) => sentMs[at]));
  });
});

describe('settings', () => {
  it.each<[string, object, object, object[]]>([
    ['are sent once', { speed: 1.1, speaker_prefix: ['a'] }, { speaker_prefix: ['a'], speed: 1.1 }, []],
    [
      'that change are sent with all others',
      { cfg_scale: 3, speed: 1 },
      { cfg_scale: 3, speed: 1.1 },
      [{ cfg_scale: 3, speed: 1.1 }],
    ],
    ['that are added are sent', {}, { speed: 1.1 }, [{ speed: 1.1 }]],
    ['that are unset are sent as their default', { cfg_scale: 1.5 }, {}, [{ cfg_scale: 2 }]],
    ['that are unset and held their default need nothing', { cfg_scale: 2 }, {}, []],
  ])('%s', (_, before, after, sent) => {
    const world = new World();
    world.do({ type: 'settings', settings: { ...before } });
    world.connect();
    world.do({ type: 'speak', text: 'One.' });
    expect(world.socket.sent[0]).toEqual(before);
    world.do({ type: 'settings', settings: { ...after } });
    for (const text of ['Two.', 'Three.']) world.do({ type: 'speak', text });
    expect(world.sockets).toHaveLength(1);
    const turns = ['Two.', 'Three.'].flatMap((text) => [{ text }, { flush: true }]);
    expect(world.socket.sent.slice(3)).toEqual([...sent, ...turns]);
  });

  it.each<[string, string, object, object, isOther: boolean]>([
    ['are unset and have no default', 'kugel-stream', { ...CONFIG, language: 'en' }, CONFIG, true],
    ['are unset and undocumented', 'kugel-stream', { novel: 1 }, {}, true],
    ['hold for a connection and change', 'kugel-multi', { sample_rate: 8000 }, { sample_rate: 16_000 }, true],
    ['hold for a connection and are added', 'kugel-multi', {}, { sample_rate: 8000 }, true],
    ['hold for a connection and are unset', 'kugel-multi', { sample_rate: 8000 }, {}, true],
    ['are added as their default', 'kugel-multi', {}, { sample_rate: 24_000 }, false],
    ['were their default and are unset', 'kugel-multi', { sample_rate: 24_000 }, {}, false],
  ])('that %s, on %s from %j to %j, need another connection: %s', (_, id, before, after, isOther) => {
    const world = new ServedWorld(endpointOf(id));
    world.sendsNonsense = 'novel' in before;
    world.do({ type: 'settings', settings: { ...before } });
    const first = world.connect();
    world.speak('One.');
    world.do({ type: 'settings', settings: { ...after } });
    world.speak('Two.');
    expect(world.sockets).toHaveLength(1);
    world.say(200);
    world.end();
    expect([world.sockets.length, first.closedWith]).toEqual(isOther ? [2, 1000] : [1, null]);
    if (isOther) world.socket.open();
    if (isOther) expect(world.socket.sent[0]).toMatchObject(after);
    expect(world.hasSent('Two.')).toBe(true);
  });

  it('that change while text streams wait for the next turn, which has its own voice', () => {
    const world = speaking();
    world.do({ type: 'say', text: 'a', origin: 'typed' });
    world.do({ type: 'settings', settings: { voice_id: 1072 } });
    world.do({ type: 'say', text: 'b', origin: 'typed' });
    expect(world.socket.sent).toEqual([CONFIG, { text: 'a' }, { text: 'b' }]);
    world.do({ type: 'speak', text: 'Two.' });
    world.advance(20);
    expect([world.turn(1).voice, world.turn(2).voice]).toEqual(['1071', '1072']);
  });
});

describe('a cancel', () => {
  function cancelled(): World {
    const world = speaking('A long story.');
    world.socket.say(audioFrame(samplesOf(2000)));
    world.advance(500);
    world.do({ type: 'cancel' });
    world.do({ type: 'speak', text: 'Next.' });
    return world;
  }

  it('delays text until it is confirmed, and late audio counts for the cancelled turn', () => {
    const world = cancelled();
    for (const idx of [1, 2]) world.socket.say(audioFrame(samplesOf(200), idx));
    expect(world.socket.sent.at(-1)).toEqual({ cancel: true });
    world.socket.say({ interrupted: true });
    expect(world.socket.sent.slice(-2)).toEqual([{ text: 'Next.' }, { flush: true }]);
    world.advance(20);
    expect(world.turn(1)).toMatchObject({ lateFrames: 2, audioFrames: 1, usage: 'unreported' });
    expect(world.turn(2).lateFrames).toBe(0);
    expect(world.seen.totals?.unknownCosts).toBe(1);
  });

  it('without a confirmation delays text for 2 s, and a later one is not for the next turn', () => {
    const world = cancelled();
    world.advance(1999);
    expect(world.socket.sent.at(-1)).toEqual({ cancel: true });
    world.advance(2);
    expect(world.socket.sent.at(-1)).toEqual({ flush: true });
    world.advance(20);
    expect(world.problems[0]).toContain('The cancel was not confirmed');
    world.socket.say({ interrupted: true });
    world.advance(20);
    expect(world.turn(2).state).toBe('waiting');
  });

  it.each([
    ['a turn', { type: 'speak', text: 'Next.' }],
    ['a frame written by hand', { type: 'sendFrame', frame: '{"text":"Next.","flush":true}' }],
  ] as const)('without a confirmation keeps what still comes silent until %s is sent', (_, next) => {
    const world = speaking('A long story.');
    world.do({ type: 'cancel' });
    world.advance(2020);
    expect(world.problems[0]).toContain('The cancel was not confirmed');
    world.socket.say(audioFrame(samplesOf(200)));
    world.advance(20);
    expect([world.turns.size, world.turn(1).lateFrames]).toEqual([1, 1]);
    world.do(next);
    world.socket.say(audioFrame(samplesOf(200)));
    world.advance(20);
    expect([world.turn(1).lateFrames, world.turn(2).audioFrames]).toEqual([1, 1]);
  });

  it('that crosses with the end of the turn keeps its charge', () => {
    const world = cancelled();
    world.socket.say(ended());
    expect(world.socket.sent.at(-1)).toEqual({ cancel: true });
    world.socket.say({ interrupted: true });
    world.advance(20);
    expect(world.turn(1)).toMatchObject({ state: 'cancelled', usage: { costCents: 0.02 } });
    expect(world.turn(2).state).toBe('waiting');
    expect(world.problems).toEqual([]);
  });

  it('of the server itself is reported', () => {
    const world = speaking('A long story.');
    world.socket.say({ interrupted: true });
    world.advance(20);
    expect(world.turn(1).state).toBe('cancelled');
    expect(world.problems[0]).toContain('Interrupted by the server');
  });
});

describe('errors', () => {
  const refusal = { error: 'voice_id is required', error_code: 'MISSING_VOICE_ID', code: 400 };
  const failure = { error: 'It failed', error_code: 'INTERNAL_ERROR', code: 500, request_id: 'r1' };

  it('a refusal fails a turn that cannot speak any more, with a remedy', () => {
    const world = speaking('Hi.');
    world.socket.say(refusal);
    world.advance(20);
    expect(states(world)).toEqual(['failed']);
    expect(world.seen.problems).toMatchObject([
      {
        turn: 1,
        title: 'The server refused a message',
        detail: 'voice_id is required (MISSING_VOICE_ID, 400)',
        remedy: expect.stringMatching(/voice/),
        isForSender: true,
      },
    ]);
  });

  it.each<[string, object[], string[]]>([
    ['a refused turn whose flush is answered', [refusal, ended(0)], ['failed', 'ended']],
    ['a refused turn whose flush is not answered', [refusal], ['failed', 'ended']],
    ['a failed generation', [started('Hi.'), failure], ['failed', 'ended']],
  ])('%s does not disturb the next turn', (_, frames, expected) => {
    const world = speaking('Hi.');
    for (const frame of frames) world.socket.say(frame);
    world.do({ type: 'speak', text: 'Again.' });
    answer(world, 'Again.');
    world.advance(20);
    expect(states(world)).toEqual(expected);
    expect([world.turn(1).samples, world.turn(2).samples]).toEqual([0, 3200]);
    expect(world.seen.totals?.unknownCosts).toBe(0);
    expect(world.problems).toHaveLength(1);
    if (frames.includes(failure)) expect(world.problems[0]).toContain('(INTERNAL_ERROR, 500, request r1)');
  });

  it('a refusal does not disturb a turn that speaks, nor does a refused config', () => {
    const world = speaking();
    world.do({ type: 'say', text: 'Hello. ', origin: 'typed' });
    world.socket.say(started('Hello.'));
    world.socket.say(refusal);
    world.advance(20);
    expect(states(world)).toEqual(['sending']);
    const other = speaking('Hi.');
    other.socket.say(refusal);
    answer(other, 'Hi.');
    other.advance(20);
    expect(other.turn(1)).toMatchObject({ state: 'ended', samples: 3200 });
  });

  it('quote the beginning of a long text', () => {
    const world = speaking();
    const long = 'x'.repeat(100_000);
    world.socket.say({ ...failure, error: long, error_code: long, request_id: long });
    world.socket.say({ [long]: true });
    world.advance(20);
    expect(world.problems).toHaveLength(2);
    for (const problem of world.problems) expect(problem.length).toBeLessThan(1200);
  });

  it('are listed once with their number, until they are dismissed', () => {
    const world = speaking();
    world.do({ type: 'say', text: 'a', origin: 'typed' });
    for (let count = 0; count < 3; count += 1) world.socket.say('no JSON');
    world.advance(20);
    expect(world.seen.problems).toMatchObject([{ times: 3 }]);
    world.do({ type: 'dismissProblems', ids: world.seen.problems?.map(({ id }) => id) ?? [] });
    world.advance(20);
    expect(world.problems).toEqual([]);
  });
});

describe('an audio frame', () => {
  const bytes = (length: number) => ({ audio: Buffer.alloc(length, 0x20).toString('base64') });

  it.each<[string, object, number, string | null]>([
    ['of whole samples', { ...bytes(8), samples: 4 }, 4, null],
    ['of base64 with two =', { ...bytes(10), samples: 5 }, 5, null],
    ['of G.711, one byte a sample', { ...bytes(5), samples: 5, enc: 'mulaw' }, 5, null],
    ['that is not base64', { audio: 'not base64!' }, 0, 'Audio frame 7 of chunk 2: '],
    ['of another rate than those before', { ...bytes(8), samples: 4, sr: 8000 }, 0, 'Audio frame 7'],
    ['with half a sample', { ...bytes(7), samples: 3 }, 3, 'expected 2 bytes a sample, got 7 bytes'],
    ['with a wrong count', { ...bytes(8), samples: 5 }, 4, 'it names 5 and holds 4'],
    ['with a wrong count of G.711', { ...bytes(8), samples: 4, enc: 'alaw' }, 8, 'it names 4 and holds 8'],
  ])('%s adds its samples, and a problem names what is wrong', (_, frame, samples, detail) => {
    const world = speaking('Hi.');
    if ('sr' in frame) world.socket.say(audioFrame(samplesOf(0)));
    world.socket.say({ ...audioFrame(samplesOf(0), 7, 2), ...frame });
    world.socket.say(ended());
    world.advance(20);
    expect(world.turn(1)).toMatchObject({ state: 'ended', samples });
    const details = world.seen.problems?.map((problem) => problem.detail) ?? [];
    expect(details).toEqual(detail === null ? [] : [expect.stringContaining(detail)]);
  });

  it('completes the half sample of the frame before', () => {
    const world = speaking('Hi.');
    for (const [idx, samples] of [3, 2].entries())
      world.socket.say({ ...audioFrame(samplesOf(0), idx), ...bytes(5), samples });
    world.advance(20);
    expect(world.turn(1).samples).toBe(5);
    expect(world.seen.problems).toMatchObject([{ title: 'An audio frame ends in the middle of a sample' }]);
  });
});

describe('a repeat', () => {
  it.each([50, 1000])('that is stopped after %i ms leaves nothing that the page stopped for it', (ms) => {
    const world = speaking('One.');
    answer(world, 'One.');
    world.advance(500);
    world.do({ type: 'repeat', turn: 1, fromSample: 0 });
    world.advance(ms);
    const epoch = () => world.seen.player?.tracks[0]?.epoch ?? Number.NaN;
    const before = epoch();
    world.do({ type: 'stopRepeat' });
    world.advance(20);
    expect(world.seen.player).toMatchObject({ state: 'idle', repeating: false });
    const stopped = epoch();
    expect(stopped).toBeGreaterThan(before);
    // The page stops once more, before the audio thread has followed.
    world.do({ type: 'stopRepeat' });
    world.advance(20);
    expect(epoch()).toBeGreaterThan(stopped);
    world.do({ type: 'speak', text: 'Two.' });
    answer(world, 'Two.');
    world.advance(600);
    expect(world.turn(2).heardToMs).not.toBeNull();
  });
});

describe('a frame that is sent by hand', () => {
  it('is sent as it is, and makes the server speak a turn that is heard', () => {
    const world = speaking();
    const frames = ['{"text":"Hi.",  "flush":true}', new Uint8Array([1, 2, 255])];
    const { entries } = record(world);
    world.sendsNonsense = true;
    for (const frame of frames) world.do({ type: 'sendFrame', frame });
    expect(world.socket.frames.slice(1)).toEqual(frames);
    expect(entries()).toMatchObject([
      { direction: 'out', kind: 'sent', opcode: 'text', bytes: 29, payload: frames[0] },
      { direction: 'out', kind: 'sent', opcode: 'binary', bytes: 3, payload: frames[1] },
    ]);
    answer(world, 'Hi.');
    world.advance(1000);
    expect(world.turn(1)).toMatchObject({ state: 'ended', heardToMs: expect.any(Number) });
  });

  it('is read: its text is a turn with its words, which ends by its flush, and a replay repeats it', () => {
    const world = new World();
    const { entries } = record(world);
    world.connect();
    world.do({ type: 'sendFrame', frame: '{"text":"Hi."}' });
    world.do({ type: 'sendFrame', frame: '{"flush":true}' });
    answer(world, 'Hi.');
    world.advance(1000);
    expect(world.turn(1)).toMatchObject({ state: 'ended', text: 'Hi.', textFrames: 1 });
    expect(world.turn(1).flushedMs).not.toBeNull();
    expect(world.problems).toEqual([]);
    const sent = entries().filter(({ kind }) => kind === 'sent');
    expect(sent.map(({ turn }) => turn)).toEqual([1, 1]);
    const again = new ReplayWorld(world.endpoint);
    again.play(entries());
    again.advance(5000);
    expect(again.turn(1)).toMatchObject({ state: 'ended', text: 'Hi.', textFrames: 1 });
  });

  it('that cancels and speaks ends the turn before, and begins the next', () => {
    const world = speaking('A long story.');
    world.socket.say(started('A long story.'));
    world.do({ type: 'sendFrame', frame: '{"cancel":true,"text":"Next.","flush":true}' });
    world.socket.say({ interrupted: true });
    answer(world, 'Next.');
    world.advance(1000);
    expect([world.turn(1).state, world.turn(2).state]).toEqual(['cancelled', 'ended']);
    expect(world.turn(2).text).toBe('Next.');
    expect(world.turns.size).toBe(2);
  });

  it.each([
    ['with the mark', '{"a":1,\n "api_key" : "[key]" }', '{"a":1,\n "api_key" : "ke\\"y1" }'],
    ['with the mark as text', '{"text":"[key]"}', '{"text":"[key]"}'],
    ['with the mark as a part', '{"api_key":"x[key]"}', '{"api_key":"x[key]"}'],
    [
      'with the mark in a string',
      '{"text":"{\\"token\\":\\"[key]\\"}"}',
      '{"text":"{\\"token\\":\\"[key]\\"}"}',
    ],
    [
      'with an escaped name',
      '{"say \\"":1,"access_token":"[key]"}',
      '{"say \\"":1,"access_token":"ke\\"y1"}',
    ],
    ['that is no JSON', 'hello [key]', 'hello [key]'],
  ])('%s has the key in its field alone, and is recorded without it', (_, frame, sent) => {
    const world = new World();
    const target = { endpoint: world.endpoint.id, base: 'ws://server', key: 'ke"y1' };
    world.do({ type: 'target', target, settings: {} });
    const { entries } = record(world);
    world.connect();
    world.sendsNonsense = true;
    world.do({ type: 'sendFrame', frame });
    expect(world.socket.frames.at(-1)).toBe(sent);
    expect(String(entries().at(-1)?.payload)).not.toContain('y1');
  });

  it('of a template has the key in place of its mark', () => {
    const world = new World(undefined, endpointOf('murmr'));
    world.connect();
    const template = protocolOf(world.endpoint).templates.find(({ frame }) => frame.type === 'config');
    world.do({ type: 'sendFrame', frame: JSON.stringify(template?.frame) });
    expect(world.socket.sent.at(-1)).toMatchObject({ type: 'config', api_key: 'ka_canary_1234' });
  });
});
