import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { speakerOf, WireContexts, wireIdOf } from './wire-contexts.ts';

it('speakers are read from the ids of their contexts, also with names that look like such', () => {
  const name = fc.oneof(fc.string(), fc.constantFrom('', 'a~2', '~1', 'a~b', 'a\n~3'));
  fc.assert(
    fc.property(
      name,
      name,
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 30 }),
      (one, other, n, m) => {
        expect(speakerOf(wireIdOf(one, n))).toBe(one);
        if (one !== other || n !== m) expect(wireIdOf(one, n)).not.toBe(wireIdOf(other, m));
      },
    ),
  );
});

describe('the contexts of a connection', () => {
  const contextsOf = (areReused: boolean) => new WireContexts(() => null, { idOf: wireIdOf, areReused });

  it('take a free id again only where that is allowed', () => {
    const idsOf = (areReused: boolean): string[] => {
      const contexts = contextsOf(areReused);
      return [0, 1, 2].map(() => {
        const begun = contexts.begin('Ann');
        contexts.end(begun);
        return begun.id;
      });
    };
    expect(idsOf(true)).toEqual(['Ann', 'Ann', 'Ann']);
    expect(idsOf(false)).toEqual(['Ann', 'Ann~2', 'Ann~3']);
  });

  it('get no frames when they are over', () => {
    const contexts = contextsOf(false);
    contexts.end(contexts.begin('Ann'));
    expect(contexts.answered('Ann', false)).toBeNull();
    contexts.begin('Ann');
    expect(contexts.answered('Ann', true)).toBeNull();
  });

  it('take the id that the server names, where their text was only followed', () => {
    const contexts = contextsOf(false);
    contexts.begin('Ann', true);
    expect(contexts.answered('Ann~2', false)).toMatchObject({ context: { isLeft: false }, older: [] });
    expect(contexts.all.map(({ id }) => id)).toEqual(['Ann~2']);
  });

  it('take no text where only the server has named them', () => {
    const contexts = contextsOf(true);
    expect(contexts.answered('Ann', false)).toMatchObject({ context: { isLeft: false } });
    expect(contexts.open('Ann')).toBeUndefined();
  });

  it('close their speaker with the last of them', () => {
    const contexts = contextsOf(true);
    const [first, second] = [contexts.begin('Ann'), contexts.begin('Ann')];
    contexts.answered(first.id, true);
    expect(contexts.closed(first, false)).toEqual([]);
    contexts.answered(second.id, true);
    expect(contexts.closed(second, true)).toMatchObject([{ context: 'Ann', timedOut: true }]);
  });

  it('are remembered when they are left, up to a number', () => {
    const contexts = contextsOf(false);
    for (let count = 0; count < 50; count += 1) {
      const begun = contexts.begin('Ann');
      expect(contexts.answered(begun.id, false)?.older).toHaveLength(count === 0 ? 0 : 1);
    }
    expect(contexts.all).toHaveLength(10);
    expect(contexts.open('Ann')?.id).toBe('Ann~50');
  });
});
