import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ENDPOINTS } from '#protocol/registry.ts';

const sources = ['app', 'benchmark', 'session', 'recordings', 'player', 'text', 'lib'].flatMap((floor) => {
  const folder = new URL(`../${floor}/`, import.meta.url);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:tsx?|css)$/.test(name) && !/\.test\.tsx?$|testing/.test(name))
    .map((name) => [`${floor}/${name}`, readFileSync(new URL(name, folder), 'utf8').toLowerCase()] as const);
});

it('names no vendor: page, session and player know an endpoint by its interface alone', () => {
  const names = ENDPOINTS.flatMap(({ id, vendor }) => [id, vendor, id.split('-')[0] ?? id]);
  expect(sources.length).toBeGreaterThan(100);
  for (const [name, text] of sources) {
    for (const vendor of names)
      expect(text.includes(vendor.toLowerCase()), `${vendor} in ${name}`).toBe(false);
  }
});
