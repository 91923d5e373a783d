import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { groupBy } from '#lib/collections/maps.ts';
import { bookPageOf } from './book.ts';
import { FAULT_SETS } from './faults/fault-sets.ts';
import { FAULTS, type FaultName, faultForm, faultKind } from './faults/fault-table.ts';
import { protocolOf } from './protocols.ts';
import { ENDPOINTS, endpointOf, vendorOf } from './registry.ts';

const pageOf = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

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

it.each([...groupBy(ENDPOINTS, vendorOf)])(
  'the settings of %s without effect on the local server are documented',
  (vendor, endpoints) => {
    const settings = endpoints.flatMap((each) => [...each.settings, ...(each.contexts?.settings ?? [])]);
    const fields = settings.flatMap((each) => (each.hasNoEffectHere ? [`\`${each.field}\``] : []));
    const page = pageOf(`protocols/${bookPageOf(`${vendor}-voice-1`)}.md`);
    const documented = /^Accepted without effect: ([^.]*)\./m.exec(page)?.[1]?.split(/,\s/) ?? [];
    expect(documented).toEqual([...new Set(fields)]);
  },
);
