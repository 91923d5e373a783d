import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';

test('the served page contains nothing of the GPL speech engine', () => {
  const dist = new URL('../dist/', import.meta.url);
  const files = readdirSync(dist, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) {
    const text = readFileSync(`${file.parentPath}/${file.name}`, 'latin1');
    expect(/espeak/i.test(text), file.name).toBe(false);
  }
});
