import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase64Into, maxDecodedBytes } from './base64.ts';
import { type Base64Result, decodeBase64ByTable } from './base64-table.ts';

const decoders = { decodeBase64Into, decodeBase64ByTable };

function decoded(decode: (text: string, target: Uint8Array) => Base64Result, text: string) {
  const target = new Uint8Array(maxDecodedBytes(text.length) + 2).fill(0xaa);
  const result = decode(text, target);
  return 'bytes' in result ? [...target.subarray(0, result.bytes)] : result.problem;
}

describe.each(Object.entries(decoders))('%s', (_, decode) => {
  it('gives back what was encoded', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(decoded(decode, Buffer.from(bytes).toString('base64'))).toEqual([...bytes]);
      }),
    );
  });

  it.each([
    ['', []],
    ['AA==', [0]],
    ['AAE=', [0, 1]],
    ['AAEC', [0, 1, 2]],
    ['+/+/', [0xfb, 0xff, 0xbf]],
    ['A A\nE\t=\r', [0, 1]],
  ])('reads %j', (text, bytes) => {
    expect(decoded(decode, text)).toEqual(bytes);
  });

  it.each([
    ['A', /end/],
    ['AA', /end/],
    ['AAA', /end/],
    ['AA=', /end/],
    ['AAAA=', /end/],
    ['AAAA====', /end/],
    ['AA===', /end/],
    ['=AAA', /end/],
    ['AA==AAAA', /end/],
    ['AA=A', /end/],
    ['AB==', /end/],
    ['AAB=', /end/],
    ['AA-_', /"-" at character 2/],
    ['AAé=', /"é" at character 2/],
    ['AA\u0000=', /at character 2/],
    ['data:;base64,AAAA', /":" at character 4/],
  ])('refuses %j with a reason', (text, reason) => {
    expect(decoded(decode, text)).toMatch(reason);
  });

  it('touches nothing behind the decoded bytes', () => {
    const target = new Uint8Array(6).fill(0xaa);
    decode('AAE=', target);
    expect([...target.subarray(2)]).toEqual([0xaa, 0xaa, 0xaa, 0xaa]);
  });
});

describe('decodeBase64Into', () => {
  it('throws when the target cannot hold the text, because no text is at fault for that', () => {
    expect(() => decodeBase64Into('AAECAwQF', new Uint8Array(5))).toThrow(RangeError);
  });
});
