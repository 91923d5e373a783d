import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ENDPOINTS } from '../protocol/registry.ts';

const folder = new URL('.', import.meta.url);
const sources = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));

it('names no vendor: a session knows an endpoint by its interface alone', () => {
  const names = ENDPOINTS.flatMap(({ id, vendor }) => [id, vendor, id.split('-')[0] ?? id]);
  expect(sources.length).toBeGreaterThan(10);
  for (const source of sources) {
    const text = readFileSync(new URL(source, folder), 'utf8').toLowerCase();
    for (const name of names) expect(text.includes(name.toLowerCase()), `${name} in ${source}`).toBe(false);
  }
});
