import { describe, expect, it } from 'vitest';
import { type ControlState, controlReasons } from './control-reasons.ts';

const ready: ControlState = {
  empty: false,
  emptyWords: 'There is no text to speak.',
  textProblem: null,
  obstacle: null,
  writing: null,
  openTurn: false,
  busy: false,
  connected: false,
};

describe('controlReasons', () => {
  it('enables Speak only on a new page', () => {
    const reasons = controlReasons(ready);
    const free = Object.entries(reasons).filter(([, reason]) => reason === null);
    expect(free.map(([control]) => control)).toEqual(['speak', 'speakLines']);
  });

  it.each<[string, Partial<ControlState>, string]>([
    ['a missing key', { obstacle: 'needs a key' }, 'needs a key'],
    ['an empty box', { empty: true }, 'no text'],
    ['a text that is too long', { textProblem: 'too long' }, 'too long'],
    ['a model that still writes', { writing: 'simulated' }, 'simulated model is still writing'],
    ['a live model that still writes', { writing: 'live' }, 'live model is still writing'],
  ])('disables Speak for %s', (_, change, words) => {
    expect(controlReasons({ ...ready, ...change }).speak).toContain(words);
  });

  it('enables single lines while a model writes, but not with an obstacle', () => {
    expect(controlReasons({ ...ready, writing: 'simulated' }).speakLines).toBeNull();
    expect(controlReasons({ ...ready, obstacle: 'needs a key' }).speakLines).toContain('needs a key');
  });

  it('enables Speak while a turn is spoken', () => {
    expect(controlReasons({ ...ready, busy: true, connected: true }).speak).toBeNull();
  });

  it('enables Flush only while a turn is open', () => {
    expect(controlReasons({ ...ready, openTurn: true }).flush).toBeNull();
    expect(controlReasons({ ...ready, busy: true }).flush).not.toBeNull();
  });

  it('enables Cancel only while something is spoken', () => {
    expect(controlReasons({ ...ready, busy: true }).cancel).toBeNull();
    expect(controlReasons(ready).cancel).toContain('Nothing');
  });
});
