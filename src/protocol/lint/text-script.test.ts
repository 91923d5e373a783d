import { describe, expect, it } from 'vitest';
import { TextScript } from './text-script.ts';

const RUSSIAN = 'Привет, как дела?';
const ARABIC = 'مرحبا';

/** Returns the fault of each message, in short. */
function faults(address: string, ...messages: object[]): (string | null)[] {
  const script = new TextScript(address);
  const frame = { index: 0, connection: 0, direction: 'out', kind: '', bytes: 0, atUs: 0 } as const;
  return messages.map((message) => {
    const found = script.sent({ ...frame, payload: JSON.stringify(message) });
    return found?.message.replace('expected a text in the script of ', '') ?? null;
  });
}

describe('the language of a text', () => {
  it.each<[string, string, object[], (string | null)[]]>([
    [
      'beside an earlier text of its context',
      '',
      [
        { context_id: 'a', language: 'en', text: 'Hello.' },
        { context_id: 'a', text: RUSSIAN },
      ],
      [null, 'en, got Cyrillic'],
    ],
    [
      'in a message of its context without text',
      '?language=en',
      [
        { context_id: 'a', language: 'ru' },
        { context_id: 'a', text: RUSSIAN },
        { context_id: 'b', text: RUSSIAN },
      ],
      [null, null, 'en, got Cyrillic'],
    ],
    [
      'of a closed context is forgotten',
      '',
      [
        { context_id: 'a', language: 'en', text: 'Hello.' },
        { context_id: 'a', close_context: true },
        { context_id: 'a', text: RUSSIAN },
      ],
      [null, null, null],
    ],
    [
      'beside a text without a context is of that text alone',
      '',
      [{ language: 'en', text: 'Hello.' }, { text: RUSSIAN }],
      [null, null],
    ],
    [
      'named in English in an address',
      '?language=Russian',
      [{ text: RUSSIAN }, { text: ARABIC }],
      [null, 'ru, got Arabic'],
    ],
  ])('%s', (_, query, messages, expected) => {
    expect(faults(`wss://host/path${query}`, ...messages)).toEqual(expected);
  });
});
