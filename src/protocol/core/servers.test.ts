import { expect, it } from 'vitest';
import { ENDPOINTS } from '../registry.ts';
import { hasVendorLimits, LIMITED_KEY, LOCAL_KEY } from './servers.ts';

it.each(ENDPOINTS)(
  'the vendor’s limits of $id hold at its own hosts, and not at the local server',
  (endpoint) => {
    const { localPrefix, servers } = endpoint;
    const isLimited = (base: string, key = LOCAL_KEY) => hasVendorLimits(endpoint, { base, key });
    for (const origin of ['ws://127.0.0.1:4173', 'wss://speech.example.com']) {
      expect(isLimited(`${origin}${localPrefix}`)).toBe(false);
      expect(isLimited(`${origin}/faults/latency=200,stall=3000@2${localPrefix}`)).toBe(false);
      expect(isLimited(`${origin}${localPrefix}`, LIMITED_KEY)).toBe(true);
      for (const path of ['/relay', '/faults/latency=200/relay', '/served/abc', ''])
        expect(isLimited(`${origin}${path}${path === '' ? '' : localPrefix}`)).toBe(true);
    }
    for (const { base } of servers) if (base !== null) expect(isLimited(base)).toBe(true);
  },
);
