/**
 * Writes the fonts of the first view: `npm run fonts`. They hold the characters of the page's own texts alone, because
 * the whole fonts are three times as large. Text with other characters loads the whole ones.
 */
import { writeFileSync } from 'node:fs';
import { firstFonts } from './fonts.ts';

for (const [file, bytes] of await firstFonts()) {
  writeFileSync(new URL(`../src/app/fonts/${file}`, import.meta.url), bytes);
  process.stdout.write(`${file}: ${bytes.length} bytes\n`);
}
