/** Text between tags; offsets are UTF-16, end exclusive. */
export interface TextSegment {
  readonly kind: 'text';
  readonly start: number;
  readonly end: number;
  /** Factor given by `prosody`; undefined outside of it. */
  readonly rate: number | undefined;
  /** Inside `spell`: characters per group. */
  readonly spellGroup: number | undefined;
}

/** Text, a pause, or a tag or comment without a sound of its own. */
export type Segment =
  | TextSegment
  | { readonly kind: 'break'; readonly durationMs: number }
  | { readonly kind: 'silent' };

/** Longer than any known tag, so that a stray `<` does not delay text for long. */
const MAX_TAG_LENGTH = 200;
const MAX_NESTING = 16;
const NAME = '[A-Za-z][A-Za-z0-9:-]{0,31}';
const VALUE = `"[^"<>]*"|'[^'<>]*'|[^\\s"'<>]+`;
const TAG = new RegExp(`^<(/?)(${NAME})((?:\\s+[\\w:-]+\\s*=\\s*(?:${VALUE}))*)\\s*(/?)>`);
const ATTRIBUTE = new RegExp(`([\\w:-]+)\\s*=\\s*(${VALUE})`, 'g');
const COMMENT_OPEN = '<!--';
const COMMENT_CLOSE = '-->';
const DECLARATION = /<[?!][A-Za-z][^<>]*>/y;
/** Beginnings of a tag. Their first units decide, and neither `<` nor `>` follows. */
const TAG_BEGINNING = /^<(?:\/?(?:[A-Za-z]|$)|!-{0,2}$)/;
const DECIDING_UNITS = 5;

/** Rates snap to one of these, ties upwards. */
const BREAK_STEPS_MS = [200, 400, 500] as const;
const BREAK_STRENGTHS_MS: ReadonlyMap<string, number> = new Map(
  Object.entries({ none: 0, 'x-weak': 200, weak: 200, medium: 200, strong: 500, 'x-strong': 500 }),
);
const BARE_BREAK_MS = 200;
/** Characters of a group, unless `group` says otherwise. */
const SPELL_GROUP = 4;
const NAMED_RATES: ReadonlyMap<string, number> = new Map(Object.entries({ slow: 0.8, medium: 1, fast: 1.2 }));
const MIN_RATE = 0.8;
const MAX_RATE = 1.2;

interface Tag {
  readonly closing: boolean;
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly empty: boolean;
  readonly end: number;
}

function tagAt(text: string, at: number): Tag | undefined {
  const match = TAG.exec(text.slice(at, at + MAX_TAG_LENGTH));
  if (match === null) return undefined;
  const attributes = new Map<string, string>();
  for (const [, name = '', quoted = ''] of (match[3] ?? '').matchAll(ATTRIBUTE)) {
    attributes.set(name.toLowerCase(), quoted.replace(/^(["'])(.*)\1$/, '$2').replace(/\/$/, ''));
  }
  return {
    closing: match[1] === '/',
    name: (match[2] ?? '').toLowerCase(),
    attributes,
    empty: match[4] === '/',
    end: at + match[0].length,
  };
}

/** Facts 1.7 `break`: snapped to 200, 400 or 500 ms; 0 is no pause. */
function breakMs(attributes: ReadonlyMap<string, string>): number {
  const time = /^([\d.]{1,12})\s*(ms|s)$/i.exec(attributes.get('time')?.trim() ?? '');
  if (time !== null) {
    const askedMs = Number(time[1]) * (time[2]?.toLowerCase() === 's' ? 1000 : 1);
    if (Number.isNaN(askedMs)) return BARE_BREAK_MS;
    if (askedMs === 0) return 0;
    const [short, middle, long] = BREAK_STEPS_MS;
    if (askedMs < (short + middle) / 2) return short;
    return askedMs < (middle + long) / 2 ? middle : long;
  }
  return BREAK_STRENGTHS_MS.get(attributes.get('strength')?.trim().toLowerCase() ?? '') ?? BARE_BREAK_MS;
}

function rateOf(attributes: ReadonlyMap<string, string>, inherited: number | undefined): number | undefined {
  const value = attributes.get('rate')?.trim().toLowerCase() ?? '';
  const named = NAMED_RATES.get(value);
  if (named !== undefined) return named;
  const number = Number(value);
  if (value === '' || !Number.isFinite(number)) return inherited;
  return Math.min(MAX_RATE, Math.max(MIN_RATE, number));
}

function groupOf(attributes: ReadonlyMap<string, string>): number {
  const group = Number(attributes.get('group') ?? '');
  return Number.isInteger(group) && group > 0 ? group : SPELL_GROUP;
}

/** Finds the ends of comments and declarations. Each part of the text is searched once, also where none is closed. */
function commentEnds(text: string): (at: number) => number {
  let close = text.indexOf(COMMENT_CLOSE);
  return (at) => {
    if (text.startsWith(COMMENT_OPEN, at)) {
      const from = at + COMMENT_OPEN.length;
      if (close !== -1 && close < from) close = text.indexOf(COMMENT_CLOSE, from);
      if (close !== -1) return close + COMMENT_CLOSE.length;
    }
    DECLARATION.lastIndex = at;
    return at + (DECLARATION.exec(text)?.[0].length ?? 0);
  };
}

/**
 * Splits a text at its tags. `break`, `spell` and `prosody rate` are honoured, any other tag and
 * comments are dropped with their content kept, and a `<` that opens no tag is text. Open tags are
 * closed at the end.
 */
export function* parseMarkup(text: string): Generator<Segment> {
  const commentEnd = commentEnds(text);
  const rates: (number | undefined)[] = [];
  const groups: number[] = [];
  let start = 0;
  const textUpTo = (end: number): TextSegment[] =>
    end > start ? [{ kind: 'text', start, end, rate: rates.at(-1), spellGroup: groups.at(-1) }] : [];
  let at = text.indexOf('<');
  while (at !== -1) {
    const tag = tagAt(text, at);
    const end = tag?.end ?? commentEnd(at);
    if (end > at) {
      yield* textUpTo(at);
      start = end;
    }
    if (tag?.name === 'break' && !tag.closing) {
      yield { kind: 'break', durationMs: breakMs(tag.attributes) };
    } else {
      yield { kind: 'silent' };
    }
    if (tag?.name === 'spell') {
      if (tag.closing) groups.pop();
      else if (!tag.empty && groups.length < MAX_NESTING) groups.push(groupOf(tag.attributes));
    } else if (tag?.name === 'prosody') {
      if (tag.closing) rates.pop();
      else if (!tag.empty && rates.length < MAX_NESTING) rates.push(rateOf(tag.attributes, rates.at(-1)));
    }
    at = text.indexOf('<', Math.max(end, at + 1));
  }
  yield* textUpTo(text.length);
}

/**
 * Follows the tags of a text that grows unit by unit, so that a text buffer never cuts through `<spell>` or a partial
 * tag. Costs what the new text costs.
 */
export class OpenMarkup {
  /** Open `spell` tags. */
  #depth = 0;
  /** Start of the tag that may still be incomplete: a `<` and what a tag may contain. */
  #partial = '';

  /** Adds one UTF-16 unit. */
  add(unit: string): void {
    if (unit === '<') {
      this.#partial = unit;
      return;
    }
    if (this.#partial === '') return;
    this.#partial += unit;
    if (unit === '>') {
      const tag = tagAt(this.#partial, 0);
      if (tag?.name === 'spell' && !tag.empty)
        this.#depth = Math.max(0, this.#depth + (tag.closing ? -1 : 1));
      this.#partial = '';
      return;
    }
    const { length } = this.#partial;
    const isTag = length > DECIDING_UNITS ? length <= MAX_TAG_LENGTH : TAG_BEGINNING.test(this.#partial);
    if (!isTag) this.#partial = '';
  }

  /** Whether a cut here would tear markup apart. */
  get isOpen(): boolean {
    return this.#depth > 0 || this.#partial !== '';
  }
}

/** Added to the pause of the sentence end. */
const SHORT_PAUSE_MS = 250;
const LONG_PAUSE_MS = 700;
const BLANK = /\s/;
const BLANKS = /\s+/y;

/** Splits a text at newlines: one newline is a short pause, several are a long one. */
export function* parseNewlines(text: string): Generator<Segment> {
  const textSegment = (start: number, end: number): TextSegment[] =>
    end > start ? [{ kind: 'text', start, end, rate: undefined, spellGroup: undefined }] : [];
  let start = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', start)) {
    let end = at;
    while (end > start && BLANK.test(text.charAt(end - 1))) end -= 1;
    BLANKS.lastIndex = at;
    const [gap = ''] = BLANKS.exec(text) ?? [];
    yield* textSegment(start, end);
    yield { kind: 'break', durationMs: gap.lastIndexOf('\n') > 0 ? LONG_PAUSE_MS : SHORT_PAUSE_MS };
    start = at + gap.length;
  }
  yield* textSegment(start, text.length);
}
