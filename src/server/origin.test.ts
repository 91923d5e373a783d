import { describe, expect, it } from 'vitest';
import { isAllowedHost, isAllowedOrigin, isLoopbackHost } from './origin.ts';

describe('loopback names', () => {
  it.each(['localhost', 'LOCALHOST', 'app.localhost', '127.0.0.1', '127.8.9.10', '::1', '[::1]'])(
    '%s is one',
    (name) => {
      expect(isLoopbackHost(name)).toBe(true);
    },
  );
  it.each([
    'example.com',
    'localhost.example.com',
    '127.0.0.1.example.com',
    '127.1',
    '0.0.0.0',
    '10.0.0.1',
    '',
    '::2',
  ])('%s is none', (name) => {
    expect(isLoopbackHost(name)).toBe(false);
  });
});

describe('Host header', () => {
  it.each(['127.0.0.1:4173', 'localhost', 'localhost:80', '[::1]:4173'])(
    'a server bound to loopback answers to %s',
    (host) => {
      expect(isAllowedHost(host, true)).toBe(true);
    },
  );
  it.each(['rebound.example.com:4173', 'localhost.example.com', '192.168.1.5:4173', undefined, ''])(
    'a server bound to loopback does not answer to %s',
    (host) => {
      expect(isAllowedHost(host, true)).toBe(false);
    },
  );
  it('a server for others answers to any host', () => {
    expect(isAllowedHost('voice.example.com:4173', false)).toBe(true);
  });
  it.each(["a; script-src 'unsafe-inline'", 'a b', 'a\r\nb', 'user@host', 'host:port', 'host/path'])(
    'what is no host is refused anywhere, as it would end up in the policy: %j',
    (host) => {
      expect(isAllowedHost(host, false)).toBe(false);
    },
  );
});

describe('Origin header', () => {
  it.each<[string, string | undefined, string, boolean]>([
    ['no origin (a program)', undefined, '127.0.0.1:4173', true],
    ['the page itself', 'http://127.0.0.1:4173', '127.0.0.1:4173', true],
    ['another port of this machine', 'http://localhost:3000', '127.0.0.1:4173', true],
    ['the page under a public name', 'https://voice.example.com', 'voice.example.com', true],
    ['the same name on another port', 'https://voice.example.com:8443', 'voice.example.com', false],
    ['a foreign page', 'https://evil.example.com', '127.0.0.1:4173', false],
    ['a name that begins like ours', 'http://localhost.evil.example', '127.0.0.1:4173', false],
    ['a file or a sandboxed frame', 'null', '127.0.0.1:4173', false],
    ['an extension', 'chrome-extension://abcdef', '127.0.0.1:4173', false],
    ['no address at all', 'nonsense', '127.0.0.1:4173', false],
  ])('%s', (_, origin, host, allowed) => {
    expect(isAllowedOrigin(origin, host)).toBe(allowed);
  });
});
