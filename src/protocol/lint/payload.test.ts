import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_MESSAGE_BYTES } from '../core/json-frame.ts';
import { agrees, base64Bytes, endsSentence, payloadBytes } from './payload.ts';

describe('agrees', () => {
  it.each([
    [5.4, 5.4],
    [5.4, 5.44],
    [1.2, 1.15],
    [1.234, 1.2344],
    [2, 2.04],
    [0, 0],
  ])('accepts %d for %d', (told, exact) => {
    expect(agrees(told, exact)).toBe(true);
  });

  it.each([
    [5.4, 5.5],
    [1.234, 1.236],
    [2, 2.1],
    [0, 0.1],
    // More decimals than three are not believed, fewer are.
    [1.23456, 1.2375],
  ])('rejects %d for %d', (told, exact) => {
    expect(agrees(told, exact)).toBe(false);
  });

  it('accepts any rounding to one, two or three decimals', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 4000, noNaN: true }),
        fc.integer({ min: 1, max: 3 }),
        (exact, places) => {
          expect(agrees(Number(exact.toFixed(places)), exact)).toBe(true);
        },
      ),
    );
  });
});

describe('payloads', () => {
  it('counts the bytes of base64', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(base64Bytes(btoa(String.fromCharCode(...bytes)))).toBe(bytes.length);
      }),
    );
    for (const wrong of ['A', 'A===', 'AAA*', 'AA=A']) expect(base64Bytes(wrong)).toBeNull();
  });

  it('counts UTF-8 bytes near the limit', () => {
    expect(payloadBytes('ä'.repeat(MAX_MESSAGE_BYTES / 2 + 1))).toBe(MAX_MESSAGE_BYTES + 2);
    expect(payloadBytes(new Uint8Array(7))).toBe(7);
  });
});

describe('text', () => {
  it.each(['Hello.', 'Hello! ', 'Hello?"', 'Hello…)', 'こんにちは。', '<break/>', 'Well:'])(
    '%s ends a sentence',
    (text) => {
      expect(endsSentence(text)).toBe(true);
    },
  );

  it.each(['Hello', 'Hello, ', 'Hello.x', ''])('%s does not', (text) => {
    expect(endsSentence(text)).toBe(false);
  });
});
