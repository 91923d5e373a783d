import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChunkingRules, TextBuffer } from './text-buffer.ts';

const rules = (change: Partial<ChunkingRules> = {}): ChunkingRules => ({
  schedule: [5, 80, 150, 250],
  autoMode: false,
  maxBufferLength: 1000,
  ...change,
});

/** All chunks of a text that comes at once, the rest at the end. */
function chunksOf(text: string, change: Partial<ChunkingRules> = {}): string[] {
  const buffer = new TextBuffer(rules(change));
  const chunks = buffer.add(text);
  const rest = buffer.rest();
  return rest === null ? chunks : [...chunks, rest];
}

const trimmed = (chunks: readonly string[]) => chunks.map((chunk) => chunk.trim());

describe('seed: chunk_length_schedule', () => {
  it('cuts the first chunk at the first boundary with 5 characters, the next with 80', () => {
    const text =
      'Good morning. Your train to Vienna leaves at nine. It is running a few minutes late, as it often is. Shall I call ahead?';
    expect(trimmed(chunksOf(text))).toEqual([
      'Good morning.',
      'Your train to Vienna leaves at nine. It is running a few minutes late, as it often is.',
      'Shall I call ahead?',
    ]);
  });

  it('passes over a boundary that comes before the scheduled length', () => {
    expect(trimmed(chunksOf('Yes. No, maybe. Well', { schedule: [8] }))).toEqual(['Yes. No, maybe.', 'Well']);
  });

  it('speaks the sentence of the seed as one chunk', () => {
    expect(chunksOf('Hello, this is streaming.')).toEqual(['Hello, this is streaming.']);
  });

  it('repeats the last entry', () => {
    const text = 'One, two. '.repeat(6);
    expect(trimmed(chunksOf(text, { schedule: [3, 12] }))).toEqual([
      'One, two.',
      'One, two. One, two.',
      'One, two. One, two.',
      'One, two.',
    ]);
  });

  it('takes the first clause end where no sentence ends within 40 characters more', () => {
    const text = 'Well, as far as I know, the train to Vienna will leave at nine. Shall I call?';
    expect(trimmed(chunksOf(text))).toEqual([
      'Well,',
      'as far as I know, the train to Vienna will leave at nine. Shall I call?',
    ]);
  });

  it('takes the next end where even white space comes later', () => {
    const word = 'x'.repeat(60);
    expect(trimmed(chunksOf(`${word} ${word}, and more`))).toEqual([word, `${word}, and more`]);
  });

  it('takes white space where no mark comes within 40 characters more', () => {
    const text = 'this goes on and on without any mark at all for a very long while indeed';
    expect(trimmed(chunksOf(text))).toEqual([
      'this goes on and on without any mark at all',
      'for a very long while indeed',
    ]);
  });

  it('holds text below the scheduled length', () => {
    const buffer = new TextBuffer(rules());
    expect(buffer.add('Hi. ')).toEqual([]);
    expect(buffer.length).toBe(4);
  });
});

describe('2.3.6 a finished sentence does not wait for more text', () => {
  const added = (text: string, change: Partial<ChunkingRules> = {}) =>
    new TextBuffer(rules(change)).add(text);

  it.each([
    'This is it.',
    'This is it!',
    'Is this it?',
    'He said “Go.”',
    'So it is…',
    '你好世界。',
    'Is it 5?',
  ])('%s', (text) => {
    expect(added(text)).toEqual([text]);
    expect(added(text, { autoMode: true, schedule: [200] })).toEqual([text]);
  });

  it.each([
    ['a digit', 'It costs 3.'],
    ['an ordinal', 'We meet on the 3.'],
    ['an abbreviation', 'Please ask Dr.'],
    ['an open tag', 'It is <spell>AB.'],
    ['an open quotation', 'He said “Go on.'],
    ['an open straight quotation', 'He said "Go on.'],
    ['an open bracket', 'It is late (very late.'],
    ['a dotted abbreviation', 'He lives in the U.S.'],
    ['a clause', 'It is late,'],
    ['less than the scheduled length', 'Hi.'],
  ])('waits after %s', (_, text) => expect(added(text)).toEqual([]));
});

describe('2.3.6 other marks are confirmed by what follows', () => {
  const cases: [string, string[], string[]][] = [
    ['a number', ['It costs 3.', '50 today.', ' Yes'], ['It costs 3.50 today.']],
    ['a time', ['Come at 9:', '42 sharp.', ' Yes'], ['Come at 9:42 sharp.']],
    ['an abbreviation', ['Ask Dr.', ' Smith first.', ' Yes'], ['Ask Dr. Smith first.']],
    ['closing quotes', ['He said “Go 500.', '”', ' Then'], ['He said “Go 500.”']],
    ['dots in a row', ['Well...', ' so it is.'], ['Well...']],
    ['wide marks', ['你好世界。', '再见'], ['你好世界。']],
  ];
  it.each(cases)('%s', (_, fragments, expected) => {
    const buffer = new TextBuffer(rules());
    expect(trimmed(fragments.flatMap((fragment) => buffer.add(fragment)))).toEqual(expected);
  });
});

describe('seed: auto_mode', () => {
  it('cuts at the first clean sentence end and ignores the schedule', () => {
    expect(trimmed(chunksOf('Hi. You, there! And so on', { autoMode: true, schedule: [200] }))).toEqual([
      'Hi.',
      'You, there!',
      'And so on',
    ]);
  });
});

describe('seed: max_buffer_length', () => {
  const cases: [string, string, string[]][] = [
    ['at the last sentence end', 'One two. Three four', ['One two.', 'Three four']],
    ['at a clause end', 'One two, three four', ['One two,', 'three four']],
    ['at white space', 'One two three four five', ['One two three', 'four five']],
    ['right there', 'x'.repeat(40), ['x'.repeat(16), 'x'.repeat(16), 'x'.repeat(8)]],
    ['not inside a pair', `${'x'.repeat(15)}😀😀`, ['x'.repeat(15), '😀😀']],
  ];
  it.each(cases)('cuts %s', (_, text, expected) => {
    expect(trimmed(chunksOf(text, { schedule: [500], maxBufferLength: 16 }))).toEqual(expected);
  });
});

describe('seed: flush_timeout_ms', () => {
  it('speaks what waits, and nothing of blank text', () => {
    const buffer = new TextBuffer(rules());
    buffer.add('Hel');
    expect(buffer.stale()).toBe('Hel');
    buffer.add('  ');
    expect(buffer.stale()).toBeNull();
    expect(buffer.length).toBe(2);
  });
});

describe('1.7 a tag is not cut through', () => {
  it('waits for the end of spell, also when the text goes stale', () => {
    const buffer = new TextBuffer(rules());
    expect(buffer.add('Code! <spell>A, B, C. D')).toEqual(['Code!']);
    expect(buffer.stale()).toBeNull();
    expect(trimmed([...buffer.add('</spell> is it. Yes'), buffer.rest() ?? ''])).toEqual([
      '<spell>A, B, C. D</spell> is it. Yes',
    ]);
  });

  it('speaks an unclosed one at the end', () => {
    expect(trimmed(chunksOf('<spell>A, B. C'))).toEqual(['<spell>A, B. C']);
  });
});

const FINISHED = /[.!?…。！？]["'”’»)\]」』）]*$/;

const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '. ',
        ', ',
        '! ',
        '? ',
        '。',
        ' ',
        '  ',
        '3.5',
        '“Oh.” ',
        '😀',
        '<spell>',
        '</spell>',
        '<br',
      ),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.stringMatching(/^[a-z]{1,9} $/),
    ),
    { maxLength: 80 },
  )
  .map((parts) => parts.join(''));

const anyRules = fc.record({
  schedule: fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 4 }),
  autoMode: fc.boolean(),
  maxBufferLength: fc.integer({ min: 1, max: 300 }),
});

describe('any text, under any rules', () => {
  it('loses and changes nothing', () => {
    fc.assert(
      fc.property(anyText, anyRules, (text, chunking) => {
        const buffer = new TextBuffer(chunking);
        const chunks = buffer.add(text);
        const rest = buffer.rest();
        const joined = chunks.join('') + (rest ?? '');
        expect(text.startsWith(joined)).toBe(true);
        expect(text.slice(joined.length).trim()).toBe('');
      }),
    );
  });

  it('never holds more than max_buffer_length', () => {
    fc.assert(
      fc.property(anyText, anyRules, (text, chunking) => {
        const buffer = new TextBuffer(chunking);
        for (const unit of text) {
          buffer.add(unit);
          expect(buffer.length).toBeLessThan(chunking.maxBufferLength + 2);
        }
      }),
    );
  });

  // When each cut looked for the tags before each boundary, one such frame kept the server busy for an hour.
  it('is quick with many tags and boundaries in a short buffer', () => {
    const text = '<spell>. '.repeat(1100);
    expect(chunksOf(text, { autoMode: true, maxBufferLength: 1 }).join('')).toBe(text);
  });

  // Where a sentence ends with a frame, the buffer is cut at once.
  it('cuts alike however the text is split into frames within sentences', () => {
    fc.assert(
      fc.property(anyText, anyRules, fc.array(fc.integer({ min: 1, max: 30 })), (text, chunking, sizes) => {
        // A forced cut takes the best place it can see, so it may depend on what has come.
        const roomy = { ...chunking, maxBufferLength: 1_000_000 };
        const whole = new TextBuffer(roomy);
        const inParts = new TextBuffer(roomy);
        const expected = whole.add(text);
        const chunks: string[] = [];
        let at = 0;
        for (let part = 0; at < text.length; part += 1) {
          let size = sizes[part] ?? 7;
          while (at + size < text.length && FINISHED.test(text.slice(0, at + size))) size += 1;
          chunks.push(...inParts.add(text.slice(at, at + size)));
          at += size;
        }
        expect(chunks).toEqual(expected);
      }),
    );
  });
});
