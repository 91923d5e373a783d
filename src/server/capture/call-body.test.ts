import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Frame } from '#protocol/core/frame.ts';
import { CallBody, waitingParts } from './call-body.ts';

const MIB = 1024 * 1024;
const SPEECH = { 'content-type': 'text/event-stream; charset=utf-8' };

/** Records a body that arrives in these pieces. */
async function recorded(
  headers: Record<string, string>,
  pieces: readonly (string | Uint8Array)[],
  { isAnswer = true, waiting = waitingParts() } = {},
) {
  const parts: Frame[] = [];
  const body = new CallBody({ headers, isAnswer, waiting, peer: ['a'], record: (part) => parts.push(part) });
  for (const piece of pieces) body.add({ length: piece.length, bytes: Buffer.from(piece) });
  const before = parts.length;
  await new Promise<void>((ended) => body.end(ended));
  return { parts, before, size: body.size, waiting: waiting.heldBytes };
}

const pieces = (text: string, bytes: number): Uint8Array[] => {
  const all = Buffer.from(text);
  return Array.from({ length: Math.ceil(all.length / bytes) }, (_, at) =>
    all.subarray(at * bytes, (at + 1) * bytes),
  );
};

describe('a body', () => {
  it.each([1, 2, 3, 7, 1000])('of events has one part for each, in pieces of %i bytes', async (bytes) => {
    const { parts, waiting } = await recorded(
      SPEECH,
      pieces('data: é1\n\n: 2\r\n\r\ndata: 3\r\rdata: end', bytes),
    );
    expect(parts).toEqual(['data: é1\n\n', ': 2\r\n\r\n', 'data: 3\r\r', 'data: end']);
    expect(waiting).toBe(0);
  });

  it('of lines of JSON has one part for each', async () => {
    const { parts } = await recorded({ 'content-type': 'application/x-ndjson' }, ['{"a":1}\n{"b"', ':2}\n']);
    expect(parts).toEqual(['{"a":1}\n', '{"b":2}\n']);
  });

  it.each([
    ['application/json', 0, ['{"é":1}']],
    ['text/html; charset=utf-8', 0, ['{"é":1}']],
    ['', 0, ['{"é":1}']],
    // As they arrive.
    ['audio/pcm', 2, [Buffer.from('{"é'), Buffer.from('":1}')]],
    ['multipart/form-data; boundary=x', 2, [Buffer.from('{"é'), Buffer.from('":1}')]],
  ])('of %j is one text or bytes', async (type, before, parts) => {
    const recording = await recorded({ 'content-type': type }, pieces('{"é":1}', 4));
    expect(recording).toMatchObject({ before, parts });
  });

  it('of text that is not UTF-8 is bytes', async () => {
    const { parts } = await recorded({}, [Uint8Array.of(0xff, 0xfe, 1)]);
    expect(parts).toEqual([Uint8Array.of(0xff, 0xfe, 1)]);
  });

  it('has no part where it is empty', async () => {
    const { parts, size } = await recorded({ 'content-type': 'application/json' }, []);
    expect([parts, size]).toEqual([[], { bytes: 0 }]);
  });
});

describe('a compressed answer', () => {
  it.each([
    ['gzip', gzipSync('data: 1\n\ndata: 2\n\n')],
    ['BR', brotliCompressSync('data: 1\n\ndata: 2\n\n')],
  ])('in %s is recorded decompressed, with the bytes that were sent', async (encoding, sent) => {
    const { parts, size } = await recorded({ ...SPEECH, 'content-encoding': encoding }, [sent]);
    expect(parts).toEqual(['data: 1\n\n', 'data: 2\n\n']);
    expect(size).toEqual({ bytes: sent.length });
  });

  it('that breaks off has what could be read', async () => {
    const sent = gzipSync('data: 1\n\n'.repeat(10_000));
    const { parts, size } = await recorded({ ...SPEECH, 'content-encoding': 'gzip' }, [
      sent.subarray(0, -40),
    ]);
    expect(parts.length).toBeGreaterThan(0);
    expect(size.kept).toBeGreaterThan(0);
  });

  it.each<[string, string | Uint8Array, boolean]>([
    ['zstd', 'unknown', true],
    ['gzip, br', 'unknown', true],
    ['constructor', 'unknown', true],
    ['gzip', 'no gzip', true],
    // Nobody looks for keys in a compressed request.
    ['gzip', gzipSync('{"api_key":"x"}'), false],
  ])('in %s is not recorded where it cannot be read: %j', async (encoding, body, isAnswer) => {
    const { parts, size } = await recorded({ 'content-encoding': encoding }, [body, 'more'], { isAnswer });
    expect([parts, size]).toEqual([[], { bytes: body.length + 4, kept: 0 }]);
  });

  it('that would fill the memory is cut', async () => {
    const bomb = gzipSync(Buffer.alloc(9 * MIB));
    const headers = { 'content-type': 'audio/wav', 'content-encoding': 'gzip' };
    const { parts, size } = await recorded(headers, [bomb]);
    expect(parts.reduce((sum, { length }) => sum + length, 0)).toBe(8 * MIB);
    expect(size).toEqual({ bytes: bomb.length, kept: 8 * MIB });
  });
});

describe('the memory of parts that wait for their end', () => {
  it('is bounded for an event without an end', async () => {
    const { parts, size, waiting } = await recorded(
      SPEECH,
      Array.from({ length: 20 }, () => 'x'.repeat(64 * 1024)),
    );
    expect(parts.map(({ length }) => length)).toEqual([MIB]);
    expect(size).toEqual({ bytes: 20 * 64 * 1024, kept: MIB });
    expect(waiting).toBe(0);
  });

  it('is bounded over all bodies, and the oldest of the address with the most are cut', () => {
    const waiting = waitingParts();
    const bodyOf = (address: string) => {
      const body = new CallBody({ headers: {}, isAnswer: false, waiting, peer: [address], record: () => {} });
      body.add({ length: MIB - 1, bytes: new Uint8Array(MIB - 1) });
      return body;
    };
    const good = bodyOf('good');
    const bodies = Array.from({ length: 20 }, () => bodyOf('greedy'));
    expect(waiting.heldBytes).toBeLessThanOrEqual(16 * MIB);
    const cut = bodies.map(({ size }) => size.kept !== undefined);
    expect(cut).toEqual([...Array(5).fill(true), ...Array(15).fill(false)]);
    expect(good.size.kept).toBeUndefined();
    for (const body of [good, ...bodies]) body.end(() => {});
    expect(waiting.heldBytes).toBe(0);
  });

  it('of many small pieces is copied in linear time', async () => {
    const text = 'x'.repeat(200_000);
    const { parts } = await recorded(SPEECH, pieces(`${text}\n\n`, 1));
    expect(parts).toEqual([`${text}\n\n`]);
  });

  it('ends a cut in the middle of a character with a mark of it', async () => {
    const { parts } = await recorded({ 'content-type': 'text/plain' }, [`x${'é'.repeat(MIB)}`]);
    expect(String(parts[0]).slice(-2)).toBe('é\ufffd');
  });
});
