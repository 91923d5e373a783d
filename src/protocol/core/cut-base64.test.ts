import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutBase64 } from './cut-base64.ts';

describe('cutBase64', () => {
  it.each([
    ['{"chunk":"AAAB"}', 'AAAB', { chunk: '' }],
    ['{"type":"audio","chunk":"AA==","sr":1}', 'AA==', { type: 'audio', chunk: '', sr: 1 }],
    ['{ "chunk":   "AAAB" , "type" : "audio" }', 'AAAB', { chunk: '', type: 'audio' }],
    ['{"chunk":""}', '', { chunk: '' }],
    [
      '{"note":"say \\"chunk\\":\\"x\\" please","chunk":"AAAB"}',
      'AAAB',
      { note: 'say "chunk":"x" please', chunk: '' },
    ],
  ])('cuts %s', (frame, base64, rest) => {
    expect(cutBase64(frame, 'chunk')).toEqual({ base64, rest });
  });

  it.each([
    ['no such key', '{"type":"pong"}'],
    ['a value that is no string', '{"chunk":7}'],
    ['a string without an end', '{"chunk":"AAAB'],
    ['an escape in the string', '{"chunk":"AA\\u0041B"}'],
    ['white space that JSON writers do not use', '{"chunk":\t"AAAB"}'],
    ['the key of an object within', '{"inner":{"chunk":"AAAB"}}'],
    ['the key of an object within, beside an empty one', '{"inner":{"chunk":"AAAB"},"chunk":""}'],
    ['the key twice', '{"chunk":"AAAB","chunk":""}'],
    ['a key that only ends like it', '{"a\\"chunk":"AAAB"}'],
    ['a list', '[{"chunk":"AAAB"}]'],
    ['no JSON', '{"chunk":"AAAB"'],
    ['nothing', ''],
  ])('leaves %s to full parsing', (_, frame) => {
    expect(cutBase64(frame, 'chunk')).toBeNull();
  });

  it('cuts out the value of the key or nothing, for any frame', () => {
    const key = fc.oneof({ weight: 2, arbitrary: fc.constant('chunk') }, fc.string());
    const value = fc.oneof(fc.base64String(), fc.jsonValue(), fc.dictionary(key, fc.base64String()));
    const frames = fc.oneof(fc.dictionary(key, value), fc.array(fc.dictionary(key, value)));
    fc.assert(
      fc.property(frames, fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const frame = JSON.stringify(value, null, indent);
        const cut = cutBase64(frame, 'chunk');
        if (cut) expect({ ...cut.rest, chunk: cut.base64 }).toEqual(JSON.parse(frame));
      }),
    );
  });
});
