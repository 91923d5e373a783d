import { foreignScript, isRareScript } from '#lib/text/scripts.ts';
import { languageCodeOf } from '#protocol/core/text-language.ts';
import { contextIdOf, parseScript } from '#text/script.ts';
import { choiceLabels } from './setting-value.ts';

/** Returns the words of a script, without names and comments. @param speaker whose words; null: of all speakers */
export const scriptWordsOf = (script: string, speaker: string | null): string =>
  parseScript(script)
    .lines.filter((line) => speaker === null || contextIdOf(line.speaker ?? '') === contextIdOf(speaker))
    .map(({ text }) => text)
    .join(' ');

/**
 * Returns a problem of a text in a script that its language is not written in, or that the local engine has no language for;
 * null where they fit or nobody knows.
 * @param language as the endpoint names it
 */
export function languageProblem(language: string, text: string): string | null {
  if (isRareScript(text))
    return 'The local server has no language for the letters of the text, so it spells them out. Another server may read them.';
  const code = languageCodeOf(language);
  const script = foreignScript(text, code);
  if (script === undefined) return null;
  const [label] = choiceLabels([code]);
  return `The text is in ${script} letters, which ${label?.name ?? language} is not written in, so it may be spelled out. Choose the language of the text, or send none.`;
}
