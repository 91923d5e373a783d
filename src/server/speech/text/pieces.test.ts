import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Piece, PieceCutter, pieceLength } from './pieces.ts';
import { toSpokenText } from './spoken-text.test-helper.ts';

function cut(text: string, maxLength = 300): Piece[] {
  const { runs } = toSpokenText(text, {
    normalize: true,
    pronunciations: [],
    language: 'en',
    saysSounds: true,
  });
  const cutter = new PieceCutter();
  cutter.add(runs);
  const pieces: Piece[] = [];
  for (let piece = cutter.next(maxLength); piece !== undefined; piece = cutter.next(maxLength)) {
    pieces.push(piece);
  }
  return pieces;
}

const texts = (text: string, maxLength?: number) =>
  cut(text, maxLength).map((piece) =>
    piece.kind === 'silence' ? piece.durationMs : piece.mapped.text.trim(),
  );

describe('cutting into pieces', () => {
  it.each([
    ['One. Two! Three?', ['One.', 'Two!', 'Three?']],
    ['He said "Go!" Then left.', ['He said "Go!"', 'Then left.']],
    ['Dr. Smith met J. S. Bach. Yes.', ['Dr. Smith met J. S. Bach.', 'Yes.']],
    ['It is 3.14 or e.g. this', ['It is 3.14 or e.g. this']],
    ['Am 3. Mai um 14 Uhr.', ['Am 3. Mai um 14 Uhr.']],
    ['wait... what', ['wait... what']],
    ['你好。世界！', ['你好。', '世界！']],
    ['ខ្ញុំទៅ។អ្នកមក។', ['ខ្ញុំទៅ។', 'អ្នកមក។']],
    ['မင်္ဂလာပါ။နေကောင်းလား။', ['မင်္ဂလာပါ။', 'နေကောင်းလား။']],
    ['Title\n\nText', ['Title', 'Text']],
    ['a <break/> b', ['a', 200, 'b']],
    ['', []],
    ['... !? —', []],
    ['"..." Then.', ['Then.']],
  ])('%j', (text, expected) => {
    expect(texts(text)).toEqual(expected);
  });

  it.each([
    ['alpha beta gamma delta epsilon', 12, ['alpha beta', 'gamma delta', 'epsilon']],
    ['alpha, beta gamma delta epsilon', 14, ['alpha,', 'beta gamma', 'delta epsilon']],
    ['今日はいい天気ですね', 6, ['今日はいい', '天気ですね']],
    ['ba'.repeat(15), 10, ['ba'.repeat(5), 'ba'.repeat(5), 'ba'.repeat(5)]],
  ])('cuts %j at %i', (text, maxLength, expected) => {
    expect(texts(text, maxLength)).toEqual(expected);
  });

  it('pauses behind a sentence, a clause and a colon, and nowhere else', () => {
    const pauses = cut('alpha beta, gamma delta: epsilon zeta eta theta.', 14).map((piece) =>
      piece.kind === 'speech' ? [piece.mapped.text.trim(), piece.pauseMs, piece.continues] : [],
    );
    expect(pauses).toEqual([
      ['alpha beta,', 150, false],
      ['gamma delta:', 225, false],
      ['epsilon zeta', 0, true],
      ['eta theta.', 300, false],
    ]);
  });

  // Tried from each mark to the end of the run these took a minute and more, in which the server did nothing else.
  it.each(['.', '!', '\u2026', '\u3002', '"', '."', '-'])('is quick with a run of %s', (mark) => {
    const run = mark.repeat(9990 / mark.length);
    const pieces = cut(`so${run}x`, 24);
    expect(pieces.length).toBeGreaterThan(0);
    expect(cut(`${run}x`, 24)).toHaveLength(1);
  });

  it('loses nothing that can be said and keeps to the limit', () => {
    const unit = fc.constantFrom('word', ' ', '. ', ', ', '今日', '😀', '。', '\n\n', 'é', '"', '1');
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 60 }), fc.integer({ min: 4, max: 40 }), (units, maxLength) => {
        const text = units.join('');
        const pieces = cut(text, maxLength);
        const bare = (s: string) => s.replace(/[^\p{L}\p{N}\p{S}]/gu, '');
        const said = pieces.map((piece) => (piece.kind === 'speech' ? piece.mapped.text : '')).join('');
        expect(bare(said)).toBe(bare(text));
        let last = 0;
        for (const piece of pieces) {
          if (piece.kind === 'silence') continue;
          expect(piece.mapped.text.length).toBeLessThanOrEqual(maxLength * 1.3 + 1);
          expect(piece.sourceEnd).toBeGreaterThan(last);
          last = piece.sourceEnd;
        }
      }),
    );
  });
});

describe('pieceLength', () => {
  it('leaves sentences whole when nobody else waits', () => {
    expect(pieceLength(0.5, true)).toBe(300);
    expect(pieceLength(1, false)).toBe(300);
  });

  it('shrinks with the crowd, within bounds, and first pieces more than later ones', () => {
    for (let sharing = 1.5; sharing < 100; sharing += 0.5) {
      expect(pieceLength(sharing + 0.5, true)).toBeLessThanOrEqual(pieceLength(sharing, true));
      expect(pieceLength(sharing, true)).toBeLessThan(pieceLength(sharing, false));
      expect(pieceLength(sharing, true)).toBeGreaterThanOrEqual(12);
    }
  });
});
