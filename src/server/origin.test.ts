import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { hostsOf, isAllowedOrigin, isOwnPage } from './origin.ts';

describe('Host header', () => {
  const local = hostsOf('127.0.0.1', ['tts.example.com']);

  it.each([
    '127.0.0.1:4173',
    '127.8.9.10',
    'localhost',
    'LOCALHOST:80',
    'app.localhost',
    '[::1]:4173',
    'tts.example.com:4173',
    'TTS.example.com',
  ])('answers to %s: loopback, or a name of VOICEWIRE_HOSTS', (host) => expect(local(host)).toBe(true));
  it.each([
    'rebound.example.com:4173',
    'localhost.example.com',
    '127.0.0.1.example.com',
    '127.1',
    '0.0.0.0',
    '10.0.0.1',
    '[::2]',
    undefined,
    '',
  ])('does not answer to %s', (host) => expect(local(host)).toBe(false));
  it('answers to the address of HOST', () => {
    expect(hostsOf('192.168.1.5')('192.168.1.5:4173')).toBe(true);
    expect(hostsOf('192.168.1.5')('192.168.1.6:4173')).toBe(false);
  });
  it('answers to every address of the machine, and to no other name, when bound to all of them', () => {
    const open = hostsOf('0.0.0.0');
    const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    for (const { address, family } of own) {
      // A zone has no place in a Host header.
      if (!address.startsWith('fe80'))
        expect(open(family === 'IPv6' ? `[${address}]:1` : address)).toBe(true);
    }
    expect(open('rebound.example.com')).toBe(false);
    expect(open('203.0.113.9')).toBe(false);
  });
  it.each(["a; script-src 'unsafe-inline'", 'a b', 'a\r\nb', 'user@host', 'host:port', 'host/path'])(
    'refuses a value that is no host, because it would end up in the policy: %j',
    (host) => expect(hostsOf(host, [host])(host)).toBe(false),
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
    ['the address of a socket', 'ws://127.0.0.1:4173', '127.0.0.1:4173', false],
  ])('%s', (_, origin, host, allowed) => {
    expect(isAllowedOrigin(origin, host)).toBe(allowed);
  });
});

describe('a page of this server', () => {
  const host = '127.0.0.1:4173';

  it.each([`http://${host}`, `https://${host}`, `HTTP://${host}`])('has the origin %s', (origin) => {
    expect(isOwnPage({ host, origin })).toBe(true);
  });
  it.each([
    `ws://${host}`,
    `wss://${host}`,
    `ftp://${host}`,
    `file://${host}`,
    `chrome-extension://${host}`,
    `javascript://${host}`,
    'http://127.0.0.1:4174',
    'http://localhost:4173',
    `http://${host}.evil.example`,
    host,
    'null',
    '',
  ])('does not have the origin %j', (origin) => expect(isOwnPage({ host, origin })).toBe(false));
  it('sends no origin in a request for its own files', () => {
    expect(isOwnPage({ host, 'sec-fetch-site': 'same-origin' })).toBe(true);
    expect(isOwnPage({ host, 'sec-fetch-site': 'same-site' })).toBe(false);
    expect(isOwnPage({ host })).toBe(false);
  });
});
