import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pronunciation } from '../engine.ts';
import { toEspeakInput } from '../espeak/espeak-input.ts';
import { PieceCutter } from './pieces.ts';
import { toSpokenText } from './spoken-text.test-helper.ts';
import { spokenParts } from './spoken-text.ts';

const plain = { normalize: true, pronunciations: [], language: 'en' as const, saysSounds: true };

function spoken(
  text: string,
  options: Partial<Parameters<typeof toSpokenText>[1]> = {},
): (string | number)[] {
  return toSpokenText(text, { ...plain, ...options }).runs.map((run) =>
    run.kind === 'silence' ? run.durationMs : run.mapped.text,
  );
}

function ssml(text: string, options: Partial<Parameters<typeof toSpokenText>[1]> = {}): string[] {
  return toSpokenText(text, { ...plain, ...options }).runs.flatMap((run) =>
    run.kind === 'speech' ? [toEspeakInput(run.mapped, { spelled: run.spelled, continues: false }).ssml] : [],
  );
}

describe('spoken text', () => {
  it.each([
    ['“Hi,” she said: ‘it’s’', ["\"Hi,\" she said: 'it's'"]],
    ['« bonjour »', ['" bonjour "']],
    ['yes—no', ['yes — no']],
    ['yes – no', ['yes — no']],
    ['10–20', ['10–20']],
    ['a\u0000b\u200b\u00adc\u202ed', ['abcd']],
    ['a \t\r\n b', ['a b']],
    ['one\n\n two', ['one\ntwo']],
    ['lone \ud800 half', ['lone half']],
    ['Hel<b>lo</b>', ['Hello']],
    ['a<break/>b', ['a', 200, 'b']],
    ['<spell>ABCDE F</spell>', ['ABCD', 500, 'EF']],
    ['<spell group="2">12-3</spell>', ['12', 500, '-3']],
  ])('%j', (text, expected) => {
    expect(spoken(text)).toEqual(expected);
  });

  it('reads numerals digit by digit without normalisation', () => {
    expect(spoken('In 1995, 12.50', { normalize: false })).toEqual(['In 1 9 9 5, 1 2.5 0']);
  });
});

describe('newlines as the only markup: one is a short pause, more are a long one', () => {
  it.each([
    ['a<break time="3s"/>b', ['a<break time="3s"/>b']],
    ['<spell>AB</spell>', ['<spell>AB</spell>']],
    ['<prosody rate="slow">a</prosody><!-- b -->', ['<prosody rate="slow">a</prosody><!-- b -->']],
    ['the /təˈmeɪtoʊ/ way', ['the /təˈmeɪtoʊ/ way']],
    ['One.  Two.', ['One. Two.']],
    ['A\nB\n\nC', ['A', 250, 'B', 700, 'C']],
    ['One. \r\n Two.', ['One.', 250, 'Two.']],
    ['One.\n \n\n Two.', ['One.', 700, 'Two.']],
    ['A\n', ['A', 250]],
    ['', []],
  ])('%j', (text, expected) => {
    expect(spoken(text, { markup: 'newlines' })).toEqual(expected);
  });

  it('a tag reaches espeak as text that is read out', () => {
    expect(ssml('<b>', { markup: 'newlines' }).join('')).toContain('&lt;');
  });
});

describe('what espeak gets', () => {
  it.each([
    ['AT&T &lt;', ['AT&amp;T &amp;lt;']],
    ['a < b', ['a <say-as interpret-as="characters">&lt;</say-as> b']],
    ['<spell>a<b</spell>', ['<say-as interpret-as="characters">a&lt;b</say-as>']],
    ['<script>x</script>', ['x']],
    ['<voice name="x">[[h@loU]]</voice>', ['[ [h@loU]]']],
    ['[[[x', ['[ [ [x']],
    ['<spell>[[</spell>', ['<say-as interpret-as="characters">[ [</say-as>']],
  ])('%j holds no markup but ours', (text, expected) => {
    expect(ssml(text)).toEqual(expected);
  });

  it('names the language of foreign stretches, and that of the text behind them', () => {
    const mapped = { text: 'a бв c', sourceAt: [0, 1, 2, 3, 4, 5] };
    const foreign = [{ start: 2, end: 4, language: 'ru' }];
    const manner = { spelled: false, continues: false, language: 'en-us', foreign };
    const { ssml: input, sourceAt } = toEspeakInput(mapped, manner);
    expect(input).toBe('a <voice xml:lang="ru">бв</voice><voice xml:lang="en-us"> c</voice>');
    expect(sourceAt.length).toBe(input.length);
    expect(sourceAt[input.indexOf('б')]).toBe(2);
  });

  it('stays up at a cut', () => {
    const mapped = { text: 'a b', sourceAt: [0, 1, 2] };
    expect(toEspeakInput(mapped, { spelled: false, continues: true }).ssml).toBe('a b,');
  });
});

describe('the way back', () => {
  it('has a place of the written text for every unit, never running backwards', () => {
    const fragment = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 8 }),
      fc.constantFrom(...'<b> <spell> </spell> <break/> [[ — “ < 12'.split(' '), ' & ', '\n\n', 'SQL '),
    );
    const pronunciations = [{ word: 'sql', replacement: 'sequel & <co>', caseSensitive: false }];
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 15 }), fc.boolean(), (fragments, normalize) => {
        const text = fragments.join('');
        let last = 0;
        for (const run of toSpokenText(text, { ...plain, normalize, pronunciations }).runs) {
          if (run.kind === 'silence') continue;
          expect(run.mapped.sourceAt.length).toBe(run.mapped.text.length);
          const input = toEspeakInput(run.mapped, { spelled: run.spelled, continues: true });
          expect(input.sourceAt.length).toBe([...input.ssml].length);
          expect(input.ssml).not.toContain('[[');
          for (const source of input.sourceAt) {
            expect(source).toBeGreaterThanOrEqual(last);
            expect(source).toBeLessThan(text.length);
            last = source;
          }
        }
      }),
    );
  });

  it('finds the letter behind an escaped character, an emoji and a dropped tag', () => {
    const text = '& 😀<b>x</b>';
    const [run] = toSpokenText(text, plain).runs;
    if (run?.kind !== 'speech') throw new Error('speech expected');
    const { ssml: input, sourceAt } = toEspeakInput(run.mapped, { spelled: false, continues: false });
    expect(input).toBe('&amp; 😀x');
    expect(sourceAt).toEqual([0, 0, 0, 0, 0, 1, 2, 7]);
  });
});

describe('pronunciations', () => {
  const entry = (word: string, replacement: string, caseSensitive = false): Pronunciation => ({
    word,
    replacement,
    caseSensitive,
  });
  it.each([
    ['SQL, MySQL, sql.', [entry('sql', 'sequel')], 'sequel, MySQL, sequel.'],
    ['US us', [entry('US', 'United States', true)], 'United States us'],
    ['US us', [entry('US', 'A', true), entry('us', 'b')], 'A b'],
    ['New York, new', [entry('new', 'n'), entry('new york', 'NY')], 'NY, n'],
    ['a b', [entry('a', 'b'), entry('b', 'c')], 'b c'],
    ['C++ (x.y)', [entry('C++', 'see plus plus'), entry('x.y', 'dot')], 'see plus plus (dot)'],
    ['don’t', [entry("don't", 'do not')], 'do not'],
    ['„Bo“', [entry('"Bo"', 'bow')], 'bow'],
    ['naïve über-uns', [entry('uns', 'x'), entry('na', 'y')], 'naïve über-x'],
    ['我在北京工作', [entry('北京', '京')], '我在京工作'],
    ['x', [entry(' ', 'never'), entry('', 'never')], 'x'],
    ['x', [entry('x', '<b>[[y]]')], '<b>[[y]]'],
    ['New \t York', [entry('new  york', 'NY')], 'NY'],
    ['𝒳y 𝒳', [entry('𝒳', 'x')], 'Xy x'],
    ['İzmir izmir', [entry('izmir', 'x'), entry('İzmir', 'y')], 'y x'],
  ])('%s', (text, pronunciations, expected) => {
    expect(spoken(text, { pronunciations })).toEqual([expected]);
  });

  it('speaks the IPA of an entry, in the sounds of the language', () => {
    const kugel = (ipa: string | null) => [{ ...entry('Kugel', 'Koogel'), ipa }];
    const said = (ipa: string | null) => ssml('Bei Kugel!', { language: 'de', pronunciations: kugel(ipa) });
    expect(said('ˈkuːɡl̩')).toEqual(["Bei [['k|u:|g|l]]!"]);
    expect(said('/ˈkuːɡl̩/')).toEqual(said('ˈkuːɡl̩'));
    expect(said('[ˈkuːɡl̩]')).toEqual(said('ˈkuːɡl̩'));
    expect(said('nɔɪ ˈkuːɡl̩')).toEqual(["Bei [[n|OI]] [['k|u:|g|l]]!"]);
    for (const unspeakable of [null, '', 'k★l', 'ˈ']) expect(said(unspeakable)).toEqual(['Bei Koogel!']);
  });

  it('finds words in a dictionary of thousands', () => {
    const pronunciations = Array.from({ length: 20_000 }, (_, i) => entry(`word${i}`, `w${i}`));
    expect(spoken('word7 and WORD19999, word20000', { pronunciations })).toEqual([
      'w7 and w19999, word20000',
    ]);
  });

  it('leaves the words and their places as written', () => {
    const { words } = toSpokenText('Say SQL now', {
      ...plain,
      pronunciations: [entry('SQL', 'structured query language')],
    });
    expect(words).toEqual([
      { start: 0, end: 3 },
      { start: 4, end: 7 },
      { start: 8, end: 11 },
    ]);
  });
});

describe('for an engine that takes plain text alone', () => {
  const plainly = { saysSounds: false };

  it('IPA stays as written, and a dictionary gives its replacement', () => {
    const entry = { word: 'Kugel', replacement: 'KOO-gull', ipa: 'kuːɡəl', caseSensitive: false };
    expect(spoken('The Kugel /təˈmeɪtoʊ/.', { ...plainly, pronunciations: [entry] })).toEqual([
      'The KOO-gull /təˈmeɪtoʊ/.',
    ]);
  });

  it('long words have no blanks', () => {
    expect(spoken('x'.repeat(300), plainly)).toEqual(['x'.repeat(300)]);
  });
});

describe('a long text', () => {
  const repeated = (pattern: string) => pattern.repeat(10_000 / pattern.length);
  const SHAPES = [
    ' ',
    '\n',
    '<!--',
    '<',
    '<a x=1 ',
    '<b></b>',
    '<b>x</b>',
    '<break time="0"/>',
    '&',
    '[',
    '3',
    '\u0301',
  ];
  it.each([
    ...[...SHAPES, 'ab', '. ', '."', '/ˈbɛd/ ', '/', '\ud800', '😀', '今天', 'สวัสดี', 'ﷺ'].map(repeated),
    `<spell>${repeated('a1 ')}`,
    `<spell group="99999">${repeated('ab')}`,
  ])('of %.12s is read in small parts', (text) => {
    for (const markup of ['tags', 'newlines'] as const) {
      const parts = [...spokenParts(text, { ...plain, markup })];
      expect(parts.length).toBeLessThan(500);
      for (const { runs, words } of parts) {
        const units = runs.reduce(
          (sum, run) => sum + (run.kind === 'speech' ? run.mapped.text.length : 1),
          0,
        );
        expect(units).toBeLessThan(4500);
        expect(words.length).toBeLessThan(2500);
      }
    }
  });

  it('with a long replacement for each word is read in small parts', () => {
    const pronunciations = [{ word: 'a', replacement: 'x y '.repeat(250), caseSensitive: false }];
    for (const { runs } of spokenParts('a '.repeat(500), { ...plain, pronunciations })) {
      expect(runs.length).toBe(1);
      for (const run of runs) expect(run.kind === 'speech' && run.mapped.text.length).toBeLessThan(2500);
    }
  });

  it('has the pieces of its paragraphs, wherever its parts end', () => {
    const unit = fc.constantFrom('word', ' ', '. ', ', ', '今日', '😀', '<b>', ' “q” ', 'é', '1', '—');
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 30 }), (units) => {
        const paragraph = `A ${units.join('')}.\n\n`;
        const count = Math.ceil(6000 / paragraph.length);
        const one = piecesOf(paragraph);
        const all = piecesOf(paragraph.repeat(count));
        expect(all).toEqual(Array.from({ length: count }, () => one).flat());
      }),
      { numRuns: 20 },
    );
  });
});

describe('words of a dictionary and IPA in a long text', () => {
  const entry = (word: string, replacement: string, ipa: string | null = null): Pronunciation => ({
    word,
    replacement,
    ipa,
    caseSensitive: false,
  });
  const pronunciations = [
    entry('New York', 'NY'),
    entry('York', 'Y'),
    entry('x - y', 'minus'),
    entry('café', 'coffee', 'ˈkɒfi'),
    entry('北京', '京'),
    entry('a b c d e f', 'letters'),
  ];

  it.each(['New York', 'New \t\n York', 'x - y', '/təˈmɑːtoʊ/', 'cafe\u0301', '北京'])(
    '%j is spoken alike at every place',
    (word) => {
      const [spokenWord] = piecesOf(word, { pronunciations });
      expect(spokenWord).not.toBe(word);
      for (let at = 950; at < 1050; at += 1) {
        const said = piecesOf(`${'ab '.repeat(400).slice(0, at)} ${word} .`, { pronunciations });
        expect(said.join(' ')).toContain(` ${spokenWord} .`);
      }
    },
  );

  it('have the same pieces, however much is searched at once', () => {
    const words = [
      'New',
      'York',
      'café',
      'cafe\u0301',
      'x',
      '-',
      'y',
      '北京',
      'a b c d',
      'e f',
      '/ˈbɛd/',
      '/',
    ];
    const others = [
      ' ',
      '  ',
      '\n\n',
      '. ',
      ', ',
      "/'bɛd/",
      '-/',
      '<b>',
      '<spell>',
      '</spell>',
      '😀',
      '\u0301',
    ];
    const unit = fc.constantFrom(...words, ...others, ' ', ' ', ' '.repeat(600));
    fc.assert(
      fc.property(
        fc.array(unit, { maxLength: 200 }),
        fc.integer({ min: 1, max: 60 }),
        (units, searchedUnits) => {
          const text = units.join('');
          const whole = piecesOf(text, { pronunciations, searchedUnits: Number.POSITIVE_INFINITY });
          expect(piecesOf(text, { pronunciations, searchedUnits })).toEqual(whole);
          expect(piecesOf(text, { pronunciations })).toEqual(whole);
        },
      ),
      { numRuns: 200 },
    );
  });
});

/** The texts of a text's pieces, which are cut as its parts are read. */
function piecesOf(text: string, options: Partial<Parameters<typeof spokenParts>[1]> = {}): string[] {
  const cutter = new PieceCutter();
  const pieces: string[] = [];
  for (const { runs } of spokenParts(text, { ...plain, ...options })) {
    cutter.add(runs);
    for (let piece = cutter.next(60); piece !== undefined; piece = cutter.next(60)) {
      if (piece.kind === 'speech') pieces.push(piece.mapped.text.trim());
    }
  }
  return pieces;
}

describe('other forms of letters', () => {
  it.each([
    ['tiếng Việt'.normalize('NFD'), 'tiếng Việt'],
    ['안녕하세요'.normalize('NFD'), '안녕하세요'],
    ['ｶﾞﾝﾊﾞﾚ', 'ガンバレ'],
    ['oﬃce ﬁre', 'office fire'],
    ['Ｈｅｌｌｏ １２３', 'Hello 123'],
    ['𝐇𝐞𝐥𝐥𝐨 𝟙𝟚', 'Hello 12'],
    ['Ⓗⓘ Ⅳ ㎏ ①', 'Hi IV kg 1'],
    ['4ᵗʰ H₂O', '4th H2O'],
    ['ﻣﺮﺣﺒﺎ', 'مرحبا'],
    ['ſtone', 'stone'],
  ])('%j is spoken as %j', (text, expected) => {
    expect(spoken(text)).toEqual([expected]);
  });

  it.each(['x² 10⁶', '½', '1º 2ª', '№ 5™', '！？，', '💡️'.slice(0, 2), 'क़लम'])('%j keeps its own', (text) => {
    expect(spoken(text)).toEqual([text]);
  });

  it('keep their places in the text as written', () => {
    const text = `oﬃce ${'é'.normalize('NFD')}t`;
    const { runs, words } = toSpokenText(text, plain);
    expect(runs[0]?.kind === 'speech' && runs[0].mapped).toEqual({
      text: 'office ét',
      sourceAt: [0, 1, 1, 1, 2, 3, 4, 5, 7],
    });
    expect(words.map(({ start, end }) => text.slice(start, end))).toEqual(text.split(' '));
  });

  it('count as one in a dictionary', () => {
    const pronunciations = [{ word: 'Café', replacement: 'coffee house', caseSensitive: false }];
    expect(spoken(`The ${'café'.normalize('NFD')}, ｃａｆé`, { pronunciations })).toEqual([
      'The coffee house, coffee house',
    ]);
  });

  it('are spelled as plain ones', () => {
    expect(spoken(`<spell>${'é'.normalize('NFD')}ﬁ</spell>`)).toEqual(['éfi']);
  });
});
