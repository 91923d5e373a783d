import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draftOf, frameOf, placeOf, templateDraft } from './draft.ts';

describe('a draft', () => {
  it('of an earlier frame sends that very frame again', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.uint8Array().map((bytes) => new Uint8Array(bytes)),
        ),
        (frame) => {
          expect(frameOf(draftOf(frame))).toEqual({ frame });
        },
      ),
    );
  });

  it('of a template holds its frame', () => {
    const template = { id: 'a', title: 'A', about: 'A.', frame: { text: 'Hi', flush: true } };
    const sent = frameOf(templateDraft(template));
    expect('frame' in sent && JSON.parse(String(sent.frame))).toEqual(template.frame);
    expect(frameOf(templateDraft(undefined))).toEqual({ frame: '{}' });
  });

  it('in text sends whatever stands there, broken JSON too', () => {
    expect(frameOf({ mode: 'text', text: '{"a":', hex: 'zz' })).toEqual({ frame: '{"a":' });
  });

  it('in hex sends nothing that is no hex', () => {
    expect(frameOf({ mode: 'binary', text: '', hex: '00 zz' })).toMatchObject({ at: 3 });
  });
});

describe('placeOf', () => {
  it.each([
    ['', 0, 1, 1],
    ['ab', 2, 1, 3],
    ['ab\ncd', 3, 2, 1],
    ['ab\ncd', 4, 2, 2],
    ['ab\n', 2, 1, 3],
  ])('%j at %d', (text, at, line, column) => {
    expect(placeOf(text, at)).toEqual({ line, column });
  });
});
