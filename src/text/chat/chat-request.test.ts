import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  boundedHistory,
  type HistoryEntry,
  MAX_HISTORY_CHARS,
  MAX_HISTORY_ENTRIES,
  messagesOf,
} from './chat-request.ts';

const user = (content: string): HistoryEntry => ({ role: 'user', content });
const assistant = (content: string): HistoryEntry => ({ role: 'assistant', content });

const entries = fc.array(
  fc.record({
    role: fc.constantFrom('user' as const, 'assistant' as const),
    content: fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.integer({ min: 0, max: MAX_HISTORY_CHARS + 10 }).map((length) => 'x'.repeat(length)),
    ),
  }),
  { maxLength: MAX_HISTORY_ENTRIES + 20 },
);

describe('boundedHistory', () => {
  it('keeps the newest entries within both limits, and all that fit', () => {
    fc.assert(
      fc.property(entries, (all) => {
        const kept = boundedHistory(all);
        const chars = kept.reduce((sum, { content }) => sum + content.length, 0);
        expect(kept.length).toBeLessThanOrEqual(MAX_HISTORY_ENTRIES);
        expect(chars).toBeLessThanOrEqual(MAX_HISTORY_CHARS);
        const isCut = kept[0] !== undefined && kept[0] !== all[all.length - kept.length];
        expect(kept.slice(isCut ? 1 : 0)).toEqual(all.slice(all.length - kept.length + (isCut ? 1 : 0)));
        // Nothing goes before an entry that was cut.
        const next = all[all.length - kept.length - 1];
        if (next && !isCut && kept.length < MAX_HISTORY_ENTRIES) {
          expect(chars + next.content.length).toBeGreaterThan(MAX_HISTORY_CHARS);
        }
      }),
    );
  });

  it('cuts the beginning of a single entry that is too long, between characters', () => {
    const [kept] = boundedHistory([user(`😀${'x'.repeat(MAX_HISTORY_CHARS - 1)}`)]);
    expect(kept?.content).toBe('x'.repeat(MAX_HISTORY_CHARS - 1));
  });
});

describe('messagesOf', () => {
  it('sends system prompt, history and question', () => {
    expect(messagesOf('Be brief.', [user('Hi'), assistant('Hello.')], 'And now?')).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: 'And now?' },
    ]);
  });

  it('joins two questions where nothing was heard of the answer between them', () => {
    expect(messagesOf('', [user('One?'), assistant(' ')], 'Two?')).toEqual([
      { role: 'user', content: 'One?\n\nTwo?' },
    ]);
  });

  it('alternates, begins with the user and ends with the question', () => {
    fc.assert(
      fc.property(entries, (history) => {
        const messages = messagesOf(' ', history, 'Why?');
        expect(messages[0]?.role).toBe('user');
        expect(messages.at(-1)?.content.endsWith('Why?')).toBe(true);
        for (const [at, { role, content }] of messages.entries()) {
          expect(role).not.toBe(messages[at - 1]?.role);
          expect(content.trim()).not.toBe('');
        }
      }),
    );
  });
});
