import { describe, expect, it } from 'vitest';
import { byteRange } from './wav-response.ts';

describe('byte range of 100 bytes', () => {
  it.each<[string | undefined, ReturnType<typeof byteRange>]>([
    [undefined, null],
    ['bytes=0-', { start: 0, end: 100 }],
    ['bytes=0-0', { start: 0, end: 1 }],
    ['bytes=10-19', { start: 10, end: 20 }],
    ['bytes=90-200', { start: 90, end: 100 }],
    ['bytes=-10', { start: 90, end: 100 }],
    ['bytes=-200', { start: 0, end: 100 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=20-10', null],
    ['bytes=0-1,5-6', null],
    ['bytes=-', null],
    ['lines=0-1', null],
  ])('%s', (header, expected) => {
    expect(byteRange(header, 100)).toEqual(expected);
  });
});
