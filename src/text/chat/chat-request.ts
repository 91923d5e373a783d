import type { ApiServer } from '../api/api-server.ts';
import type { ThoughtMarks } from './thoughts.ts';

/** One message of a conversation with a model, as servers of chat completions expect it. */
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** A question to a model server, with everything that the server needs. */
export interface ChatRequest extends ApiServer {
  model: string;
  messages: readonly ChatMessage[];
  thoughts: ThoughtMarks;
}

/** Every report of a turn repeats its question. */
export const MAX_QUESTION_CHARS = 4000;

/** A message of the history: a question, or the part of an answer that was heard. */
export interface HistoryEntry {
  role: 'user' | 'assistant';
  content: string;
}

/** Limits of the history. Most small models read little more, and a request carries all of it. */
export const MAX_HISTORY_ENTRIES = 40;
export const MAX_HISTORY_CHARS = 24_000;

/** Returns the newest entries within the limits. An entry that is longer than the limit alone loses its beginning. */
export function boundedHistory<Entry extends HistoryEntry>(entries: readonly Entry[]): Entry[] {
  const kept: Entry[] = [];
  let charsLeft = MAX_HISTORY_CHARS;
  for (const entry of entries.slice(-MAX_HISTORY_ENTRIES).reverse()) {
    const { length } = entry.content;
    if (length > charsLeft) {
      if (kept.length === 0) kept.push({ ...entry, content: lastChars(entry.content, charsLeft) });
      break;
    }
    charsLeft -= length;
    kept.push(entry);
  }
  return kept.reverse();
}

/** Returns the last characters of a text. A surrogate pair is not divided. */
function lastChars(text: string, chars: number): string {
  const last = text.slice(-chars);
  return /^[\uDC00-\uDFFF]/.test(last) ? last.slice(1) : last;
}

/**
 * Returns the messages of a request: system prompt, history within its limits, question. User and assistant alternate
 * and a user begins, because the templates of some models refuse any other order. An answer that nobody heard is left out,
 * and the questions around it become one message.
 */
export function messagesOf(
  system: string,
  history: readonly HistoryEntry[],
  question: string,
): ChatMessage[] {
  const entries = [...boundedHistory(history), { role: 'user', content: question } as const];
  const spoken = entries.filter(({ content }) => content.trim() !== '');
  const messages: ChatMessage[] = [];
  for (const { role, content } of spoken) {
    const last = messages.at(-1);
    if (last?.role === role) last.content += `\n\n${content}`;
    else if (last || role === 'user') messages.push({ role, content });
  }
  return system.trim() === '' ? messages : [{ role: 'system', content: system }, ...messages];
}
