import { describe, expect, it } from 'vitest';
import { bytesFromSamples } from '#lib/pcm.ts';
import type { RecordEntry } from '#trace/entry.ts';
import { RecordedSpeech, SOUND_LIMITS } from '#trace/recorded-speech.ts';
import { toneSamples, toneSpeech, WORD_MS } from '#trace/words/tone-speech.test-helper.ts';
import { timingsJson } from '#trace/words/word-timings.ts';
import { timedTurns } from './timed-turns.ts';

const TENTH_OF_A_SECOND = Buffer.alloc(4800).toString('base64');

/** A murmr session as it is recorded: what is sent and what comes, each with its kind and turn. */
const frames: [RecordEntry['direction'], string, number | null, object][] = [
  ['out', 'say', 1, { type: 'text', text: 'One two.' }],
  ['out', 'flush', 1, { type: 'flush' }],
  ['in', 'audio', 1, { type: 'audio', chunk: TENTH_OF_A_SECOND, format: 'pcm_s16le', sample_rate: 24_000 }],
  ['in', 'chunkCompleted', 1, { type: 'done', total_chunks: 1, duration_ms: 100, first_chunk_latency_ms: 9 }],
  ['out', 'say', 2, { type: 'text', text: 'Three four.' }],
  ['out', 'flush', 2, { type: 'flush' }],
  ['in', 'audio', 2, { type: 'audio', chunk: TENTH_OF_A_SECOND, format: 'pcm_s16le', sample_rate: 24_000 }],
  ['in', 'chunkCompleted', 2, { type: 'done', total_chunks: 1, duration_ms: 100, first_chunk_latency_ms: 9 }],
];

const entriesOf = (of: typeof frames) =>
  of.map(([direction, kind, turn, frame], index): RecordEntry => {
    const payload = JSON.stringify(frame);
    return {
      index,
      atUs: index * 1000,
      direction,
      connection: 1,
      opcode: 'text',
      bytes: payload.length,
      kind,
      turn,
      context: null,
      chunk: null,
      audioMs: null,
      payload,
    };
  });

const entries = entriesOf(frames);

async function turnsOf(endpoint: string, of: readonly RecordEntry[]) {
  const speech = new RecordedSpeech(endpoint, null);
  for (const entry of of) await speech.add(entry);
  return timedTurns(speech.turns);
}

/** The audio of a request. */
const audio = { audio: TENTH_OF_A_SECOND, enc: 'pcm_s16le', idx: 0, sr: 24_000, samples: 2400, chunk_id: 0 };

it('keeps the texts of requests apart from those that the server refused', async () => {
  const error = { error: 'No.', error_code: 'VALIDATION_ERROR', code: 400 };
  const final = { final: true, chunks: 1 };
  const turns = await turnsOf(
    'kugel-tts',
    entriesOf([
      ['out', 'say', 1, { text: 'One.' }],
      ['in', 'audio', 1, audio],
      ['out', 'sent', null, { text: 'Two.', speed: 9 }],
      ['in', 'error', null, error],
      ['in', 'chunkCompleted', 1, final],
      ['out', 'say', 2, { text: 'Three.' }],
      ['in', 'audio', 2, audio],
      ['in', 'chunkCompleted', 2, final],
    ]),
  );
  expect(turns.map(({ chunks }) => chunks.map(({ text }) => text))).toEqual([['One.'], ['Three.']]);
});

describe('Turns of a recording whose server tells nothing of words', () => {
  it('have each the words that were sent for them', async () => {
    const turns = await turnsOf('murmr', entries);
    const told = turns.map(({ id, chunks }) => [
      id,
      chunks.flatMap(({ words }) => words?.map(({ word }) => word) ?? []),
    ]);
    expect(told).toEqual([
      [1, ['One', 'two']],
      [2, ['Three', 'four']],
    ]);
  });

  it('have no words behind the audio of a turn that was cut off', async () => {
    const [turn] = await turnsOf('murmr', entries.slice(0, 3));
    const [chunk] = turn?.chunks ?? [];
    expect(chunk).toMatchObject({ text: 'One two.', words: [], wordSource: 'estimated' });
  });
});

describe('Words that were found in the sound', () => {
  const record = (chars: number): typeof frames => [
    ['player', 'measured', 1, { chunk: 0, chars, by: 'test', words: [[10, 30, 0, 3, 25, null]] }],
  ];

  it('are those of the recording, with estimates behind them', async () => {
    const [turn] = await turnsOf('murmr', entriesOf([...frames, ...record(8)]));
    const [chunk] = turn?.chunks ?? [];
    expect(chunk?.wordSource).toBe('measured');
    expect(chunk?.words).toMatchObject([
      { word: 'One', startMs: 10, endMs: 30 },
      { word: 'two', isEstimated: true },
    ]);
    const [other] = await turnsOf('murmr', entriesOf([...frames, ...record(7)]));
    expect(other?.chunks[0]?.wordSource).toBe('estimated');
  });

  it('are the same whenever a recording without them is opened', async () => {
    const text = 'A recording of another program has no words that were found.';
    const { answer } = toneSpeech(text);
    const audio = Buffer.from(bytesFromSamples(toneSamples(text, 24_000))).toString('base64');
    const recorded = entriesOf([
      ['out', 'say', 1, { type: 'text', text }],
      ['out', 'flush', 1, { type: 'flush' }],
      ['in', 'audio', 1, { type: 'audio', chunk: audio, format: 'pcm_s16le', sample_rate: 24_000 }],
      [
        'in',
        'chunkCompleted',
        1,
        { type: 'done', total_chunks: 1, duration_ms: 9, first_chunk_latency_ms: 9 },
      ],
    ]);
    const open = async () => {
      const speech = new RecordedSpeech('murmr', SOUND_LIMITS);
      for (const entry of recorded) await speech.add(entry);
      for (const turn of speech.turns)
        await turn.measure(
          async () => answer,
          async () => {},
        );
      return timedTurns(speech.turns);
    };
    const [turn] = await open();
    expect(turn?.chunks[0]?.wordSource).toBe('measured');
    for (const [at, { startMs }] of (turn?.chunks[0]?.words ?? []).entries())
      expect(Math.abs(startMs - at * WORD_MS)).toBeLessThan(40);
    expect(await open()).toEqual([turn]);
    const [written] = JSON.parse(timingsJson(turn ? [turn] : [])).turns[0].chunks[0].words;
    expect(Object.keys(written)).toEqual(['word', 'startMs', 'endMs', 'charStart', 'charEnd']);
  });
});

it('Turns of requests have the text that was sent, with the times of the server', async () => {
  const word = { word: 'Hi', start_ms: 7, end_ms: 90, char_start: 0, char_end: 2 };
  const request = entriesOf([
    ['out', 'say', 1, { text: 'Hi.', voice_id: 1071 }],
    ['in', 'audio', 1, audio],
    ['in', 'words', 1, { word_timestamps: [word], chunk_id: 0 }],
    ['in', 'turnEnded', 1, { final: true, chunks: 1 }],
  ]);
  const [turn] = await turnsOf('kugel-tts', request);
  const [chunk] = turn?.chunks ?? [];
  expect(chunk).toMatchObject({ text: 'Hi.', words: [{ word: 'Hi', startMs: 7, endMs: 90 }] });
});
