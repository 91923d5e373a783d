import fc from 'fast-check';
import { expect, it } from 'vitest';
import { GenerationBuffer } from '../wire/generation-buffer.ts';
import { SpokenBound } from './generation.ts';

it('never counts fewer generations than the server cuts, for any frames', () => {
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', ' ', '.', ',', '。', '\n'), maxLength: 400 }),
    fc.constant('b'.repeat(390)),
    fc.constant('no end'),
  );
  fc.assert(
    fc.property(fc.array(fc.option(text), { maxLength: 12 }), (frames) => {
      const buffer = new GenerationBuffer();
      const bound = new SpokenBound();
      for (const frame of frames) {
        let generations: number;
        if (frame === null) {
          bound.flush();
          generations = buffer.flush() === null ? 0 : 1;
        } else {
          bound.text(frame);
          generations = buffer.add(frame)?.length ?? 0;
        }
        for (let done = 0; done < generations; done += 1) {
          expect(bound.isSpoken).toBe(false);
          bound.done();
        }
      }
    }),
    { numRuns: 300 },
  );
});

it('short text is one generation', () => {
  const bound = new SpokenBound();
  bound.text('Hello there. And you?');
  bound.flush();
  expect(bound.isSpoken).toBe(false);
  bound.done();
  expect(bound.isSpoken).toBe(true);
});
