/** Names for language codes. The page is in English, so are they. */

const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/** `de` is German; undefined for what is no known language. */
export function languageName(code: string): string | undefined {
  try {
    return names.of(code);
  } catch {
    return undefined;
  }
}

/**
 * How the values of a choice are called. Where every value is a language code they get the names of their
 * languages beside them; any other choice speaks for itself.
 */
export function choiceLabels(
  values: readonly (string | number)[],
): { value: string | number; name?: string }[] {
  const named = values.map((value) => ({
    value,
    name: typeof value === 'string' ? languageName(value) : undefined,
  }));
  const all = named.every(({ name }) => name !== undefined);
  return named.map(({ value, name }) => (all && name !== undefined ? { value, name } : { value }));
}
