import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from './zod.ts';

it('validates without compiling code', () => {
  expect(z.config().jitless).toBe(true);
});

it('is the only import of the validator', () => {
  const folder = new URL('../../', import.meta.url);
  const importers = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .filter((name) => / from 'zod(?:\/[^']*)?';/.test(readFileSync(new URL(name, folder), 'utf8')));
  expect(importers).toEqual(['protocol/core/zod.ts']);
});
