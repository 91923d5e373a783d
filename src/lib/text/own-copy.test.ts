import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { ownCopy } from './own-copy.ts';

const MIB = 1024 * 1024;

/** Memory of what is still reachable. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return getHeapStatistics().used_heap_size;
}

it.each(['', 'a', 'a slice of more than a dozen units', '\ud800half', '你好'])('is equal to %j', (text) => {
  expect(ownCopy(text)).toBe(text);
});

it('keeps a text alive no longer than needed', () => {
  const before = heapBytes();
  const kept = Array.from({ length: 50 }, (_, at) => ownCopy(`${at}${'x'.repeat(MIB)}`.slice(-40)));
  expect(heapBytes() - before).toBeLessThan(5 * MIB);
  expect(kept.join('')).toHaveLength(50 * 40);
});
