import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OpenMarkup, parseMarkup } from './markup.ts';

/** A short form: text as it is, `~rate`, `#group`, and pauses as numbers. */
function parsed(text: string): (string | number)[] {
  return [...parseMarkup(text)].flatMap((segment) => {
    if (segment.kind === 'silent') return [];
    if (segment.kind === 'break') return segment.durationMs;
    const rate = segment.rate === undefined ? '' : `~${segment.rate}`;
    const group = segment.spellGroup === undefined ? '' : `#${segment.spellGroup}`;
    return text.slice(segment.start, segment.end) + rate + group;
  });
}

describe('break', () => {
  it.each([
    ['<break/>', 200],
    ['<break time="0ms"/>', 0],
    ['<break time="299ms"/>', 200],
    ['<break time="300ms"/>', 400],
    ['<break time="449ms"/>', 400],
    ['<break time="450ms"/>', 500],
    ["<break time='3s' />", 500],
    ['<break time=400ms/>', 400],
    ['<BREAK TIME="500MS"/>', 500],
    ['<break time="soon"/>', 200],
    ['<break strength="none"/>', 0],
    ['<break strength="weak"/>', 200],
    ['<break strength="strong"/>', 500],
    ['<break strength="x-strong"/>', 500],
    ['<break strength="constructor"/>', 200],
  ])('%s pauses %i ms', (tag, durationMs) => {
    expect(parsed(`a${tag}b`)).toEqual(['a', durationMs, 'b']);
  });

  it('adds up when chained', () => {
    expect(parsed('<break time="500ms"/><break/>')).toEqual([500, 200]);
  });
});

describe('spell and prosody', () => {
  it.each([
    ['<spell>AB</spell> c', ['AB#4', ' c']],
    ['<spell group="2">AB</spell>', ['AB#2']],
    ['<spell group="no">AB</spell>', ['AB#4']],
    ['x <spell>never closed', ['x ', 'never closed#4']],
    ['<prosody rate="slow">a</prosody>b', ['a~0.8', 'b']],
    ['<prosody rate="fast">a<prosody rate="medium">b</prosody>c</prosody>', ['a~1.2', 'b~1', 'c~1.2']],
    ['<prosody rate="1.1">a', ['a~1.1']],
    ['<prosody rate="9">a', ['a~1.2']],
    ['<prosody pitch="high">a</prosody>', ['a']],
    ['<prosody rate="constructor">a</prosody>', ['a']],
    ['a</prosody></spell>b', ['a', 'b']],
  ])('%s', (text, expected) => {
    expect(parsed(text)).toEqual(expected);
  });
});

describe('other markup', () => {
  it.each([
    ['<b>bold</b>', ['bold']],
    ['<a href="x">l</a><img src=y/>', ['l']],
    ['a<!-- note < > -->b', ['a', 'b']],
    ['<?xml version="1.0"?>a', ['a']],
    ['a < b', ['a < b']],
    ['a <b and c> d', ['a <b and c> d']],
    ['I <3 you', ['I <3 you']],
    ['<<b>>', ['<', '>']],
  ])('%s', (text, expected) => {
    expect(parsed(text)).toEqual(expected);
  });

  it('returns segments of any text in order and within it', () => {
    const fragment = fc.constantFrom(...'< > / break spell prosody " x ='.split(' '), ' ', ' rate="slow"');
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 40 }), (fragments) => {
        const text = fragments.join('');
        let last = 0;
        for (const segment of parseMarkup(text)) {
          if (segment.kind !== 'text') continue;
          expect(segment.start).toBeGreaterThanOrEqual(last);
          expect(segment.end).toBeGreaterThan(segment.start);
          last = segment.end;
        }
        expect(last).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});

describe('OpenMarkup', () => {
  it.each([
    ['', false],
    ['a < b', false],
    ['<spell>AB</spell>', false],
    ['<prosody rate="slow">x', false],
    ['</spell>', false],
    ['<spell>AB', true],
    ['<spell>A</spell><spell>', true],
    ['wait <bre', true],
    ['wait <', true],
    ['<break time="2', true],
    [`<${'x'.repeat(300)}`, false],
  ])('%j: %s', (text, open) => {
    const markup = new OpenMarkup();
    for (const unit of text.split('')) markup.add(unit);
    expect(markup.isOpen).toBe(open);
  });
});
