/** Facts about the thoughts of a model, beyond the marks that are known. */
export interface ThoughtMarks {
  /** Name of a further tag, such as `plan` for `<plan>…</plan>` and `[plan]…[/plan]`; empty for none. */
  tag: string;
  /** Answers begin inside thoughts: the template of the model writes the opening mark, and only the end mark arrives. */
  isFirst: boolean;
}

/**
 * Names of the tags around thoughts: `<think>` (DeepSeek, Qwen), `[THINK]` (Mistral), `◁think▷` (Kimi),
 * `<|START_THINKING|>` (Cohere), `<|begin_of_thought|>` (OpenThinker), also behind the name of a model (`<seed:think>`).
 */
const KNOWN = /^(?:[a-z0-9.]+[:_-])*(?:think|thinking|thoughts?|reasoning|scratchpad|reflection)$/;
/** A mark as a whole, and what may become one. */
const MARK = /^(?:<\|?([\p{L}\p{N}_/:.-]+)\|?>|\[([\p{L}\p{N}_/:.-]+)\]|◁([\p{L}\p{N}_/:.-]+)▷)/u;
const UNFINISHED_MARK = /^(?:<\|?[\p{L}\p{N}_/:.-]*\|?|[[◁][\p{L}\p{N}_/:.-]*)$/u;
const OPENER = /[<[◁]/;
/** A longer mark is text. */
const MAX_MARK_CHARS = 64;

/** Control tokens of chat templates with which a message is over. */
const MESSAGE_ENDS: ReadonlySet<string> = new Set(['end', 'return', 'call', 'im_end', 'eot_id']);
/** The channel of harmony that is meant for the user. */
const SPOKEN_CHANNEL = /^\s*final\b/;

/** The end of a text behind which a mark is spoken of. */
const QUOTE = /["'“‘`]$/;
const LOOK_BACK_CHARS = 16;

type Meaning = 'begin' | 'end' | 'start' | 'channel' | 'message' | 'over' | 'control' | 'text';

/**
 * Removes the thoughts of one answer from its tokens, wherever these are cut: blocks between marks, the channels of
 * harmony other than `final`, and control tokens such as `<|im_end|>`. Text waits only while it may be part of a mark.
 */
export class ThoughtFilter {
  readonly #tag: string;
  #state: 'speaking' | 'thinking' | 'header';
  /** Text that may become a mark. */
  #held = '';
  /** The channel that a header names; null where it names none. */
  #channel: string | null = null;
  /** A mark behind other text, and what follows: the mark may just be spoken of. Null for none. */
  #doubtful: string | null = null;
  /** The end of the text so far. */
  #before = '';
  #isLeaking = false;

  constructor({ tag, isFirst }: ThoughtMarks) {
    this.#tag = tag.replace(/[^\p{L}\p{N}_:.-]/gu, '').toLowerCase();
    this.#state = isFirst ? 'thinking' : 'speaking';
  }

  /** Whether thoughts were passed on as text, because only their end was marked. */
  get isLeaking(): boolean {
    return this.#isLeaking;
  }

  /** @returns the text to speak, which may be empty */
  add(token: string): string {
    const text = this.#held + token;
    let spoken = '';
    let at = 0;
    while (at < text.length && !isUnfinished(text, at)) {
      const mark = MARK.exec(text.slice(at, at + MAX_MARK_CHARS));
      const read = mark?.[0] ?? textAhead(text, at);
      const meaning = mark ? this.#meaningOf(read, mark[1] ?? mark[2] ?? mark[3] ?? '') : 'text';
      spoken = this.#take(meaning, read, spoken);
      at += read.length;
    }
    this.#held = text.slice(at);
    if (this.#before.trim() === '' && spoken !== '') spoken = spoken.replace(/^\s+/, '');
    this.#before = (this.#before + spoken).slice(-LOOK_BACK_CHARS);
    return spoken;
  }

  /** The answer is over. @returns the text that waited for more */
  end(): string {
    const waited = this.#state === 'speaking' ? this.#held : (this.#doubtful ?? '');
    this.#held = '';
    this.#doubtful = null;
    return waited;
  }

  #meaningOf(mark: string, name: string): Meaning {
    const written = name.toLowerCase();
    // People write a stage direction so. Models write a mark in brackets in letters of one case.
    const isDirection = mark.startsWith('[') && name !== written && name !== name.toUpperCase();
    const isControl = mark.startsWith('<|') || mark.endsWith('|>');
    // Gemma encloses its thoughts in `<|channel>` and `<channel|>`.
    if (isControl && written === 'channel') {
      if (!mark.endsWith('|>')) return 'begin';
      return mark.startsWith('<|') ? 'channel' : 'end';
    }
    const plain = written.replace(/^(?:\/|start_|begin_of_|end_of_|end_)/, '');
    if ((plain !== '' && plain === this.#tag) || (!isDirection && KNOWN.test(plain)))
      return /^(?:\/|end_)/.test(written) ? 'end' : 'begin';
    if (!isControl) return 'text';
    if (written === 'start' || written === 'message') return written;
    return MESSAGE_ENDS.has(written) ? 'over' : 'control';
  }

  /** @param spoken the text of this token so far. @returns it with what was read */
  #take(meaning: Meaning, read: string, spoken: string): string {
    const before = (this.#before + spoken).slice(-LOOK_BACK_CHARS);
    switch (meaning) {
      case 'begin':
      case 'end':
        if (this.#state === 'speaking' && QUOTE.test(before)) return spoken + read;
        return meaning === 'begin' ? this.#begin(read, before, spoken) : this.#endThoughts(spoken);
      case 'start':
      case 'channel':
        this.#state = 'header';
        this.#channel = meaning === 'channel' ? '' : null;
        return spoken;
      case 'message':
        this.#doubtful = null;
        this.#state = this.#channel === null || SPOKEN_CHANNEL.test(this.#channel) ? 'speaking' : 'thinking';
        return spoken;
      case 'over': {
        const waited = this.#doubtful ?? '';
        this.#doubtful = null;
        this.#state = 'speaking';
        return spoken + waited;
      }
      case 'control':
        return spoken;
      case 'text':
        if (this.#state === 'speaking') return spoken + read;
        if (this.#state === 'header' && this.#channel !== null) this.#channel += read;
        if (this.#doubtful !== null) this.#doubtful += read;
        return spoken;
    }
  }

  #begin(read: string, before: string, spoken: string): string {
    if (this.#state === 'speaking' && before.trim() !== '') this.#doubtful = '';
    this.#state = 'thinking';
    if (this.#doubtful !== null) this.#doubtful += read;
    return spoken;
  }

  #endThoughts(spoken: string): string {
    const isOrphan = this.#state === 'speaking';
    this.#state = 'speaking';
    this.#doubtful = null;
    if (!isOrphan) return spoken;
    // All text so far was thoughts. The part in earlier tokens has been passed on.
    if (this.#before.trim() !== '') this.#isLeaking = true;
    return '';
  }
}

/** Whether the rest of a text may become a mark with the next token. */
const isUnfinished = (text: string, at: number): boolean =>
  text.length - at < MAX_MARK_CHARS && UNFINISHED_MARK.test(text.slice(at));

/** Returns the text from a place up to the next character that may begin a mark, and at least one character. */
function textAhead(text: string, at: number): string {
  const length = text.slice(at + 1).search(OPENER);
  return text.slice(at, length < 0 ? undefined : at + 1 + length);
}
