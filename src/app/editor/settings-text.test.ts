import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonDraftOf, parseSettings, settingsText } from './settings-text.ts';

const anySettings = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }));

describe('settings and their text', () => {
  it('survive formatting and parsing, for any fields', () => {
    fc.assert(
      fc.property(anySettings, (settings) => {
        const parsed = parseSettings(settingsText(settings, null));
        expect(JSON.stringify(parsed)).toBe(JSON.stringify(settings));
      }),
    );
  });

  it('puts a field on each line and a short list on one', () => {
    expect(
      settingsText({ voice: 1071, steps: [5, 80], on: true, gone: undefined, more: { a: [1] } }, null),
    ).toBe(
      '{\n  "voice": 1071,\n  "steps": [5, 80],\n  "on": true,\n  "more": {\n    "a": [\n      1\n    ]\n  }\n}',
    );
    expect(settingsText({}, null)).toBe('{}');
  });

  it.each([
    '[]',
    '7',
    'null',
    '"text"',
    '{',
    '['.repeat(200_000),
    `{"a":${'['.repeat(200)}${']'.repeat(200)}}`,
  ])('reads no settings from %.20s', (text) => {
    expect(parseSettings(text)).toBeNull();
  });
});

describe('two views of one state', () => {
  it('shows the text as typed while it means the same settings', () => {
    fc.assert(
      fc.property(anySettings, fc.constantFrom(0, 1, 7), (settings, indent) => {
        const typed = JSON.stringify(settings, null, indent);
        const draft = jsonDraftOf(typed, { other: true });
        expect(settingsText(draft.settings, draft)).toBe(typed);
      }),
    );
  });

  it('drops reserved fields from the settings, but not from the typed text', () => {
    const draft = jsonDraftOf('{"api_key": "k3y", "speed": 1}', {}, ['api_key']);
    expect(draft.settings).toEqual({ speed: 1 });
    expect(settingsText(draft.settings, draft)).toContain('k3y');
  });

  it('keeps an unreadable text and the settings before it', () => {
    const draft = jsonDraftOf('{"speed": ', { speed: 1 });
    expect(draft.settings).toEqual({ speed: 1 });
    expect(settingsText({ speed: 1 }, draft)).toBe('{"speed": ');
  });

  it('formats the text again after the form changed the settings', () => {
    const draft = jsonDraftOf('{"speed":1}', {});
    expect(settingsText({ speed: 1.1 }, draft)).toBe('{\n  "speed": 1.1\n}');
    expect(settingsText({ speed: 1 }, null)).toBe('{\n  "speed": 1\n}');
  });
});
