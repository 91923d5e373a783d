import { describe, expect, it } from 'vitest';
import { endpointOf } from '#protocol/registry.ts';
import { addressProblem, httpBase, normalBase, policyProblem, webSocketBase } from './server-address.ts';

const endpoint = endpointOf('kugel-stream');

describe('addressProblem', () => {
  it.each(['ws://127.0.0.1:4173/kugel', 'wss://tts.example.com', ' wss://tts.example.com/ '])(
    'takes %j',
    (typed) => {
      expect(addressProblem(typed)).toBeNull();
    },
  );

  it.each([
    ['', 'Enter an address'],
    ['tts.example.com', 'starts with ws:// or wss://'],
    ['https://tts.example.com', 'must start with ws:// or wss://'],
    ['wss://me:secret@tts.example.com', 'Leave user and password out'],
    ['wss://tts.example.com?api_key=x', 'everything after ?'],
    ['wss://tts.example.com#x', 'everything after ?'],
  ])('says what is wrong with %j', (typed, words) => {
    expect(addressProblem(typed)).toContain(words);
  });
});

describe('addressProblem of a model server', () => {
  it.each(['http://localhost:11434/v1', ' https://llm.example.com/v1/ '])('takes %j', (typed) => {
    expect(addressProblem(typed, 'http')).toBeNull();
  });

  it.each([
    ['', 'such as http://localhost:11434/v1'],
    ['localhost:11434', 'must start with http:// or https://'],
    ['wss://llm.example.com', 'must start with http:// or https://'],
    ['https://llm.example.com?key=x', 'everything after ?'],
  ])('says what is wrong with %j', (typed, words) => {
    expect(addressProblem(typed, 'http')).toContain(words);
  });

  it('says how to admit another host', () => {
    expect(policyProblem('https://llm.example.com/v1', [endpoint], 'page.example', 'http')).toContain(
      'VOICEWIRE_CONNECT=https://llm.example.com',
    );
  });
});

describe('policyProblem', () => {
  it.each([
    'ws://127.0.0.1:9',
    'ws://localhost:4173/kugel',
    'wss://api.kugelaudio.com',
    'wss://page.example',
  ])('lets %s pass', (typed) => {
    expect(policyProblem(typed, [endpoint], 'page.example')).toBeNull();
  });

  it('says how to admit another host', () => {
    expect(policyProblem('wss://tts.example.com/x', [endpoint], 'page.example')).toContain(
      'VOICEWIRE_CONNECT=wss://tts.example.com',
    );
  });

  it('leaves an address that is none to the other check', () => {
    expect(policyProblem('nonsense', [endpoint], 'page.example')).toBeNull();
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
      { base: null, isRelayed: true as const },
      'http://127.0.0.1:4173',
      'ws://127.0.0.1:4173/relay/kugel',
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
