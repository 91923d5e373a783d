import { expect, it } from 'vitest';
import { protocolOf } from '#protocol/protocols.ts';
import { ENDPOINTS, VENDORS, vendorOf } from '#protocol/registry.ts';
import { exchangeOf, openLinter } from '#protocol/rules.ts';
import { createFakeClock } from './fake-clock.test-helper.ts';
import { createTestEngine } from './test-engine.test-helper.ts';
import { createTestParts } from './vendor-parts.test-helper.ts';
import { loadVendorServers } from './vendors.ts';

/** The parts of a vendor's folders are found by name, so that no compiler sees one that is missing. */

const servers = await loadVendorServers();

it.each(ENDPOINTS)('$id has its protocol and its rules', (endpoint) => {
  expect(protocolOf(endpoint).templates.length).toBeGreaterThan(0);
  expect(openLinter(endpoint.id).rules.length).toBeGreaterThan(0);
  expect(Object.keys(exchangeOf(endpoint).server).length).toBeGreaterThan(0);
});

it.each(VENDORS)('%s serves a socket for each of its endpoints, and no other', (vendor) => {
  const { sockets } = servers.get(vendor)?.open(createTestParts(createTestEngine(), createFakeClock())) ?? {};
  const own = ENDPOINTS.filter((endpoint) => vendorOf(endpoint) === vendor);
  expect(sockets?.map(({ captureAs }) => captureAs).sort()).toEqual(own.map(({ id }) => id).sort());
});
