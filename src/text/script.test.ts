import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contextIdOf, formatScript, nameProblem, parseScript } from './script.ts';

/** `speaker|text|problem` of each line. */
const told = (text: string): string[] =>
  parseScript(text).lines.map((line) =>
    [line.speaker ?? '?', line.text, ...(line.problem ? [line.problem] : [])].join('|'),
  );

describe('lines of a script', () => {
  test.each([
    ['a line a speaker', 'Anna: Hello.\nBen: Hi.', ['Anna|Hello.', 'Ben|Hi.']],
    ['no blank behind the colon', 'Anna:Hello.', ['Anna|Hello.']],
    ['blanks around name and text', '  Anna  :  Hello.  ', ['Anna|Hello.']],
    ['a name of several words', 'Old man_2-b: Hm.', ['Old man_2-b|Hm.']],
    ['letters of any script', 'Äneas: Ja.\n花子: はい。', ['Äneas|Ja.', '花子|はい。']],
    ['a wide colon', '小明：你好。\n小红 ： 好。', ['小明|你好。', '小红|好。']],
    [
      'a name in bold type',
      '**Anna:** Hello.\n**Ben**: Hi.\n*Cy:* Oh.',
      ['Anna|Hello.', 'Ben|Hi.', 'Cy|Oh.'],
    ],
    ['bold type around an interruption', '**Anna (interrupts):** No.', ['Anna|No.']],
    ['bold type in the text', 'Anna: **Stop:** now', ['Anna|**Stop:** now']],
    ['a label in bold type', 'Anna: One\n**Important**: read', ['Anna|One **Important**: read']],
    ['a label above a name', '**Note:** loud\nAnna: One', ['?|**Note:** loud|noSpeaker', 'Anna|One']],
    ['a speaker in both types', '**Anna**: One\nAnna: Two\nBen: Hi', ['Anna|One', 'Anna|Two', 'Ben|Hi']],
    ['a speaker in bold type twice', 'Anna: One\n**Ben**: Hi\n**Ben**: Oh', ['Anna|One', 'Ben|Hi', 'Ben|Oh']],
    ['bold type without an end', '**Anna: Hello.', ['?|**Anna: Hello.|noSpeaker']],
    ['a title', 'Dr. Smith: Yes.\nMr. and Mrs. Lee: No.', ['Dr. Smith|Yes.', 'Mr. and Mrs. Lee|No.']],
    ['initials', 'J. R. R. Tolkien: Hm.\nSam Jr.: Ah.', ['J. R. R. Tolkien|Hm.', 'Sam Jr.|Ah.']],
    ['an apostrophe', "O'Brien: Yes.\nD’Arcy: No.", ["O'Brien|Yes.", 'D’Arcy|No.']],
    [
      'an apostrophe before a small letter',
      "D'angelo: Yes.\nTa’rhonda: No.",
      ["D'angelo|Yes.", 'Ta’rhonda|No.'],
    ],
    ...["It's late: go", "They're here: run", "Y'all: come", "At five o'clock: go", "Anna's note: red"].map(
      (text): [string, string, string[]] => [text, `Anna: One\n${text}`, [`Anna|One ${text}`]],
    ),
    [
      'titles of several parts',
      'Dipl.-Ing. Huber: Ja.\nPh.D. Bob: No.',
      ['Dipl.-Ing. Huber|Ja.', 'Ph.D. Bob|No.'],
    ],
    ['a list', '- Anna: Hello.\n* J. Lee: Hi.\n  •  Cy: Oh.', ['Anna|Hello.', 'J. Lee|Hi.', 'Cy|Oh.']],
    ['a sentence before a colon', 'Anna: One\nSo it is. Note: two', ['Anna|One So it is. Note: two']],
    ['a colon later in the text', 'Anna: One thing: go.', ['Anna|One thing: go.']],
    ['a line that carries on', 'Anna: One\ntwo\n three', ['Anna|One two three']],
    ['the same speaker behind a blank line', 'Anna: One\n\ntwo', ['Anna|One', 'Anna|two']],
    ['text below a name', 'Anna:\nHello.', ['Anna|Hello.']],
    ['a name and nothing', 'Anna:\n\nBen: Hi.', ['Anna||noText', 'Ben|Hi.']],
    ['no speaker at the top', 'Hello.\nAnna: Hi.', ['?|Hello.|noSpeaker', 'Anna|Hi.']],
    ['an address', 'Anna: See\nhttps://example.org/', ['Anna|See https://example.org/']],
    ['a time of day', 'Anna: It is\n12:30 now', ['Anna|It is 12:30 now']],
    ['a name that is a number', '12: Hi', ['12|Hi']],
    ['a mark in front', '> Anna: Hi', ['?|> Anna: Hi|noSpeaker']],
    ['a comment between', '# a scene\nAnna: One\n  # aside\ntwo', ['Anna|One two']],
    ['a number sign in the text', 'Anna: We are # 1', ['Anna|We are # 1']],
    ['other ends of lines', 'Anna: One\r\nBen: Two\rCy: Three', ['Anna|One', 'Ben|Two', 'Cy|Three']],
    ['nothing', '', []],
    ['blanks', ' \n\t\n', []],
  ])('%s', (_, text, lines) => {
    expect(told(text)).toEqual(lines);
  });

  test('a name is at most forty characters long', () => {
    const name = 'n'.repeat(40);
    expect(told(`${name}: Hi`)).toEqual([`${name}|Hi`]);
    expect(told(`${name}n: Hi`)).toEqual([`?|${name}n: Hi|noSpeaker`]);
  });

  test('offsets count UTF-16 units and leave out colon and blanks', () => {
    const text = '😀\n\n Anna : Hello 😀 \n there';
    const [, line] = parseScript(text).lines;
    expect(line?.name && text.slice(line.name.from, line.name.to)).toBe('Anna');
    expect(line?.parts.map(({ from, to }) => text.slice(from, to))).toEqual(['Hello 😀', 'there']);
    expect(line && text.slice(line.from, line.to)).toBe('Anna : Hello 😀 \n there');
  });
});

/** Text that is made of what matters to the parser. */
const scriptText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'Anna',
        ':',
        '：',
        '**',
        '- ',
        "'",
        'Dr.',
        ' ',
        '\n',
        '\r\n',
        '#',
        '12:30',
        'https://a',
        '\t',
        '😀',
        '\u2028',
        'é',
      ),
      fc.string({ unit: 'binary', maxLength: 6 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

describe('any text', () => {
  test('is a script whose ranges follow one another and leave out nothing but blanks', () => {
    fc.assert(
      fc.property(scriptText, (text) => {
        const { lines, comments } = parseScript(text);
        const covered = [
          ...comments,
          ...lines.flatMap(({ name, parts }) => [...(name ? [{ ...name, named: true }] : []), ...parts]),
        ].sort((a, b) => a.from - b.from);
        let at = 0;
        for (const range of covered) {
          expect(text.slice(at, range.from)).toMatch(/^[\s:：*•-]*$/u);
          expect(range.to).toBeGreaterThan(range.from);
          at = range.to;
        }
        expect(text.slice(at)).toMatch(/^[\s:：*•-]*$/u);
        let end = 0;
        for (const [index, line] of lines.entries()) {
          expect(line.index).toBe(index);
          expect(line.from).toBeGreaterThanOrEqual(end);
          expect(line.text).toBe(line.parts.map(({ from, to }) => text.slice(from, to)).join(' '));
          end = line.to;
        }
      }),
    );
  });

  test('loses a colon only behind a name', () => {
    fc.assert(
      fc.property(scriptText, (text) => {
        const { lines, comments } = parseScript(text);
        const kept = [...comments, ...lines.flatMap(({ parts }) => parts)]
          .map(({ from, to }) => text.slice(from, to))
          .join('');
        const colons = (of: string) => of.split(/[:：]/).length - 1;
        expect(colons(text)).toBe(colons(kept) + lines.filter(({ name }) => name).length);
      }),
    );
  });
});

const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9 _-]{0,39}$/).map((written) => written.trim());
const words = fc
  .string({ maxLength: 60 })
  .map((written) => written.replace(/\s+/gu, ' ').trim())
  // Right behind a colon these would make it no name, or the text a part of something else.
  .filter((written) => !/^\p{N}|^\/\//u.test(written));

test('a formatted script is read back as the same', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ speaker: name, text: words, interrupts: fc.boolean() })), (lines) => {
      const read = parseScript(formatScript(lines)).lines.map(({ speaker, text, interrupts }) => ({
        speaker,
        text,
        interrupts,
      }));
      expect(read).toEqual(lines);
      expect(lines.map(({ speaker }) => nameProblem(speaker)).filter(Boolean)).toEqual([]);
    }),
  );
});

describe('names', () => {
  test.each([
    ['Anna', 'anna'],
    [' The  Old Man ', 'the-old-man'],
    ['Jean-Luc', 'jean-luc'],
    ['jean luc', 'jean-luc'],
    ['a_b', 'a_b'],
    ['Zoe\u0308', 'zo\u00eb'],
  ])('%s is %s on the wire', (written, id) => {
    expect(contextIdOf(written)).toBe(id);
    expect(contextIdOf(id)).toBe(id);
  });

  test.each([
    ['', /needs a name/],
    ['n'.repeat(41), /at most 40/],
    ['a:b', /made of letters/],
    ['-a', /starts with/],
    ['#1', /starts with/],
  ])('%j is none', (written, problem) => {
    expect(nameProblem(written)).toMatch(problem);
  });
});

describe('a line that interrupts', () => {
  test.each([
    ['Ann (interrupts): Wait!', 'Ann', true, 'Wait!'],
    ['Ann(interrupts) : Wait!', 'Ann', true, 'Wait!'],
    ['Ann: (interrupts) Wait!', 'Ann', false, '(interrupts) Wait!'],
  ])('%s', (script, speaker, interrupts, text) => {
    const [entry] = parseScript(script).lines;
    expect(entry).toMatchObject({ speaker, interrupts, text });
    expect(entry?.name).toEqual({ from: 0, to: 3 });
  });
});

describe('a large script', () => {
  const MIB = 2 ** 20;
  test.each<[string, string, number]>([
    ['of 20,000 speakers', Array.from({ length: 20_000 }, (_, at) => `N${at}: Hi.`).join('\n'), 20_000],
    [
      'of 20,000 speakers in bold type',
      Array.from({ length: 20_000 }, (_, at) => `**N${at}**: Hi.`).join('\n'),
      20_000,
    ],
    ['of 100,000 lines', `Anna: ${'a\n'.repeat(100_000)}`, 1],
    ['of 50,000 turns', 'a\n\n'.repeat(50_000), 50_000],
    ['with a line of 1 MB', `Anna: One\n\nBen: ${'a: '.repeat(MIB / 3)}`, 2],
    ['with blanks of 1 MB before a name', `${' '.repeat(MIB)}A.B.C.D.E: Hi.`, 1],
    ['with blanks of 1 MB behind a name', `Anna: Hi${' '.repeat(MIB)}x`, 1],
    ['with marks of 1 MB', '*'.repeat(MIB), 1],
    ['with initials of 1 MB', 'J. '.repeat(MIB / 3), 1],
  ])('%s has all its lines', (_, text, lines) => {
    expect(parseScript(text).lines).toHaveLength(lines);
  });
});
