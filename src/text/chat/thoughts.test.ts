import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ThoughtFilter } from './thoughts.ts';

const MARKED = { tag: '', isFirst: false };

function spoken(tokens: readonly string[], marks = MARKED): string {
  const answer = new ThoughtFilter(marks);
  return tokens.map((token) => answer.add(token)).join('') + answer.end();
}

const HARMONY =
  '<|channel|>analysis<|message|>Hm. 1 < 2.<|end|><|start|>assistant<|channel|>final<|message|>Yes.<|return|>';

describe('ThoughtFilter', () => {
  it.each([
    ['plain text', 'One two.', 'One two.'],
    ['a tag that is text', '<b> bold, 1 < 2 [a link]', '<b> bold, 1 < 2 [a link]'],
    ['thoughts', '<think>Hm.</think>\n\nTwo.', 'Two.'],
    ['thoughts without an end', '<think>Hm.', ''],
    ['capitals', '<THINK>Hm.</Think>Two.', 'Two.'],
    ['thinking', '<thinking>Hm.</thinking>Two.', 'Two.'],
    ['the name of a model', '<seed:think>Hm.</seed:think>Two.', 'Two.'],
    ['reasoning', '<reasoning>Hm.</reasoning>Two.', 'Two.'],
    ['Mistral', '[THINK]Hm.[/THINK]Two.', 'Two.'],
    ['a mark in small letters', '[think]Hm.[/think]Two.', 'Two.'],
    ['a stage direction', '[Thinking] about it. Yes.', '[Thinking] about it. Yes.'],
    ['a stage direction in a text', 'Well. [Thought] Yes.', 'Well. [Thought] Yes.'],
    ['Kimi', '◁think▷Hm.◁/think▷Two.', 'Two.'],
    ['Cohere', '<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>Two.<|END_RESPONSE|>', 'Two.'],
    ['OpenThinker', '<|begin_of_thought|>Hm.<|end_of_thought|>Two.', 'Two.'],
    ['Gemma', '<|channel>thought\nHm.<channel|>Two.', 'Two.'],
    ['harmony', HARMONY, 'Yes.'],
    [
      'harmony with a tool',
      `<|start|>assistant<|channel|>commentary to=f<|message|>{}<|call|>${HARMONY}`,
      'Yes.',
    ],
    ['harmony without a channel', '<|start|>assistant<|message|>Yes.<|end|>', 'Yes.'],
    ['a control token', 'Yes.<|im_end|>', 'Yes.'],
    ['a second block', '<think>Hm.</think>One. <think>And?</think>Two.', 'One. Two.'],
    ['a block in mid-sentence', 'It is <think>6 * 7</think>42.', 'It is 42.'],
    ['an empty block', '<think>\n\n</think>\n\nTwo.', 'Two.'],
    ['a mark that is spoken of', 'Write <think> before it.', 'Write <think> before it.'],
    ['a mark in quotes', 'See "<think>" and `</think>`.', 'See "<think>" and `</think>`.'],
    ['a beginning of a mark at the end', 'One <', 'One <'],
    ['a very long mark', `<${'think'.repeat(20)}> x`, `<${'think'.repeat(20)}> x`],
    ['an end without a beginning', 'Hm.</think>Two.', 'Two.'],
  ])('speaks of %s', (_, answer, expected) => {
    expect(spoken([answer])).toBe(expected);
  });

  it.each([
    ['<plan>Hm.</plan>Two.', 'plan'],
    ['[PLAN]Hm.[/PLAN]Two.', '<plan>'],
    ['<Überlegung>Hm.</Überlegung>Two.', 'Überlegung'],
  ])('removes thoughts in a tag of one’s own: %s', (answer, tag) => {
    expect(spoken([answer], { tag, isFirst: false })).toBe('Two.');
    expect(spoken([answer])).not.toBe('Two.');
  });

  it('removes what comes before the end mark where answers begin with thoughts', () => {
    expect(spoken(['Hm. ', 'Well.', '</think>', '\n', 'Two.'], { tag: '', isFirst: true })).toBe('Two.');
    expect(spoken(['<think>', 'Hm.</think>Two.'], { tag: '', isFirst: true })).toBe('Two.');
  });

  it('reports thoughts that were passed on before their end mark came', () => {
    const answer = new ThoughtFilter(MARKED);
    expect(answer.add('Hm.')).toBe('Hm.');
    expect(answer.isLeaking).toBe(false);
    expect(answer.add('</think>Two.')).toBe('Two.');
    expect(answer.isLeaking).toBe(true);
  });

  it.each([
    '<think>One < two?</think>Yes.',
    '[THINK]a[b]c[/THINK]Yes.',
    HARMONY,
    '<|channel>thought <b> hm<channel|>Yes.',
    '◁think▷Hm◁/think▷Yes.',
  ])('removes thoughts wherever the tokens are cut: %s', (answer) => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: answer.length })), (cuts) => {
        const ends = [...new Set([...cuts, answer.length])].sort((a, b) => a - b);
        const tokens = ends.map((end, at) => answer.slice(ends[at - 1] ?? 0, end));
        expect(spoken(tokens)).toBe('Yes.');
      }),
    );
  });

  it('loses nothing of a text without marks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('a', ' ', '<', '>', '[', ']', '/', 'é', '.') })),
        (tokens) => {
          expect(spoken(['x', ...tokens])).toBe(`x${tokens.join('')}`);
        },
      ),
    );
  });
});
