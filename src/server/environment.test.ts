import { describe, expect, it } from 'vitest';
import { readEnvironment, StartError } from './environment.ts';
import { VENDOR_HOSTS } from './relay/targets.ts';

const SPEECH_SERVER = { VOICEWIRE_OPENAI_URL: 'http://127.0.0.1:8880/v1' };

describe('environment', () => {
  it('has the documented defaults, also for variables that are set to nothing', () => {
    const expected = {
      host: '127.0.0.1',
      port: 4173,
      logLevel: 'warn',
      keys: { keys: [], only: false },
      hosts: [],
      root: null,
      connect: [],
      captures: true,
      relays: VENDOR_HOSTS,
      engine: { first: 'espeak', takesOver: false, voicesPath: undefined, server: null },
      redis: undefined,
      limits: { sockets: 500, socketsOfOne: 400 },
      metrics: false,
      notices: [],
    };
    expect(readEnvironment({})).toEqual(expected);
    const nothing = { HOST: '', PORT: '', VOICEWIRE_KEYS: '', VOICEWIRE_CONNECT: '', VOICEWIRE_DATA: '' };
    expect(readEnvironment(nothing)).toEqual(expected);
  });
  it.each([
    ['127.0.0.1', true],
    ['::1', true],
    ['localhost', true],
    ['0.0.0.0', false],
    ['192.168.1.5', false],
  ])('bound to %s, pages may watch other clients: %s', (host, captures) => {
    expect(readEnvironment({ HOST: host }).captures).toBe(captures);
  });
  it('reads lists with spaces and empty places', () => {
    const { keys, connect } = readEnvironment({
      VOICEWIRE_KEYS: ' a,, b ',
      VOICEWIRE_CONNECT: 'wss://t.example, https://a.example/,ws://a.example:81,',
    });
    expect(keys).toEqual({ keys: ['a', 'b'], only: false });
    expect(readEnvironment({ VOICEWIRE_KEYS: 'only: a,b' }).keys).toEqual({ keys: ['a', 'b'], only: true });
    expect(connect).toEqual([
      { http: 'https://t.example', ws: 'wss://t.example' },
      { http: 'https://a.example', ws: 'wss://a.example' },
      { http: 'http://a.example:81', ws: 'ws://a.example:81' },
    ]);
  });
  it.each([
    ['ws://127.0.0.1:5000/kugel/', 'ws://127.0.0.1:5000/kugel'],
    ['http://127.0.0.1:5000/kugel', 'ws://127.0.0.1:5000/kugel'],
    ['wss://tts.example.com', 'wss://tts.example.com/'],
    ['https://tts.example.com/v', 'wss://tts.example.com/v'],
  ])('relays to the named host instead of the vendor’s: %s', (named, href) => {
    const { relays } = readEnvironment({ VOICEWIRE_RELAY_KUGEL: named, VOICEWIRE_RELAY_MURMR: '' });
    expect(relays.kugel?.href).toBe(href);
    expect(relays.murmr?.href).toBe('wss://api.murmr.dev/');
  });
  it('reads what several servers share', () => {
    const { redis, limits, metrics } = readEnvironment({
      VOICEWIRE_REDIS: 'rediss://user:password@redis.example.com:6380/1',
      VOICEWIRE_SOCKETS: '2001',
      VOICEWIRE_METRICS: 'on',
    });
    expect(redis?.host).toBe('redis.example.com:6380');
    expect(limits).toEqual({ sockets: 2001, socketsOfOne: 1601 });
    expect(metrics).toBe(true);
  });
  it('repeats no password', () => {
    const read = () => readEnvironment({ VOICEWIRE_REDIS: 'http://:secret@redis' });
    expect(read).toThrow(/^VOICEWIRE_REDIS must be(?!.*secret)/);
  });
  it('says that the data file is gone', () => {
    expect(readEnvironment({ VOICEWIRE_DATA: 'data.json' }).notices).toEqual([
      'VOICEWIRE_DATA has no effect any more: what clients create stays in memory, or in the Redis of VOICEWIRE_REDIS.',
    ]);
  });
  it.each([
    ['VOICEWIRE_REDIS', '127.0.0.1:6379'],
    ['VOICEWIRE_REDIS', 'redis://'],
    ['VOICEWIRE_REDIS', 'redis://redis/one'],
    ['VOICEWIRE_SOCKETS', '0'],
    ['VOICEWIRE_METRICS', 'yes'],
    ['VOICEWIRE_RELAY_KUGEL', 'api.example.com'],
    ['VOICEWIRE_RELAY_KUGEL', 'ftp://api.example.com'],
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
    ['VOICEWIRE_ROOT', 'nobody'],
    ['VOICEWIRE_ENGINE', 'festival'],
    ['VOICEWIRE_ENGINE', 'espeak,openai'],
    ['VOICEWIRE_OPENAI_URL', '127.0.0.1:8880'],
    ['VOICEWIRE_OPENAI_URL', 'ws://127.0.0.1:8880/v1'],
    ['VOICEWIRE_OPENAI_URL', 'https://key@tts.example.com/v1'],
    ['VOICEWIRE_OPENAI_URL', 'https://tts.example.com/v1?key=x'],
    ['VOICEWIRE_OPENAI_RATE', '23000'],
    ['VOICEWIRE_OPENAI_RATE', 'x'],
    ['VOICEWIRE_OPENAI_TIMEOUT', '0'],
    ['VOICEWIRE_OPENAI_TIMEOUT', '601'],
    ['VOICEWIRE_OPENAI_REQUESTS', '1.5'],
    ['VOICEWIRE_KEYS', 'only:'],
    ['VOICEWIRE_CONNECT', 'tts.example.com'],
    ['VOICEWIRE_CONNECT', 'ftp://a.example'],
    ['VOICEWIRE_CONNECT', 'wss://a.example/path'],
    ['VOICEWIRE_CONNECT', 'wss://u:p@a.example'],
    ['VOICEWIRE_CONNECT', 'wss://a.example?q'],
    ['VOICEWIRE_CONNECT', '*'],
  ])('%s=%j is refused in one line that names it', (name, value) => {
    const read = () => readEnvironment({ ...SPEECH_SERVER, [name]: value });
    expect(read).toThrow(StartError);
    expect(read).toThrow(new RegExp(`^${name}[^\\n]+$`));
  });

  it('reads the speech server, with the defaults of OpenAI, and needs its address', () => {
    const withoutAddress = () => readEnvironment({ VOICEWIRE_ENGINE: 'openai' });
    expect(withoutAddress).toThrow(/^VOICEWIRE_ENGINE=openai needs the address/);
    const { engine } = readEnvironment({
      ...SPEECH_SERVER,
      VOICEWIRE_ENGINE: 'openai, espeak',
      VOICEWIRE_VOICES: 'v.json',
    });
    expect(engine).toEqual({
      first: 'openai',
      takesOver: true,
      voicesPath: 'v.json',
      server: {
        url: new URL('http://127.0.0.1:8880/v1'),
        key: '',
        model: 'tts-1',
        sampleRate: 24_000,
        timeoutMs: 30_000,
        requests: 8,
      },
    });
  });

  it('a key that no header can hold is refused without being repeated', () => {
    const read = () => readEnvironment({ ...SPEECH_SERVER, VOICEWIRE_OPENAI_KEY: 'canary key' });
    expect(read).toThrow(/^VOICEWIRE_OPENAI_KEY/);
    expect(read).not.toThrow(/canary/);
  });
});
