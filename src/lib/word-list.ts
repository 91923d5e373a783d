type Words<List extends string> = List extends `${infer First} ${infer Rest}`
  ? [First, ...Words<Rest>]
  : [List];

/** Returns the words of a list with single spaces between them. Each keeps its literal type. */
export const wordList = <const List extends string>(list: List): Words<List> =>
  list.split(' ') as Words<List>;
