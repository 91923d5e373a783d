import { describe, expect, it } from 'vitest';
import { TotalOutput, UnreadOutput } from './unread-output.ts';

const MIB = 1024 * 1024;

describe('unread output', () => {
  it('counts a small frame by what it costs, not by its payload', () => {
    const output = new UnreadOutput(new TotalOutput());
    for (let count = 0; count < 5000; count += 1) output.add('{"type":"pong"}');
    expect(output.isFlooded).toBe(true);
    expect(output.bytes).toBeGreaterThan(2 * MIB);
  });

  it('lets producers wait before messages wait, and both end when it is low', () => {
    const output = new UnreadOutput(new TotalOutput());
    const first = output.add(new Uint8Array(1.5 * MIB));
    expect([output.isFull, output.isFlooded, output.isLow]).toEqual([true, false, false]);
    const second = output.add(new Uint8Array(MIB));
    expect([output.isFull, output.isFlooded, output.isTooMuch]).toEqual([true, true, false]);
    output.remove(first);
    output.remove(second);
    expect([output.isFull, output.isFlooded, output.isLow]).toEqual([false, false, true]);
  });

  it('waits earlier while all connections together hold too much', () => {
    const total = new TotalOutput();
    const others = Array.from({ length: 200 }, () => new UnreadOutput(total));
    const added = others.map((other) => other.add(new Uint8Array(MIB)));
    const output = new UnreadOutput(total);
    output.add(new Uint8Array(100_000));
    expect(output.isFull).toBe(true);
    for (const [index, other] of others.entries()) other.remove(added[index] ?? 0);
    expect(output.isFull).toBe(false);
  });
});
