/**
 * Cuts text into the tokens that a current language model writes (the o200k vocabulary). The vocabulary is 2 MB of
 * data and is fetched on first use, so that it is no part of what the page loads to begin.
 */
export async function tokenize(text: string): Promise<string[]> {
  const [{ encode }, { default: vocabulary }] = await Promise.all([
    import('gpt-tokenizer/encoding/o200k_base'),
    import('gpt-tokenizer/bpeRanks/o200k_base'),
  ]);
  // Nothing is special in a text that is to be spoken: `<|endoftext|>` is cut like any other characters.
  const ids = encode(text, { disallowedSpecial: new Set() });
  return cutByBytes(
    text,
    ids.map((id) => byteLengthOf(vocabulary[id])),
  );
}

/** A vocabulary entry is text, or bytes where it is no whole character. */
const byteLengthOf = (entry: string | readonly number[] | undefined): number =>
  typeof entry === 'string' ? utf8Length(entry) : (entry?.length ?? 0);

const utf8Length = (text: string): number => {
  let bytes = 0;
  for (const character of text) bytes += utf8LengthOf(character.codePointAt(0) ?? 0);
  return bytes;
};

/** A lone surrogate counts 3, as the replacement character that an encoder writes for it. */
const utf8LengthOf = (codePoint: number): number =>
  codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;

/**
 * Cuts a text at the ends of tokens of these lengths in UTF-8 bytes. A token may end inside a character (an emoji is
 * often three tokens); it is then joined with the next, since half a character cannot be sent. The parts always
 * concatenate to the text, whatever the lengths.
 */
export function cutByBytes(text: string, byteLengths: readonly number[]): string[] {
  const parts: string[] = [];
  let start = 0;
  let end = 0;
  let bytesRead = 0;
  let tokenEnd = 0;
  for (const length of byteLengths) {
    tokenEnd += length;
    while (bytesRead < tokenEnd && end < text.length) {
      const codePoint = text.codePointAt(end) ?? 0;
      bytesRead += utf8LengthOf(codePoint);
      end += codePoint > 0xffff ? 2 : 1;
    }
    if (bytesRead !== tokenEnd || end === start) continue;
    parts.push(text.slice(start, end));
    start = end;
  }
  if (start < text.length) parts.push(text.slice(start));
  return parts;
}
