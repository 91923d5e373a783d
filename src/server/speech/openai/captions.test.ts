import { describe, expect, it } from 'vitest';
import { CaptionFollower, readCaptions } from './captions.ts';
import { countRounds } from './scripted-server.test-helper.ts';

const follower = (text: string) =>
  new CaptionFollower({ text, sourceAt: Array.from({ length: text.length }, (_, at) => at) });
const captions = (...words: string[]) =>
  words.map((word, at) => ({ word, start_time: at, end_time: at + 1 }));
const found = (text: string, ...words: string[]) =>
  follower(text)
    .sounds(captions(...words), 500)
    .map(({ source }) => (source === undefined ? undefined : text.slice(source).split(/\s/)[0]));

describe('tokens of captions', () => {
  it('are found in order, without their punctuation', () => {
    expect(found('Hello, world! Hello again.', 'Hello', ',', 'world', '!', 'hello', 'again', '.')).toEqual([
      'Hello,',
      'world!',
      'Hello',
      'again.',
    ]);
  });

  it('may be parts of a word', () => {
    expect(found("I don't like half-hearted.", 'I', 'do', "n't", 'like', 'half', '-', 'hearted')).toEqual([
      'I',
      "don't",
      "n't",
      'like',
      'half-hearted.',
      'hearted.',
    ]);
  });

  it('that are not written so do not lead the next ones astray', () => {
    expect(found('Pay $3,000 to a cat', 'Pay', 'three', 'thousand', 'dollars', 'to', 'a', 'cat')).toEqual([
      'Pay',
      undefined,
      undefined,
      undefined,
      'to',
      'a',
      'cat',
    ]);
  });

  it('have their times after the beginning of the audio', () => {
    expect(follower('Hi there').sounds(captions('Hi', 'there'), 500)).toEqual([
      { source: 0, startMs: 500, endMs: 1500 },
      { source: 3, startMs: 1500, endMs: 2500 },
    ]);
  });
});

it('an answer is read however its bytes are cut', async () => {
  const lines = ['ä', 'b'].map((word) => ({
    audio: 'AAAA',
    timestamps: [{ word, start_time: 0, end_time: 1 }],
  }));
  const bytes = Buffer.from(lines.map((each) => `${JSON.stringify(each)}\n`).join('\n'));
  for (const size of [1, 7, bytes.length]) {
    const source = (async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    })();
    const read = [];
    for await (const part of readCaptions(source, 2)) read.push(part);
    expect(read.map((part) => [part.bytes.length, part.captions[0]?.word])).toEqual([
      [3, 'ä'],
      [3, 'b'],
    ]);
  }
});

it('a long line is read in slices, between which others have the event loop', async () => {
  const slice = 'A'.repeat(64 * 1024);
  const line = JSON.stringify({ audio: slice.repeat(3), timestamps: captions('a', 'b') });
  const source = (async function* () {
    yield Buffer.from(`${line}\n{"audio":""}\n{"audio":""}`);
  })();
  const { rounds, stop } = countRounds();
  const read = [];
  for await (const part of readCaptions(source, 3))
    read.push([part.bytes.length, part.captions.length, rounds()]);
  stop();
  expect(read).toEqual([
    [48 * 1024, 2, 0],
    [48 * 1024, 0, 1],
    [48 * 1024, 0, 2],
    [0, 0, 3],
    [0, 0, 4],
  ]);
});
