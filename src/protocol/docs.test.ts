import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ENDPOINTS } from './registry.ts';

const PAGE = readFileSync(new URL('../../docs/rules.md', import.meta.url), 'utf8');

describe.each(ENDPOINTS.map((endpoint) => [endpoint.id, endpoint] as const))('rules of %s', (_, endpoint) => {
  it('are documented word for word', () => {
    const { rules } = endpoint.openLinter();
    expect(rules.length).toBeGreaterThan(10);
    for (const { id, severity, title, why, source } of rules) {
      expect(PAGE).toContain(`| \`${id}\` | ${severity} | **${title}.** ${why} | ${source} |`);
    }
  });
});
