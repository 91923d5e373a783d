import { describe, expect, it } from 'vitest';
import { chunkView } from '#session/testing/views.ts';
import { Highlighter } from './highlighter.ts';
import { partsOf, type WordState, wordsOf } from './words.ts';

const RATE = 1000;
const TEXT = 'one two three four';

const nodesOf = (count: number): HTMLElement[] =>
  Array.from({ length: count }, () => ({ dataset: {} }) as unknown as HTMLElement);

/** Lays out a turn. Each word takes `wordMs`; null means that their times are unknown. */
function layOut(
  highlighter: Highlighter,
  wordMs: number | null,
  kind = /\w+/g,
): () => (string | undefined)[] {
  const words = [...TEXT.matchAll(kind)].map((match, at) => ({
    word: match[0],
    startMs: at * (wordMs ?? 0),
    endMs: (at + 1) * (wordMs ?? 0),
    charStart: match.index,
    charEnd: match.index + match[0].length,
  }));
  const chunk = chunkView({ text: TEXT, words: wordMs === null ? null : words, samples: 4000 });
  const parts = partsOf({ text: TEXT, sampleRate: RATE, chunks: [chunk] });
  const wordNodes = nodesOf(words.length);
  highlighter.register({
    turn: 1,
    sampleRate: RATE,
    words: wordsOf(parts),
    wordNodes,
    firstWord: 0,
    onMoved: () => undefined,
  });
  return () => wordNodes.map(({ dataset }) => dataset.state);
}

const first = (sample: number) => ({ sample, repeat: null });
const states = (spoken: number, current: boolean): WordState[] =>
  [0, 1, 2, 3].map((at) => (at < spoken ? 'spoken' : at === spoken && current ? 'current' : 'pending'));

describe('the light on the words of a turn', () => {
  it('moves on with the playhead', () => {
    const highlighter = new Highlighter(() => undefined);
    const shown = layOut(highlighter, 100);
    highlighter.paint(1, first(-1), false);
    expect(shown()).toEqual(states(0, false));
    highlighter.paint(1, first(150), false);
    expect(shown()).toEqual(states(1, true));
    highlighter.paint(1, first(1000), false);
    expect(shown()).toEqual(states(4, false));
  });

  it('does not go back with the playhead', () => {
    const highlighter = new Highlighter(() => undefined);
    const shown = layOut(highlighter, 100);
    highlighter.paint(1, first(250), false);
    highlighter.paint(1, first(150), false);
    expect(shown()).toEqual(states(2, true));
    highlighter.paint(1, first(350), false);
    expect(shown()).toEqual(states(3, true));
  });

  it('does not go back when a new layout moves estimated words later', () => {
    const highlighter = new Highlighter(() => undefined);
    layOut(highlighter, 100);
    highlighter.paint(1, first(250), false);
    const shown = layOut(highlighter, 200);
    highlighter.paint(1, first(260), false);
    expect(shown()).toEqual(states(2, true));
    highlighter.paint(1, first(610), false);
    expect(shown()).toEqual(states(3, true));
  });

  it('does not make a spoken word current again after the turn seemed over', () => {
    const highlighter = new Highlighter(() => undefined);
    const shown = layOut(highlighter, 100);
    highlighter.paint(1, first(150), true);
    expect(shown()).toEqual(states(2, false));
    highlighter.paint(1, first(160), false);
    expect(shown()).toEqual(states(2, false));
    highlighter.paint(1, first(210), false);
    expect(shown()).toEqual(states(2, true));
  });

  it('leaves no word current when the turn is cut off behind the words of its last layout', () => {
    const highlighter = new Highlighter(() => undefined);
    layOut(highlighter, 100);
    highlighter.paint(1, first(250), false);
    const shown = layOut(highlighter, 200);
    highlighter.paint(1, first(260), true);
    expect(shown()).toEqual(states(3, false));
  });

  it('goes back for a repeat, for the next repeat, and to where the first hearing ended', () => {
    const highlighter = new Highlighter(() => undefined);
    const shown = layOut(highlighter, 100);
    highlighter.paint(1, first(350), false);
    highlighter.paint(1, { sample: 150, repeat: 2 }, false);
    expect(shown()).toEqual(states(1, true));
    highlighter.paint(1, { sample: 50, repeat: 2 }, false);
    expect(shown()).toEqual(states(1, true));
    highlighter.paint(1, { sample: 50, repeat: 3 }, false);
    expect(shown()).toEqual(states(0, true));
    highlighter.paint(1, first(350), true);
    expect(shown()).toEqual(states(4, false));
  });

  it('follows word times that arrive after their chunk began to be heard', () => {
    const highlighter = new Highlighter(() => undefined);
    const whole = layOut(highlighter, null);
    highlighter.paint(1, first(20), false);
    expect(whole()).toEqual(states(4, false));
    const shown = layOut(highlighter, 100);
    highlighter.paint(1, first(40), false);
    expect(shown()).toEqual(states(0, true));
  });

  it('stays in its place in the text when times arrive that divide it into other words', () => {
    const highlighter = new Highlighter(() => undefined);
    layOut(highlighter, 100);
    highlighter.paint(1, first(250), false);
    const shown = layOut(highlighter, 400, /\w+ \w+/g);
    highlighter.paint(1, first(260), false);
    expect(shown()).toEqual(['spoken', 'current']);
  });

  it('starts again when turns belong to another session', () => {
    const highlighter = new Highlighter(() => undefined);
    const shown = layOut(highlighter, 100);
    highlighter.paint(1, first(350), false);
    highlighter.forget();
    highlighter.paint(1, first(150), false);
    expect(shown()).toEqual(states(1, true));
  });
});
