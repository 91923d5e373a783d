import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draftOfFrame, frameOfDraft, templateDraft } from './draft.ts';

describe('a draft', () => {
  it('of an earlier frame sends an equal frame', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.uint8Array().map((bytes) => new Uint8Array(bytes)),
        ),
        (frame) => {
          expect(frameOfDraft(draftOfFrame(frame))).toEqual({ frame });
        },
      ),
    );
  });

  it('of a template contains its frame', () => {
    const template = { id: 'a', title: 'A', about: 'A.', frame: { text: 'Hi', flush: true } };
    const sent = frameOfDraft(templateDraft(template));
    expect('frame' in sent && JSON.parse(String(sent.frame))).toEqual(template.frame);
    expect(frameOfDraft(templateDraft(undefined))).toEqual({ frame: '{}' });
  });

  it('in text sends any text, invalid JSON too', () => {
    expect(frameOfDraft({ mode: 'text', text: '{"a":', hex: 'zz' })).toEqual({ frame: '{"a":' });
  });

  it('in hex rejects other characters', () => {
    expect(frameOfDraft({ mode: 'binary', text: '', hex: '00 zz' })).toMatchObject({ at: 3 });
  });
});
