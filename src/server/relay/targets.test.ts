import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeOf } from './targets.ts';

const TARGETS = { kugel: new URL('ws://vendor.example/prefix') };
const pathOf = (segment: string) => placeOf(new URL(`http://127.0.0.1/relay/kugel/${segment}`), TARGETS);

/** Decodes again and again, as a chain of servers may. */
function naivelyDecoded(text: string): string {
  const once = text.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return once === text ? text : naivelyDecoded(once);
}

describe('the path of a relayed request', () => {
  it('is refused where any number of decodings makes another directory or host of it', () => {
    const part = fc.constantFrom('%', '2', '5', 'f', 'F', 'e', '%25', '%2e', '%2f', '%5c', '%00', 'a', '.');
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 12 }), (parts) => {
        const segment = `x${parts.join('')}`;
        const isRefused = /[/\\\p{Cc}]/u.test(naivelyDecoded(segment));
        expect('status' in (pathOf(segment) ?? {})).toBe(isRefused);
      }),
      { numRuns: 2000 },
    );
  });

  it('is decoded in one pass, also where it was encoded thousands of times', () => {
    expect(pathOf(`%${'25'.repeat(8000)}2fother`)).toHaveProperty('status', 400);
    expect(pathOf(`%${'25'.repeat(8000)}41`)).toHaveProperty('vendor', 'kugel');
  });
});
