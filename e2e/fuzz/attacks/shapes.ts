/** A text of about so many characters that costs much where time is not linear. @param at chooses its letters */
type Shape = (chars: number, at: number) => string;

const LETTERS = ['a', 'Q', '7', 'é', 'ß'];
const MARKS = ['.', '!', '?', ';', '…', '。'];
const BLANKS = [' ', '\t', '\n', '\u00a0', '\u2028'];
const BRACKETS = ['[]', '{}', '()', '<>', '“”'];

const picked = (from: readonly string[], at: number): string => from[at % from.length] ?? '';

const filled = (chars: number, unit: string): string =>
  unit.repeat(Math.max(1, Math.floor(chars / unit.length)));

/** By name. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  'one letter': (chars, at) => filled(chars, picked(LETTERS, at)),
  digits: (chars, at) => filled(chars, `${at % 9}`),
  'a mark after each letter': (chars, at) => filled(chars, `${picked(LETTERS, at)}${picked(MARKS, at)} `),
  marks: (chars, at) => filled(chars, picked(MARKS, at)),
  blanks: (chars, at) => `a${filled(chars, picked(BLANKS, at))}b`,
  'blanks and commas': (chars, at) => filled(chars, `a,${picked(BLANKS, at).repeat(20)},`),
  'short lines': (chars, at) => filled(chars, `${picked(LETTERS, at)}\r\n`),
  'nested brackets': (chars, at) => {
    const [open = '', close = ''] = picked(BRACKETS, at);
    return open.repeat(chars / 2) + close.repeat(chars / 2);
  },
  'open brackets': (chars, at) => filled(chars, [...picked(BRACKETS, at)][0] ?? ''),
  'nested JSON': (chars) => `${filled(chars / 2, '{"a":[')}1${filled(chars / 3, ']}')}`,
  'open tags': (chars, at) =>
    filled(chars, picked(['<break time="1', '<speak', '</', '<a b=', '<spell>'], at)),
  'open comments': (chars, at) => filled(chars, picked(['<!--', '<![CDATA[', '<?x ', '/*', '[pause '], at)),
  'open quotes': (chars, at) => filled(chars, picked(['"', "'", '\\"', '«', '="'], at)),
  escapes: (chars, at) => filled(chars, picked(['\\{', '\\', '\\u00', '%', '%2', '\\/'], at)),
  'half characters': (chars, at) => filled(chars, picked(['\ud83d', '\ude00', '\ude00\ud83d'], at)),
  'combining marks': (chars, at) => `e${filled(chars, picked(['\u0301', '\u0327\u0301', '\u200d'], at))}`,
  'right to left': (chars, at) => filled(chars, picked(['שלום. ', 'ا', '\u202e'], at)),
  'ideograms without a blank': (chars, at) => filled(chars, picked(['語', '๒', '한'], at)),
  'header lists': (chars, at) => filled(chars, picked(['a, ', 'a.', 'a;q=0.1,', 'a=b; ', ',,'], at)),
  'parts of a form': (chars, at) => filled(chars, picked(['; name="k"\r\n', '--x\r\n', '&a=', 'k=v&'], at)),
};

/** Returns a shape that takes about so many bytes in JSON. */
export function sized(shape: Shape, bytes: number, at: number): string {
  const whole = shape(bytes, at);
  const taken = Buffer.byteLength(JSON.stringify(whole));
  return taken <= bytes ? whole : shape(Math.floor((bytes / taken) * bytes), at);
}
