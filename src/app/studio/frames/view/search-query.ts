import type { SearchQuery } from '#recordings/view/search.ts';

/** `/expression/`, with `i` behind it where case does not matter. */
const REGEX = /^\/(.+)\/(i?)$/s;

/** What is typed into the search, as it is looked for; null where there is nothing to look for. */
export function queryOf(typed: string): SearchQuery | null {
  if (typed.trim() === '') return null;
  const regex = REGEX.exec(typed.trim());
  if (regex) {
    const [, text = '', flag] = regex;
    return { text, isRegex: true, matchCase: flag !== 'i', withAudio: false };
  }
  return { text: typed, isRegex: false, matchCase: false, withAudio: false };
}
