import { describe, expect, it } from 'vitest';
import { readEnvironment, StartError } from './environment.ts';

describe('environment', () => {
  it('has the defaults of the contract, also for variables that are set to nothing', () => {
    const expected = {
      host: '127.0.0.1',
      port: 4173,
      logLevel: 'warn',
      keys: { keys: [], only: false },
      hosts: [],
      root: null,
      connect: [],
      captures: true,
      relays: { kugel: new URL('wss://api.kugelaudio.com'), murmr: new URL('wss://api.murmr.dev') },
      dataPath: undefined,
    };
    expect(readEnvironment({})).toEqual(expected);
    const nothing = { HOST: '', PORT: '', VOICEWIRE_KEYS: '', VOICEWIRE_CONNECT: '', VOICEWIRE_DATA: '' };
    expect(readEnvironment(nothing)).toEqual(expected);
  });
  it('reads lists with spaces and empty places', () => {
    const { keys, connect } = readEnvironment({
      VOICEWIRE_KEYS: ' a,, b ',
      VOICEWIRE_CONNECT: 'wss://t.example,',
    });
    expect(keys).toEqual({ keys: ['a', 'b'], only: false });
    expect(readEnvironment({ VOICEWIRE_KEYS: 'only: a,b' }).keys).toEqual({ keys: ['a', 'b'], only: true });
    expect(connect).toEqual([{ http: 'https://t.example', ws: 'wss://t.example' }]);
  });
  it('relays to the named host instead of the vendor’s', () => {
    const { relays } = readEnvironment({
      VOICEWIRE_RELAY_KUGEL: 'ws://127.0.0.1:5000/kugel/',
      VOICEWIRE_RELAY_MURMR: '',
    });
    expect(relays.kugel?.href).toBe('ws://127.0.0.1:5000/kugel');
    expect(relays.murmr?.href).toBe('wss://api.murmr.dev/');
  });
  it.each([
    ['VOICEWIRE_RELAY_KUGEL', 'api.example.com'],
    ['VOICEWIRE_RELAY_KUGEL', 'https://api.example.com'],
    ['VOICEWIRE_RELAY_KUGEL', 'wss://api.example.com?api_key=x'],
    ['VOICEWIRE_RELAY_KUGEL', 'wss://user:secret@api.example.com'],
    ['VOICEWIRE_RELAY_KUGEL', 'wss://api.example.com//x'],
    ['VOICEWIRE_RELAY_OTHER', 'wss://api.example.com'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80a'],
    ['PORT', '4e3'],
    ['PORT', 'two\nlines'],
    ['LOG_LEVEL', 'loud'],
    ['VOICEWIRE_ROOT', 'elevenlabs'],
    ['VOICEWIRE_KEYS', 'only:'],
    ['VOICEWIRE_CONNECT', 'tts.example.com'],
  ])('%s=%j is refused in one line that names it', (name, value) => {
    const read = () => readEnvironment({ [name]: value });
    expect(read).toThrow(StartError);
    expect(read).toThrow(new RegExp(`^${name}[^\\n]+$`));
  });
});
