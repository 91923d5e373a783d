import { describe, expect, it } from 'vitest';
import { KEY_PLACEHOLDER } from '#protocol/core/frame-template.ts';
import { KEY_MARK } from '#record/named-secrets.ts';
import { withKey } from './outbox.ts';

describe('withKey', () => {
  it.each([
    ['as it is where nothing stands for a key', '{ "text" : "Hi" ,}', '{ "text" : "Hi" ,}'],
    [
      'the key in its field, and nothing else moved',
      '{"a":1,\n "api_key" : "[key]" }',
      '{"a":1,\n "api_key" : "k\\"1" }',
    ],
    ['as it is where the mark is text to speak', '{"text":"[key]"}', '{"text":"[key]"}'],
    ['as it is where the mark is a part', '{"api_key":"x[key]"}', '{"api_key":"x[key]"}'],
    [
      'as it is inside a string',
      '{"text":"{\\"api_key\\":\\"[key]\\"}"}',
      '{"text":"{\\"api_key\\":\\"[key]\\"}"}',
    ],
    ['the key behind an escaped name', '{"say \\"":1,"token":"[key]"}', '{"say \\"":1,"token":"k\\"1"}'],
    ['text that is no JSON', 'hello [key]', 'hello [key]'],
  ])('sends %s', (_, frame, sent) => {
    expect(withKey(frame, 'k"1')).toBe(sent);
  });

  it('leaves bytes alone', () => {
    const bytes = new TextEncoder().encode('{"api_key":"[key]"}');
    expect(withKey(bytes, 'k')).toBe(bytes);
  });

  it('fills in what templates and the recorder write', () => {
    expect(KEY_PLACEHOLDER).toBe(KEY_MARK);
  });
});
