/** Splits text into tokens of the o200k vocabulary, whose 2 MB are loaded on first use. */
export async function tokenize(text: string): Promise<string[]> {
  const [{ encode }, { default: vocabulary }] = await Promise.all([
    import('gpt-tokenizer/encoding/o200k_base'),
    import('gpt-tokenizer/bpeRanks/o200k_base'),
  ]);
  // Special tokens such as `<|endoftext|>` are ordinary characters in text to be spoken.
  const ids = encode(text, { disallowedSpecial: new Set() });
  return cutByBytes(
    text,
    ids.map((id) => byteLengthOf(vocabulary[id])),
  );
}

/** A vocabulary entry is text, or bytes if it is not whole characters. */
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
 * Splits a text at the ends of tokens of these lengths in UTF-8 bytes. A token that ends inside a character, as in an
 * emoji, is joined with the next, since half a character cannot be sent. The parts always concatenate to the text.
 */
function cutByBytes(text: string, byteLengths: readonly number[]): string[] {
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
