import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { firstFonts } from './fonts.ts';

it('the fonts of the first view are those that `npm run fonts` writes', async () => {
  const fonts = await firstFonts();
  expect([...fonts.keys()]).toEqual(['inter.woff2', 'jetbrains-mono.woff2', 'fonts.css']);
  for (const [file, bytes] of fonts) {
    const kept = readFileSync(new URL(`../src/app/fonts/${file}`, import.meta.url));
    expect(kept.equals(bytes), file).toBe(true);
  }
});
