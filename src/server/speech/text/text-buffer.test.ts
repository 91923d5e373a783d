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

const GOOD_MORNING = [
  'Good morning.',
  'Your train to Vienna leaves at nine. It is running a few minutes late, as it often is.',
  'Shall I call ahead?',
];
const LONG_WORD = 'x'.repeat(60);

describe('a text that comes at once', () => {
  it.each<[string, Partial<ChunkingRules>, string[]]>([
    ['the first chunk ends at the first boundary with 5 characters, the next with 80', {}, GOOD_MORNING],
    ['a boundary before the scheduled length is passed over', { schedule: [8] }, ['Yes. No, maybe.', 'Well']],
    ["the sentence of the vendor's example is one chunk", {}, ['Hello, this is streaming.']],
    [
      'the last entry of the schedule repeats',
      { schedule: [3, 12] },
      ['One, two.', 'One, two. One, two.', 'One, two. One, two.', 'One, two.'],
    ],
    [
      'the first clause ends a chunk where no sentence ends within 40 characters more',
      {},
      ['Well,', 'as far as I know, the train to Vienna will leave at nine. Shall I call?'],
    ],
    ['the next end is taken where even white space comes later', {}, [LONG_WORD, `${LONG_WORD}, and more`]],
    [
      'white space ends a chunk where no mark comes within 40 characters more',
      {},
      ['this goes on and on without any mark at all', 'for a very long while indeed'],
    ],
    [
      'auto_mode cuts at the first clean sentence end and ignores the schedule',
      { autoMode: true, schedule: [200] },
      ['Hi.', 'You, there!', 'And so on'],
    ],
    ['an unclosed tag is spoken at the end', {}, ['<spell>A, B. C']],
    ['max_buffer_length cuts at the last sentence end', { maxBufferLength: 16 }, ['One two.', 'Three four']],
    ['… at a clause end', { maxBufferLength: 16 }, ['One two,', 'three four']],
    ['… at white space', { maxBufferLength: 16 }, ['One two three', 'four five']],
  ])('%s', (_, change, expected) => {
    const schedule = change.maxBufferLength ? { schedule: [500] } : {};
    expect(trimmed(chunksOf(expected.join(' '), { ...schedule, ...change }))).toEqual(expected);
  });

  it.each<[string, string[]]>([
    ['right there', ['x'.repeat(16), 'x'.repeat(16), 'x'.repeat(8)]],
    ['not inside a pair', ['x'.repeat(15), '😀😀']],
  ])('max_buffer_length cuts %s', (_, expected) => {
    expect(chunksOf(expected.join(''), { schedule: [500], maxBufferLength: 16 })).toEqual(expected);
  });
});

describe('a finished sentence does not wait for more text', () => {
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
    'आप कैसे हैं।',
    'كيف حالك؟',
    'یہ اردو ہے۔',
    'Ինչպես եք։',
    'ሰላም ነው።',
    'សួស្តី។',
    'မင်္ဂလာပါ။',
    'བཀྲ་ཤིས་བདེ་ལེགས།',
    '𑄌𑄋𑄴𑄟𑄳𑄦𑄎𑅁',
    'こんにちは｡',
    'これは本です．',
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

describe('other marks are confirmed by what follows', () => {
  it.each<[string, string[], string[]]>([
    ['a number', ['It costs 3.', '50 today.', ' Yes'], ['It costs 3.50 today.']],
    ['a time', ['Come at 9:', '42 sharp.', ' Yes'], ['Come at 9:42 sharp.']],
    ['an abbreviation', ['Ask Dr.', ' Smith first.', ' Yes'], ['Ask Dr. Smith first.']],
    ['closing quotes', ['He said “Go 500.', '”', ' Then'], ['He said “Go 500.”']],
    ['dots in a row', ['Well...', ' so it is.'], ['Well...']],
    ['wide marks', ['你好世界。', '再见'], ['你好世界。']],
    ['wide full stops in numbers', ['円周率は3．', '14です．', '次に'], ['円周率は3．14です．']],
    ['marks that white space follows', ['आप कैसे हैं।', ' मैं ठीक हूँ।', ' हाँ'], ['आप कैसे हैं।']],
  ])('%s', (_, fragments, expected) => {
    const buffer = new TextBuffer(rules());
    expect(trimmed(fragments.flatMap((fragment) => buffer.add(fragment)))).toEqual(expected);
  });
});

it('flush_timeout_ms speaks what waits, and nothing of blank text', () => {
  const buffer = new TextBuffer(rules());
  buffer.add('Hel');
  expect(buffer.stale()).toBe('Hel');
  buffer.add('  ');
  expect(buffer.stale()).toBeNull();
  expect(buffer.length).toBe(2);
});

it('a tag is not cut through: the end of spell is awaited, also when the text goes stale', () => {
  const buffer = new TextBuffer(rules());
  expect(buffer.add('Code! <spell>A, B, C. D')).toEqual(['Code!']);
  expect(buffer.stale()).toBeNull();
  expect(buffer.add('</spell> is it. Yes')).toEqual([]);
  expect(buffer.rest()?.trim()).toBe('<spell>A, B, C. D</spell> is it. Yes');
});

const FINISHED = /[.!?…。！？]["'”’»)\]」』）]*$/;

const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...['. ', ', ', '! ', '? ', '。', ' ', '  ', '3.5', '“Oh.” ', '😀', '<spell>', '</spell>', '<br'],
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
  it('loses and changes nothing, and holds no more than max_buffer_length', () => {
    fc.assert(
      fc.property(anyText, anyRules, (text, chunking) => {
        const buffer = new TextBuffer(chunking);
        const chunks: string[] = [];
        for (const unit of text) {
          chunks.push(...buffer.add(unit));
          expect(buffer.length).toBeLessThan(chunking.maxBufferLength + 2);
        }
        const joined = chunks.join('') + (buffer.rest() ?? '');
        expect(text.startsWith(joined)).toBe(true);
        expect(text.slice(joined.length).trim()).toBe('');
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

it('removes chunks one at a time, and reads no further than it must', () => {
  const buffer = new TextBuffer(rules({ autoMode: true }));
  const chunks = buffer.cut('One. Two. Three. Fo');
  expect(chunks.next().value).toBe('One.');
  expect([...chunks]).toEqual([' Two.', ' Three.']);
  expect(buffer.rest()).toBe(' Fo');
});

it('with waitsForSpace, a finished sentence waits for white space', () => {
  const buffer = new TextBuffer(rules({ autoMode: true, waitsForSpace: true }));
  expect(buffer.add('Good morning.')).toEqual([]);
  expect(buffer.add('5 or so.')).toEqual([]);
  expect(buffer.add(' And')).toEqual(['Good morning.5 or so.']);
  expect(buffer.rest()).toBe(' And');
});
