import { describe, expect, it } from 'vitest';
import { endpointOf } from '#protocol/registry.ts';
import { addressProblem, httpBase, normalBase, policyProblem, webSocketBase } from './server-address.ts';

const endpoint = endpointOf('kugel-stream');

describe('addressProblem', () => {
  it.each([
    ['ws', 'ws://127.0.0.1:4173/kugel', null],
    ['ws', 'wss://tts.example.com', null],
    ['ws', ' wss://tts.example.com/ ', null],
    ['ws', '', 'Enter an address'],
    ['ws', 'tts.example.com', 'starts with ws:// or wss://'],
    ['ws', 'https://tts.example.com', 'must start with ws:// or wss://'],
    ['ws', 'wss://me:secret@tts.example.com', 'Leave user and password out'],
    ['ws', 'wss://tts.example.com?api_key=x', 'everything after ?'],
    ['ws', 'wss://tts.example.com#x', 'everything after ?'],
    ['http', 'http://localhost:11434/v1', null],
    ['http', ' https://llm.example.com/v1/ ', null],
    ['http', '', 'such as http://localhost:11434/v1'],
    ['http', 'localhost:11434', 'must start with http:// or https://'],
    ['http', 'wss://llm.example.com', 'must start with http:// or https://'],
    ['http', 'https://llm.example.com?key=x', 'everything after ?'],
  ] as const)('of a %s server at %j', (scheme, typed, words) => {
    const problem = addressProblem(typed, scheme);
    if (words === null) expect(problem).toBeNull();
    else expect(problem).toContain(words);
  });
});

describe('policyProblem', () => {
  it.each([
    ['ws', 'ws://127.0.0.1:9', null],
    ['ws', 'ws://localhost:4173/kugel', null],
    ['ws', 'wss://api.kugelaudio.com', null],
    ['ws', 'wss://page.example', null],
    // An address that is none is left to the other check.
    ['ws', 'nonsense', null],
    ['ws', 'wss://tts.example.com/x', 'VOICEWIRE_CONNECT=wss://tts.example.com'],
    ['http', 'https://llm.example.com/v1', 'VOICEWIRE_CONNECT=https://llm.example.com'],
  ] as const)('of a %s server at %s', (scheme, typed, words) => {
    const problem = policyProblem(typed, [endpoint], 'page.example', scheme);
    if (words === null) expect(problem).toBeNull();
    else expect(problem).toContain(words);
  });
});

describe('bases', () => {
  it.each([
    [
      'the local server is where the page came from',
      { base: null },
      'http://127.0.0.1:4173',
      'ws://127.0.0.1:4173/kugel',
    ],
    ['and encrypted where the page is', { base: null }, 'https://voice.example', 'wss://voice.example/kugel'],
    [
      'the relay is there too',
      { base: null, path: '/relay' as const },
      'http://127.0.0.1:4173',
      'ws://127.0.0.1:4173/relay/kugel',
    ],
    [
      'a served recording is there too',
      { base: null, path: '/served/x' as const },
      'http://127.0.0.1:4173',
      'ws://127.0.0.1:4173/served/x/kugel',
    ],
    ['a typed base loses its last slash', ' wss://tts.example.com/ ', 'http://x', 'wss://tts.example.com'],
  ])('%s', (_, server, origin, expected) => {
    expect(webSocketBase(endpoint, server, origin)).toBe(expected);
  });

  it('turns to HTTP in the same degree of secrecy', () => {
    expect([httpBase('ws://a/kugel'), httpBase('wss://a')]).toEqual(['http://a/kugel', 'https://a']);
    expect(normalBase('wss://a///')).toBe('wss://a');
  });
});
