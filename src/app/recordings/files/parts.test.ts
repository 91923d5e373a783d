import { describe, expect, it } from 'vitest';
import { partChoices } from './parts.ts';

const turn = (id: number, context: string | null = null) => ({ turn: id, context, audioMs: 1500 });
const titles = (turns: Parameters<typeof partChoices>[0]) => partChoices(turns).map(({ title }) => title);

describe('partChoices', () => {
  it('is the only turn', () => {
    expect(titles([turn(1)])).toEqual(['Everything: one turn, 1.50 s']);
    expect(titles([])).toEqual([]);
  });

  it('is every turn, and all of them end to end', () => {
    expect(titles([turn(1), turn(2)])).toEqual([
      'Everything: 2 turns end to end, 3.00 s',
      'Turn 1: 1.50 s',
      'Turn 2: 1.50 s',
    ]);
  });

  it('has no length where one of its turns has none, as with MP3', () => {
    expect(titles([turn(1), { ...turn(2), audioMs: null }])).toEqual([
      'Everything: 2 turns end to end, unknown length',
      'Turn 1: 1.50 s',
      'Turn 2: unknown length',
    ]);
  });

  it('is each context, with any name', () => {
    const choices = partChoices([turn(1, 'narrator'), turn(2, '../x'), turn(3, 'narrator')]);
    expect(choices.slice(0, 2).map(({ title, fileName }) => [title, fileName])).toEqual([
      ['All of narrator: 2 turns end to end, 3.00 s', ', narrator'],
      ['All of ../x: one turn, 1.50 s', ', -x'],
    ]);
  });

  it('of a session of thousands are the newest turns', () => {
    const choices = partChoices(Array.from({ length: 5000 }, (_, i) => turn(i + 1)));
    expect(choices).toHaveLength(101);
    expect(choices.at(-1)).toMatchObject({ part: { turn: 5000 } });
  });
});
