import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import subsetFont from 'subset-font';

/** The characters of the page's own texts. Any other one loads a whole font. */
const CHARACTERS = [
  ...Array.from({ length: 0x7f - 0x20 }, (_, at) => String.fromCodePoint(0x20 + at)),
  ...'\u00a0±µ·×–—‘’“”•…€↑↓−',
];

interface FirstFont {
  file: string;
  family: string;
  /** Path in the packages. */
  source: string;
  /** The weights of the whole font. Browsers combine the fonts of a family only where these are the same. */
  weights: string;
  /** Features of the page's text. The mono font's largest part is its ligatures, which the page switches off. */
  features: readonly string[];
}

const FONTS: readonly FirstFont[] = [
  {
    file: 'inter.woff2',
    family: 'Inter Variable',
    source: '@fontsource-variable/inter/files/inter-latin-opsz-normal.woff2',
    weights: '100 900',
    features: ['kern', 'tnum'],
  },
  {
    file: 'jetbrains-mono.woff2',
    family: 'JetBrains Mono Variable',
    source: '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2',
    weights: '100 800',
    features: [],
  },
];

const require = createRequire(import.meta.url);

/** Returns the fonts of the first view and their style sheet, by file name. */
export async function firstFonts(): Promise<ReadonlyMap<string, Buffer>> {
  const fonts = await Promise.all(
    FONTS.map(async ({ file, source, features }) => {
      const whole = readFileSync(require.resolve(source));
      const font = await subsetFont(whole, CHARACTERS.join(''), {
        targetFormat: 'woff2',
        keepFeatures: features,
        // Weights of the page: regular to semibold.
        variationAxes: { wght: { min: 400, max: 600, default: 400 } },
      });
      return [file, font] as const;
    }),
  );
  return new Map([...fonts, ['fonts.css', Buffer.from(styles())]]);
}

const styles = (): string =>
  `${[
    '/* Written by `npm run fonts`. */',
    ...FONTS.map(
      ({ file, family, weights }) => `@font-face {
  font-family: "${family}";
  font-style: normal;
  font-display: swap;
  font-weight: ${weights};
  src: url("./${file}") format("woff2-variations");
  unicode-range:\n    ${ranges().join(', ')};
}`,
    ),
  ].join('\n\n')}\n`;

/** Returns the characters as ranges of code points. */
function ranges(): string[] {
  const found: { from: number; to: number }[] = [];
  for (const character of CHARACTERS) {
    const code = character.codePointAt(0) ?? 0;
    const last = found.at(-1);
    if (last?.to === code - 1) last.to = code;
    else found.push({ from: code, to: code });
  }
  const hex = (code: number) => code.toString(16).padStart(4, '0');
  return found.map(({ from, to }) => (from === to ? `U+${hex(from)}` : `U+${hex(from)}-${hex(to)}`));
}
