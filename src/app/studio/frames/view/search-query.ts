import type { SearchQuery } from '#recordings/view/search.ts';

/** `/expression/`; `i` after it ignores case. */
const REGEX = /^\/(.+)\/(i?)$/s;

export function queryOf(typed: string): SearchQuery | null {
  if (typed.trim() === '') return null;
  const [isRegex, text = typed, flag] = REGEX.exec(typed.trim()) ?? [];
  return { text, isRegex: isRegex !== undefined, matchCase: flag === '', withAudio: false };
}
