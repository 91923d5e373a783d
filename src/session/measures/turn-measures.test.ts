import { describe, expect, it } from 'vitest';
import { endpointOf } from '#protocol/registry.ts';
import type { WaitSegment } from '#trace/wait.ts';
import { chunkView, turnView } from '../testing/views.ts';
import { audioFrame, completed, ended, finished, samplesOf, started, World } from '../testing/world.ts';
import type { AnswerView, TurnView } from '../views.ts';
import { MEASURES } from './definitions.ts';
import { measureOfPart, measuresOf, type TurnMeasures } from './turn-measures.ts';

/** A connected world. `at` advances to a time since its sound output was attached. */
function recorded(endpoint?: 'murmr'): { world: World; at: (ms: number) => void } {
  const world = endpoint ? new World(undefined, endpointOf(endpoint)) : new World();
  const startMs = world.nowMs;
  // It plays 16 samples a millisecond in quanta of 8 ms, without any latency.
  world.attachPlayer();
  world.connect();
  return { world, at: (ms) => world.advance(startMs + ms - world.nowMs) };
}

/** 200 ms at 16 samples a millisecond, the first of them silent. */
function withSilence(ms: number): Int16Array {
  const samples = samplesOf(200);
  samples.fill(0, 0, ms * 16);
  return samples;
}

const bytesOf = (frame: object): number => JSON.stringify(frame).length;

describe('measures of a recorded turn', () => {
  it('agree with what is worked out by hand', () => {
    const { world, at } = recorded();
    const frames = [
      audioFrame(withSilence(30), 0),
      audioFrame(samplesOf(200), 1),
      audioFrame(samplesOf(200), 2),
    ];
    at(10);
    world.do({ type: 'speak', text: 'Twelve chars' });
    at(40);
    world.socket.say(started('Twelve chars'));
    at(100);
    // Less than the first prebuffer target, of one frame and 60 ms.
    world.socket.say(frames[0]);
    at(180);
    // Enough: heard from the quantum at 176 on, which the audio thread fills at 184.
    world.socket.say(frames[1]);
    at(1300);
    // All before it was heard until 176 + 400 = 576; heard again from the quantum at 1304 or later on.
    world.socket.say(frames[2]);
    at(1310);
    world.socket.say(completed(0, 0.6));
    const word = { word: 'word', char_start: 0, char_end: 4, score: 1 };
    world.socket.say({ word_timestamps: [{ ...word, start_ms: 30, end_ms: 300 }], chunk_id: 0 });
    world.socket.say(finished);
    world.socket.say(ended(0.6));
    at(3000);
    const underrunMs = 732;
    expect(measuresOf(world.turn(1))).toEqual<TurnMeasures>({
      waitMs: 176 + 30 - 10,
      serverMs: 40 - 10,
      firstAudioFrameMs: 100 - 40,
      decodeMs: 0,
      outputMs: null,
      modelFirstTokenMs: null,
      askedToAudibleMs: null,
      modelCharactersPerSecond: null,
      // The quantum began before the frame came that let it begin.
      startFloorMs: 176 - 100,
      inTurnMs: null,
      firstSampleMs: 0,
      leadingSilenceMs: 30,
      gapMeanMs: (80 + 1120) / 2,
      gapP95Ms: 1120,
      gapLongestMs: 1120,
      // The last frame is 800 ms later than a start with the first one allows, and so it would take all before it.
      neededFloorMs: 400 + 1 / 16,
      underruns: 1,
      underrunMs,
      rtf: 20 / 600,
      marginLeastMs: 576 - 1300,
      marginEndMs: 576 + underrunMs + 200 - 1300,
      charactersPerSecond: 12 / 0.6,
      // Of a constant only the onset is a sound, and the filter overshoots there.
      loudness: expect.closeTo(-38.5, 1),
      wordLagMs: 1310 - 1300,
      wordLeadMs: 176 + 30 - 1310,
      bargeInSilenceMs: null,
      bargeInInterruptedMs: null,
      bargeInReconnectMs: null,
      talkOverDecisionMs: null,
      talkOverSilenceMs: null,
      talkOverInterruptedMs: null,
      wireBytesPerSecond: frames.reduce((sum, frame) => sum + bytesOf(frame), 0) / 0.6,
    });
  });

  it('tell a barge-in from the press on', () => {
    const { world, at } = recorded();
    const anchor = { contextTimeS: 0, wallMs: world.nowMs - 1, outputLatencyMs: 40 };
    world.do({ type: 'anchor', anchor });
    at(8);
    world.do({ type: 'speak', text: 'Twelve chars' });
    world.socket.say(started('Twelve chars'));
    world.socket.say(audioFrame(samplesOf(200), 0));
    world.socket.say(audioFrame(samplesOf(200), 1));
    at(101);
    // The page took the press a moment before the worker got to know of it.
    world.do({ type: 'cancel', pressedMs: world.nowMs - 3 });
    at(150);
    world.socket.say({ interrupted: true });
    at(400);
    const { bargeInSilenceMs, bargeInInterruptedMs, bargeInReconnectMs, charactersPerSecond, marginEndMs } =
      measuresOf(world.turn(1));
    // The quantum of 96 is filled at 104, after the clear, and what it holds is heard 40 ms after its time.
    expect(bargeInSilenceMs).toBe(96 + 40 - 98);
    expect(bargeInInterruptedMs).toBe(150 - 98);
    expect(bargeInReconnectMs).toBeNull();
    expect(charactersPerSecond).toBeNull();
    expect(marginEndMs).toBeNull();
  });

  it('has a cancel on the turn that it cut off, without a silence where nothing was heard', () => {
    const { world, at } = recorded();
    world.do({ type: 'speak', text: 'Heard to its end.' });
    for (const frame of [audioFrame(samplesOf(200)), finished, ended(0.2)]) world.socket.say(frame);
    at(1000);
    world.do({ type: 'speak', text: 'Twelve chars' });
    at(1050);
    world.do({ type: 'cancel' });
    at(1090);
    world.socket.say({ interrupted: true });
    at(1200);
    expect(world.turn(1).bargeIn).toBeNull();
    expect(measuresOf(world.turn(1)).bargeInInterruptedMs).toBeNull();
    expect(measuresOf(world.turn(2))).toMatchObject({
      waitMs: null,
      underruns: null,
      bargeInSilenceMs: null,
      bargeInInterruptedMs: 40,
    });
  });

  it('has the gaps between frames, and none of a single frame', () => {
    const { world } = recorded();
    world.do({ type: 'speak', text: 'Hi.' });
    const gaps = () => {
      world.advance(16);
      const { gapMeanMs, gapP95Ms, gapLongestMs } = measuresOf(world.turn(1));
      return [gapMeanMs, gapP95Ms, gapLongestMs];
    };
    world.socket.say(audioFrame(samplesOf(10), 0));
    expect(gaps()).toEqual([null, null, null]);
    for (let gapMs = 16; gapMs < 36; gapMs += 1) {
      world.advance(gapMs === 16 ? 0 : gapMs);
      world.socket.say(audioFrame(samplesOf(10), gapMs - 15));
    }
    expect(gaps()).toEqual([25.5, 34, 35]);
  });

  it('leave out figures that the protocol lacks', () => {
    const { world, at } = recorded('murmr');
    world.socket.say({ type: 'config_ack', session_id: 's' });
    at(10);
    world.do({ type: 'speak', text: 'Twelve chars' });
    at(300);
    const samples = samplesOf(400, 8000, 24_000);
    const chunk = Buffer.from(samples.buffer).toString('base64');
    world.socket.say({ type: 'audio', chunk, sample_rate: 24_000 });
    at(310);
    world.socket.say({ type: 'done', total_chunks: 1, duration_ms: 400, first_chunk_latency_ms: 280 });
    at(400);
    expect(measuresOf(world.turn(1))).toMatchObject({
      serverMs: null,
      rtf: null,
      wordLagMs: null,
      wordLeadMs: null,
      neededFloorMs: 0,
      charactersPerSecond: 12 / 0.4,
    });
  });
});

describe('measuresOf', () => {
  it('has every measure, and a figure for none before anything happens', () => {
    expect(measuresOf(turnView())).toEqual(Object.fromEntries(MEASURES.map(({ id }) => [id, null])));
  });

  it('times a live model before the wait, in the turn that begins its answer', () => {
    const answer: AnswerView = {
      ...{ request: 1, turn: 1, question: 'Why?', model: 'm', state: 'done', tokens: 20, characters: 100 },
      ...{ askedMs: 1000, firstTokenMs: 1250, lastTokenMs: 3250, endedMs: 3260 },
    };
    const wait = [{ name: 'server' as const, ms: 80 }];
    const of = (id: number) => measuresOf(turnView({ id, answer, firstTextMs: 1251, wait }));
    expect(of(1)).toMatchObject({
      waitMs: 80,
      modelFirstTokenMs: 250,
      askedToAudibleMs: 331,
      modelCharactersPerSecond: 50,
    });
    expect(of(2)).toMatchObject({ waitMs: 80, modelFirstTokenMs: null, askedToAudibleMs: null });
  });

  it.each<WaitSegment['name']>([
    ...(['server', 'firstAudioFrame', 'decode', 'output', 'startFloor', 'inTurn'] as const),
    ...(['firstSample', 'leadingSilence'] as const),
  ])('has the segment %s of the wait under its own name', (name) => {
    const measures = measuresOf(turnView({ wait: [{ name, ms: 7 }] }));
    expect(measures[measureOfPart(name)]).toBe(7);
    expect(measures.waitMs).toBe(7);
  });

  const chunk = (change: Parameters<typeof chunkView>[0]) => ({
    sampleRate: 1000,
    samples: 1000,
    chunks: [chunkView({ samples: 500, generationMs: 50 }), chunkView({ id: 1, ...change })],
  });
  const timed = (lastAudioMs: number, wordsMs: number, heardFromMs: number, startMs: number) => {
    const words = [{ word: 'a', startMs, endMs: 90, charStart: 0, charEnd: 1 }];
    return chunkView({ lastAudioMs, wordsMs, heardFromMs, words });
  };
  const cases: [string, Partial<TurnView>, Partial<TurnMeasures>][] = [
    ['adds up generation over chunks', chunk({ samples: 500, generationMs: 150 }), { rtf: 0.2 }],
    ['has no RTF where the time of one chunk is unknown', chunk({ samples: 500 }), { rtf: null }],
    ['leaves chunks without audio out of the RTF', chunk({ samples: 0 }), { rtf: 0.1 }],
    [
      'counts the silence of underruns that are over',
      {
        heardFromMs: 1,
        underruns: [
          { atMs: 5, atSample: 3, lengthMs: 40 },
          { atMs: 90, atSample: 9, lengthMs: null },
        ],
      },
      { underruns: 2, underrunMs: 40 },
    ],
    ['counts no underruns before anything was heard', {}, { underruns: null, underrunMs: null }],
    [
      'counts none of a turn that is heard without a break',
      { heardFromMs: 1 },
      { underruns: 0, underrunMs: 0 },
    ],
    [
      'has the latest and the tightest word times of all chunks',
      { chunks: [timed(100, 90, 200, 20), timed(300, 360, 340, 0), chunkView({ lastAudioMs: 300 })] },
      { wordLagMs: 60, wordLeadMs: -20 },
    ],
    [
      'does not say how far ahead a turn was that was silenced',
      { state: 'ended', silencedMs: 900, heardToMs: 900, chunks: [chunkView({ lastAudioMs: 300 })] },
      { marginEndMs: null },
    ],
  ];
  it.each(cases)('%s', (_, change, expected) => {
    expect(measuresOf(turnView(change))).toMatchObject(expected);
  });
});
