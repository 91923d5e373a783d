import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HEX_ROW_BYTES, hexDump, hexOffset, hexRowCount, hexRows, parseHex } from './hex.ts';

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('hexRows', () => {
  it('has sixteen bytes a row, the rest in the last one', () => {
    const rows = hexRows(ascii('The quick brown fox\n~\u007f'));
    expect(rows.map(({ offset, bytes, ascii: text }) => [offset, bytes.length, text])).toEqual([
      [0, 16, 'The quick brown '],
      [16, 6, 'fox.~.'],
    ]);
    expect(rows[1]?.bytes).toEqual(['66', '6f', '78', '0a', '7e', '7f']);
  });

  it('has no row of nothing', () => {
    expect(hexRows(new Uint8Array())).toEqual([]);
    expect(hexRowCount(0)).toBe(0);
  });

  it('formats any range like the whole', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(15), fc.nat(15), (bytes, from, to) => {
        expect(hexRows(bytes, from, to)).toEqual(hexRows(bytes).slice(from, Math.max(from, to)));
      }),
    );
  });

  it('holds every byte once, in order, and one character for each', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const rows = hexRows(bytes);
        expect(rows.flatMap((row) => row.bytes).map((pair) => Number.parseInt(pair, 16))).toEqual([...bytes]);
        for (const [at, row] of rows.entries()) {
          expect(row.offset).toBe(at * HEX_ROW_BYTES);
          expect(row.ascii).toHaveLength(row.bytes.length);
          expect(row.ascii).toMatch(/^[ -~]*$/);
        }
      }),
    );
  });

  it('is written out in columns that stand below one another', () => {
    expect(hexDump(ascii('0123456789abcdefg'))).toBe(
      '00000000  30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66  0123456789abcdef\n' +
        '00000010  67                                               g',
    );
    expect(hexOffset(0x1_2345_6789)).toBe('123456789');
  });
});

describe('parseHex', () => {
  it.each<[string, number[]]>([
    ['', []],
    [' \n', []],
    ['00ff7F', [0, 255, 127]],
    ['0x00 0XfF', [0, 255]],
    ['de:ad,be ef\n', [0xde, 0xad, 0xbe, 0xef]],
    // A zero before an x that no digits follow would be a prefix; here it is a byte.
    ['00', [0]],
  ])('reads %j', (text, bytes) => {
    expect(parseHex(text)).toEqual({ bytes: Uint8Array.from(bytes) });
  });

  it.each<[string, number, RegExp]>([
    ['00 zz', 3, /Expected a hex digit.*“z”/],
    ['0g', 1, /second hex digit.*“g”/],
    ['00 1', 3, /found one, “1”/],
    ['00 1 2', 3, /found one, “1”/],
    ['0x', 2, /Expected a hex digit.*the end/],
    ['0x 12', 2, /Expected a hex digit/],
    ['00 😀', 3, /“😀”/],
  ])('says where %j is wrong', (text, at, problem) => {
    expect(parseHex(text)).toEqual({ at, problem: expect.stringMatching(problem) });
  });

  it('reads back what was written, and never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.constantFrom('', ' ', ':', ', ', '\n0x'), (bytes, between) => {
        const text = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(between);
        expect(parseHex(text)).toEqual({ bytes });
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const result = parseHex(text);
        if ('at' in result) expect(result.at).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});
