/** A character of a text with the marks on it, as it is spoken. */
interface PlainUnit {
  readonly plain: string;
  /** Where the next one begins. */
  readonly end: number;
}

/** Jamo of one syllable, half-width kana with its mark, or any character with its marks. */
const CLUSTER =
  /[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|[\uff66-\uff9d][\uff9e\uff9f]|[\s\S]\p{M}{0,200}/uy;
/** No script puts more marks on a character. Sorting many takes time by their square. */
const MAX_CLUSTER_UNITS = 16;
/** Below, a character followed by another one of these has no other form. */
const FIRST_WITH_FORMS = 0x100;
const FIRST_MARK = 0x300;
/** Superscripts have a sound of their own: `x²` is not `x2`. So have some signs, and the letters of ordinals. */
const SPOKEN_AS_IT_IS = /[\u00aa\u00ba\u00b2\u00b3\u00b9\u2070-\u207f\u2116\u2120\u2122]/;
const WITH_PLAIN_FORM = /^[\p{L}\p{N}\p{So}]/u;
const WORD = /^[\p{L}\p{Nd}'\u02bc][\p{L}\p{M}\p{Nd}'\u02bc ]*$/u;

/**
 * Returns the character at this place in its composed form. Ligatures, full-width, mathematical, circled and other
 * compatibility forms of letters and digits become plain ones.
 */
export function plainUnitAt(text: string, at: number): PlainUnit {
  const isPlain = text.charCodeAt(at) < FIRST_WITH_FORMS && !(text.charCodeAt(at + 1) >= FIRST_MARK);
  if (isPlain) return { plain: text.charAt(at), end: at + 1 };
  CLUSTER.lastIndex = at;
  const [cluster = ''] = CLUSTER.exec(text) ?? [];
  const plain = plainForm(cluster.slice(0, MAX_CLUSTER_UNITS));
  if (plain !== cluster) return { plain, end: at + cluster.length };
  // Marks that have no form of their own keep their places.
  const first = String.fromCodePoint(cluster.codePointAt(0) ?? 0);
  return { plain: first, end: at + first.length };
}

function plainForm(cluster: string): string {
  const composed = cluster.normalize('NFC');
  if (SPOKEN_AS_IT_IS.test(composed) || !WITH_PLAIN_FORM.test(composed)) return composed;
  const plain = composed.normalize('NFKC');
  return WORD.test(plain) ? plain : composed;
}

/** Typographic quotes by the plain ones that are spoken, and that a dictionary is typed with. */
export const PLAIN_QUOTES: ReadonlyMap<string, string> = new Map([
  ...[...'\u2018\u2019\u201a\u201b\u2032\u02bc'].map((quote) => [quote, "'"] as const),
  ...[...'\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u2039\u203a'].map((quote) => [quote, '"'] as const),
]);
