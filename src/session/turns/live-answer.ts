import { MAX_QUESTION_CHARS } from '#text/chat/chat-request.ts';
import type { AnswerView } from '../views.ts';

const MAX_MODEL_CHARS = 100;

/** The answer of a live model to a question, which one turn or several speak. */
export class LiveAnswer implements AnswerView {
  readonly request: number | null;
  readonly question: string;
  readonly model: string;
  readonly askedMs: number;
  turn: number | null = null;
  state: AnswerView['state'] = 'asked';
  firstTokenMs: number | null = null;
  lastTokenMs: number | null = null;
  endedMs: number | null = null;
  tokens = 0;
  characters = 0;

  /** @param request null in a replay, which asks nobody */
  constructor(request: number | null, question: string, model: string, askedMs: number) {
    this.request = request;
    this.question = question.slice(0, MAX_QUESTION_CHARS);
    this.model = model.slice(0, MAX_MODEL_CHARS);
    this.askedMs = askedMs;
  }

  token(text: string, atMs: number): void {
    this.state = 'writing';
    this.firstTokenMs ??= atMs;
    this.lastTokenMs = atMs;
    this.tokens += 1;
    this.characters += text.length;
  }

  /** A second end changes nothing. */
  end(state: 'done' | 'stopped' | 'failed', atMs: number): void {
    if (this.endedMs !== null) return;
    this.state = state;
    this.endedMs = atMs;
  }
}
