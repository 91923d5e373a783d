import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { ENDPOINTS, endpointOf } from '#protocol/registry.ts';
import { contextIdOf, nameProblem, parseScript } from '#text/script.ts';
import { newMember, SCRIPT_CHARS, useScene } from '../../stores/scene-store.ts';
import { renameSpeaker } from './rename.ts';

const endpoint = ENDPOINTS.find(({ contexts }) => contexts !== null) ?? endpointOf(null);

describe('renaming in the cast', () => {
  const anna = { ...newMember('Anna', 0, endpoint, '7'), hue: 4, position: -0.5, keepOpen: true };
  const ben = newMember('Ben', 1, endpoint, '8');
  const script = 'Anna: Hello.\nBen: Hi.';
  beforeEach(() => useScene.setState({ script, cast: [anna, ben], chosen: 'Anna' }));

  it('keeps place, voice and looks, and renames the lines of the script', () => {
    expect(renameSpeaker(endpoint, 'Anna', ' Eve ')).toBeNull();
    expect(useScene.getState()).toMatchObject({
      cast: [{ ...anna, name: 'Eve' }, ben],
      script: 'Eve: Hello.\nBen: Hi.',
      chosen: 'Eve',
    });
  });

  it('accepts another case of the same name', () => {
    expect(renameSpeaker(endpoint, 'Anna', 'ANNA')).toBeNull();
    expect(useScene.getState().cast?.[0]?.name).toBe('ANNA');
  });

  it.each([
    ['is taken', 'ben', 'There is a speaker called ben already.'],
    ['is empty', '  ', 'A speaker needs a name.'],
    ['is not allowed in a script', 'Eve:', 'made of letters'],
  ])('refuses a name that %s, and changes nothing', (_, to, words) => {
    expect(renameSpeaker(endpoint, 'Anna', to)).toContain(words);
    expect(useScene.getState()).toMatchObject({ cast: [anna, ben], script });
  });

  it('refuses a name that makes the script too long', () => {
    const long = `Anna: ${'a'.repeat(SCRIPT_CHARS - 6)}`;
    useScene.setState({ script: long });
    expect(renameSpeaker(endpoint, 'Anna', 'Annabel')).toContain('50,000');
    expect(useScene.getState()).toMatchObject({ cast: [anna, ben], script: long });
  });
});

describe('renaming in the script', () => {
  const renamed = (script: string, from: string, to: string) => {
    useScene.setState({ script, cast: [] });
    expect(renameSpeaker(endpoint, from, to)).toBeNull();
    return useScene.getState().script;
  };

  it.each([
    ['lines that begin with the name', 'Anna: Hello.\nBen: Hi, Anna.', 'Eve: Hello.\nBen: Hi, Anna.'],
    ['however it is written', 'ANNA: One\n anna : Two', 'Eve: One\n Eve: Two'],
    ['one that interrupts', 'Ben: But\nAnna (interrupts): No!', 'Ben: But\nEve (interrupts): No!'],
    ['no longer name', 'Anna B: Hello.\nAnnabel: Hi.', 'Anna B: Hello.\nAnnabel: Hi.'],
    ['a name before a number', 'Anna:5 apples', 'Eve:5 apples'],
    ['no comment and no line that carries on', '# Anna: no\nAnna: One\n\ntwo', '# Anna: no\nEve: One\n\ntwo'],
  ])('changes %s', (_, script, expected) => {
    expect(renamed(script, 'Anna', 'Eve')).toBe(expected);
  });

  it('separates a name that ends in a digit from a number after the colon', () => {
    expect(renamed('Anna:5 apples', 'Anna', 'Room 12')).toBe('Room 12: 5 apples');
  });

  it('keeps the words and the order of all lines of any script', () => {
    const name = fc.constantFrom('Anna', 'anna', 'Ben', 'Old man', 'R2', '花子');
    const line = fc
      .tuple(
        name,
        fc.constantFrom('', ' ', '   ', ' (interrupts)', '(interrupts) '),
        fc.constantFrom(':', ': ', ''),
        fc.constantFrom('Hello.', '5 apples', '', 'Ben: no', '#', '//x', '(interrupts): 3'),
      )
      .map((parts) => parts.join(''));
    const script = fc
      .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\n\n', '\n# Anna: aside\n')))
      .map((lines) => lines.flat().join(''));
    const wanted = fc
      .constantFrom('Eve', 'Room 12', 'x'.repeat(40), 'Eve-Lyn_2', 'Zoë', '7')
      .filter((to) => nameProblem(to) === null);
    fc.assert(
      fc.property(script, fc.constantFrom('Anna', 'Ben', 'R2', 'Old  man'), wanted, (text, from, to) => {
        const id = contextIdOf(from);
        const spoken = (source: string) =>
          parseScript(source).lines.map(({ speaker, text: words, interrupts, problem }) => ({
            speaker: speaker !== null && contextIdOf(speaker) === id ? to : speaker,
            words,
            interrupts,
            problem,
          }));
        expect(spoken(renamed(text, from, to) ?? '')).toEqual(spoken(text));
      }),
    );
  });
});
