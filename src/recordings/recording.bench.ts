import { bench, describe } from 'vitest';
import { encodeBase64 } from '#lib/base64.ts';
import type { RecordHead } from '#record/record.ts';
import { Redaction } from '#record/redaction.ts';
import { FrameIndex } from './store/frame-index.ts';
import { GrowingNumbers } from './store/growing.ts';
import { LiveBlocks } from './store/live-blocks.ts';
import { bytesAt, laneOf, payloadText } from './store/payload-block.ts';
import { addMatches, type Filter } from './view/filter.ts';
import { FrameList } from './view/frame-list.ts';

/**
 * What a recording of a million entries costs beside the database; run with `npx vitest bench src/session/recording`.
 * A filter is to be answered within 100 ms.
 */
const ENTRIES = 1_000_000;

/** Six of ten are audio, as in a conversation. */
const KINDS = ['audio', 'audio', 'audio', 'audio', 'audio', 'audio', 'words', 'words', 'say', 'chunkStarted'];

function head(i: number): Omit<RecordHead, 'index'> {
  const kind = KINDS[i % KINDS.length] ?? 'audio';
  return {
    atUs: i * 500,
    direction: kind === 'say' ? 'out' : 'in',
    connection: 1,
    opcode: 'text',
    bytes: 100,
    kind,
    turn: Math.floor(i / 500),
    context: `speaker ${Math.floor(i / 10) % 7}`,
    chunk: i % 50,
    audioMs: kind === 'audio' ? 40 : null,
  };
}

function fill(index: FrameIndex): FrameIndex {
  for (let i = 0; i < ENTRIES; i += 1) index.append(head(i));
  return index;
}

const FEW = { iterations: 5, warmupIterations: 1, time: 0, warmupTime: 0 };

const index = fill(new FrameIndex());

describe('index', () => {
  bench('append a million entries', () => void fill(new FrameIndex()), FEW);
  const packed = index.pack(0, ENTRIES);
  const names = index.names.since(0);
  bench('load a million entries', () => new FrameIndex().appendPacked(packed, names), FEW);
});

describe('filter', () => {
  const filters: Record<string, Filter> = {
    nothing: {},
    direction: { directions: ['in'] },
    kind: { kinds: ['say'] },
    context: { contexts: ['speaker 3'] },
    turn: { turns: [700] },
    problems: { problemsOnly: true },
  };
  for (const [name, filter] of Object.entries(filters)) {
    bench(`by ${name}`, () => addMatches(filter, index, 0, ENTRIES, new GrowingNumbers()), FEW);
    bench(`by ${name}, folded into rows`, () => void new FrameList(index, { filter, fold: true }), FEW);
  }
});

describe('payloads', () => {
  const text = JSON.stringify({
    word_timestamps: [{ word: 'hello', start_ms: 0, end_ms: 200 }],
    chunk_id: 3,
  });
  const fillBlocks = (): LiveBlocks => {
    const blocks = new LiveBlocks();
    for (let i = 0; i < ENTRIES; i += 1) blocks.add(laneOf(index.isAudio(i)), i, text);
    return blocks;
  };
  bench('put away a million', () => void fillBlocks(), FEW);
  const full = fillBlocks().outgoing();
  bench(
    'look for a text in a million',
    () => {
      for (const { block } of full) {
        for (let place = 0; place < block.entries.length; place += 1)
          /absent/iu.test(payloadText(bytesAt(block, place)));
      }
    },
    FEW,
  );
});

describe('redaction', () => {
  const clean = new Redaction('ka_live_8f3b2c91d4e64f0aa7b9c3d2e1f05678').stream();
  const samples = Int16Array.from({ length: 4800 }, (_, i) => Math.round(3000 * Math.sin(i / 7) + (i % 200)));
  const audio = new Uint8Array(samples.buffer);
  const frames: Record<string, string | Uint8Array<ArrayBuffer>> = {
    'audio of 200 ms in base64': JSON.stringify({
      audio: encodeBase64(audio),
      idx: 3,
      sr: 24_000,
      samples: 4800,
    }),
    'audio of 200 ms in bytes': audio,
    'a sentence': JSON.stringify({ text: 'He said "hello"\nand left for 100% of the day.', flush: true }),
  };
  for (const [name, frame] of Object.entries(frames)) {
    bench(`a thousand frames: ${name}`, () => {
      for (let i = 0; i < 1000; i += 1) clean(frame);
    });
  }
});
