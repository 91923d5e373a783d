import { describe, expect, it } from 'vitest';
import { ENDPOINTS } from '#protocol/registry.ts';
import { pagePolicy, SECURITY_HEADERS } from './headers.ts';

const directives = (policy: string) =>
  new Map(policy.split('; ').map((part) => [part.split(' ')[0] ?? '', part.split(' ').slice(1)]));
const ORIGINS = {
  host: '127.0.0.1:4173',
  extra: [{ http: 'https://tts.example.com', ws: 'wss://tts.example.com' }],
};
const policy = directives(pagePolicy('n0nce', ORIGINS));

describe('page policy', () => {
  it('allows nothing that is not named', () => {
    expect(policy.get('default-src')).toEqual(["'none'"]);
    for (const name of ['base-uri', 'form-action', 'frame-ancestors'])
      expect(policy.get(name)).toEqual(["'none'"]);
  });
  it('runs only its own scripts and workers: no inline, no eval, no WebAssembly, no data: or blob:', () => {
    expect(policy.get('script-src')).toEqual(["'self'"]);
    expect(policy.get('worker-src')).toEqual(["'self'"]);
    expect(policy.get('style-src')).toEqual(["'self'", "'nonce-n0nce'"]);
  });
  it('differs in development by what Vite adds to the page, and by nothing else', () => {
    const developing = directives(pagePolicy('n0nce', ORIGINS, 'developing'));
    expect(developing.get('script-src')).toEqual(["'self'", "'nonce-n0nce'", "'wasm-unsafe-eval'"]);
    expect(developing.get('worker-src')).toEqual(["'self'", 'blob:']);
    for (const [name, sources] of policy) {
      if (name !== 'script-src' && name !== 'worker-src') expect(developing.get(name), name).toEqual(sources);
    }
    expect([...developing.keys()]).toEqual([...policy.keys()]);
  });
  it('leaves an IPv6 address to self, since none can stand in a policy', () => {
    expect(pagePolicy('n0nce', { host: '[::1]:4173', extra: [] })).not.toContain('[');
  });
  it('connects to every server of the registry and to this machine', () => {
    const sources = policy.get('connect-src') ?? [];
    const bases = ENDPOINTS.flatMap(({ servers }) => servers.flatMap(({ base }) => (base ? [base] : [])));
    expect(bases.length).toBeGreaterThan(0);
    for (const base of bases) {
      expect(sources).toContain(base);
      expect(sources).toContain(base.replace('wss:', 'https:'));
    }
    for (const source of ["'self'", 'ws://127.0.0.1:4173', 'ws://localhost:*', 'http://127.0.0.1:*']) {
      expect(sources).toContain(source);
    }
    expect(sources).not.toContain('*');
  });
  it('connects to and plays from the added origins', () => {
    expect(policy.get('connect-src')).toContain('wss://tts.example.com');
    expect(policy.get('media-src')).toContain('https://tts.example.com');
  });
});

it('allows the microphone to the page alone, and no other device', () => {
  const devices = SECURITY_HEADERS['Permissions-Policy']?.split(', ') ?? [];
  expect(devices).toContain('microphone=(self)');
  expect(devices.filter((device) => !device.endsWith('=()'))).toEqual(['microphone=(self)']);
});
