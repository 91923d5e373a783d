import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FAULT_SETS } from './faults/fault-sets.ts';
import { FAULTS, type FaultName, faultForm, faultKind } from './faults/fault-table.ts';
import { openLinter } from './linters.ts';
import { protocolOf } from './protocols.ts';
import { ENDPOINTS, endpointOf } from './registry.ts';

const pageOf = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
const PAGE = pageOf('rules.md');

describe.each(ENDPOINTS.map((endpoint) => [endpoint.id, endpoint] as const))('rules of %s', (_, endpoint) => {
  it('are documented word for word', () => {
    const { rules } = openLinter(endpoint.id);
    expect(rules.length).toBeGreaterThan(10);
    for (const { id, severity, title, why, source } of rules) {
      expect(PAGE).toContain(`| \`${id}\` | ${severity} | **${title}.** ${why} | ${source} |`);
    }
  });
});

describe('faults', () => {
  const page = pageOf('capture.md');

  it('are documented word for word', () => {
    for (const name of Object.keys(FAULTS) as FaultName[]) {
      const { range, effect } = faultKind(name);
      expect(page).toContain(`| \`${faultForm(name)}\` | ${range} | ${effect} |`);
    }
  });

  it('that change calls are named', () => {
    const names = (Object.keys(FAULTS) as FaultName[]).filter((name) => faultKind(name).onCalls);
    const list = names.map((name) => `\`${name}\``);
    expect(page).toContain(`${list.slice(0, -1).join(', ')} and ${list.at(-1)} have an effect`);
  });

  it('are documented with their sets', () => {
    const { failures } = protocolOf(endpointOf('kugel-stream'));
    for (const { title, story, spec } of FAULT_SETS)
      expect(page).toContain(`| ${title} | ${story} | \`${spec(failures)}\` |`);
  });
});
