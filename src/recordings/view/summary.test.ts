import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ShownEntry } from '../store/payload-reader.ts';
import { summaryOf } from './summary.ts';

const entry = (payload: ShownEntry['payload'], rest: Partial<ShownEntry> = {}): ShownEntry => ({
  index: 0,
  atUs: 0,
  direction: 'in',
  connection: 1,
  opcode: 'text',
  bytes: 20_000,
  kind: 'said',
  turn: null,
  context: null,
  chunk: null,
  audioMs: null,
  payload,
  ...rest,
});

const json = (value: unknown): string => summaryOf(entry(JSON.stringify(value)));

describe('what a frame says', () => {
  it.each([
    ['{"what":"stall=3000@2"}', 'stall=3000@2: Sends nothing for this time before the n-th audio frame.'],
    ['{"what":"latency-in=5"}', 'latency-in=5: Delays every message to the client, in addition to latency.'],
    ['{"what":"unheard-of"}', 'unheard-of'],
    ['{"what":7}', '{"what":7}'],
    ['nonsense', 'nonsense'],
  ])('of the fault %s', (payload, expected) => {
    const summary = summaryOf(entry(payload, { direction: 'connection', opcode: 'none', kind: 'fault' }));
    expect(summary.startsWith(expected)).toBe(true);
  });

  it.each([
    ['request', { method: 'POST', path: '/v1/x?a=1', headers: { accept: '*/*' } }, 'POST /v1/x?a=1'],
    ['response', { status: 200, reason: '', headers: { 'content-type': 'audio/pcm' } }, '200, audio/pcm'],
    ['error', { status: 401, reason: 'Unauthorized', headers: {} }, '401 Unauthorized'],
    [
      'ended',
      { how: 'complete', sent: { bytes: 0 }, received: { bytes: 2e7, kept: 8e6 } },
      'complete; 0 B sent, 20.0 MB received (8.0 MB of it kept)',
    ],
    ['body', { how: 'it is', sent: 1 }, 'how "it is", sent 1'],
    ['error', { status: 'busy' }, '"busy"'],
  ])('of a call: the %s %j', (kind, payload, expected) => {
    expect(summaryOf(entry(JSON.stringify(payload), { kind, turn: 1 }))).toBe(expected);
  });

  it.each([
    [{ text: ' platform' }, '" platform"'],
    [{ flush: true }, 'flush'],
    [{ flush: false }, 'flush false'],
    [{ chunk_id: 1, text: 'Hello.', final: true }, 'text "Hello.", chunk_id 1, final'],
    [{ code: 4003, type: 'x', message: 'No credits left' }, 'message "No credits left", code 4003, type "x"'],
    [{ error: { code: 1, detail: 'x' }, id: 3 }, 'error {code, detail}, id 3'],
    [{ words: [{ word: 'a' }, { word: 'b' }], chunk: 0 }, 'words [2], chunk 0'],
    [
      { rate: 1.5, chunk_length_schedule: [5, 80, 150, 250] },
      'rate 1.5, chunk_length_schedule [5, 80, 150, 250]',
    ],
    [{ cost: null, seconds: 5.4 }, 'seconds 5.4'],
    [{ handshakeMs: 20.929931640625 }, 'handshakeMs 20.93'],
    [{}, '{}'],
    [[1, 2, 3], '[1, 2, 3]'],
    [{ audio: 'A'.repeat(12_800), idx: 8 }, 'audio (12,800 characters), idx 8'],
    [{ text: 'line\nbreak' }, '"line\\nbreak"'],
  ])('%j', (value, summary) => {
    expect(json(value)).toBe(summary);
  });

  it.each<[string, Partial<ShownEntry>, ShownEntry['payload'], string]>([
    ['audio', { kind: 'audio', audioMs: 200, chunk: 1 }, null, 'chunk 1, 200 ms of audio'],
    ['audio in no chunk', { kind: 'audio', audioMs: 2.5 }, 'AAAA', '2.5 ms of audio'],
    ['audio that cannot be measured', { kind: 'audio' }, null, 'audio of unknown length'],
    ['what was not kept', {}, null, 'the payload was not kept'],
    ['bytes', { opcode: 'binary', bytes: 3 }, new Uint8Array([72, 101, 8]), '3 B: 48 65 08'],
    ['an empty frame', {}, '', 'empty'],
    ['what is no JSON', {}, 'not\njson', 'not json'],
    ['a bare value', {}, '42', '42'],
  ])('%s', (_, rest, payload, summary) => {
    expect(summaryOf(entry(payload, rest))).toBe(summary);
  });

  it('cuts bytes after the first few', () => {
    const summary = summaryOf(entry(new Uint8Array(4096), { opcode: 'binary', bytes: 4096 }));
    expect(summary).toBe(`4.1 kB: ${Array.from({ length: 16 }, () => '00').join(' ')} …`);
  });

  it('is one short line for any payload', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.json(), fc.string(), fc.string({ unit: 'binary', maxLength: 600 })),
        (payload) => {
          const summary = summaryOf(entry(payload));
          expect(summary.length).toBeLessThanOrEqual(200);
          expect(summary).not.toMatch(/[\n\r]/);
        },
      ),
    );
  });

  it('does not cut a character in two', () => {
    for (let before = 150; before < 210; before += 1) {
      const summary = summaryOf(entry(`${'a '.repeat(before / 2)}${'🚂'.repeat(60)}`));
      expect(() => encodeURIComponent(summary)).not.toThrow();
    }
  });
});
