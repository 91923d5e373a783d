import { describe, expect, it } from 'vitest';
import { explainCloseWith } from './core/close-meaning.ts';
import type { EndpointId } from './core/endpoint.ts';
import { errorName } from './murmr/wire/errors.ts';
import { protocolOf } from './protocols.ts';
import { ENDPOINTS } from './registry.ts';

const explainClose = (id: EndpointId, code: number, reason = '') =>
  protocolOf({ id }).explainClose(code, reason);
const explainError = (id: EndpointId, name: string | null, code: number | null) =>
  protocolOf({ id }).explainError(name, code);

const MURMR: [number, string][] = [
  [1001, 'GOING_AWAY'],
  [4001, 'AUTH_TIMEOUT'],
  [4002, 'AUTH_FAILED'],
  [4003, 'INVALID_MESSAGE'],
  [4004, 'RATE_LIMITED'],
  [4005, 'SERVER_ERROR'],
];

describe('a close', () => {
  it.each<[EndpointId, number[], boolean]>([
    ['kugel-stream', [1001, 1006, 1011, 1012, 1013, 4029, 4500], true],
    ['kugel-multi', [1000, 1008, 1009, 4001, 4003, 4777], false],
    ['murmr', [1000, 1001, 1006, 4004, 4005], true],
    ['murmr', [4001, 4002, 4003], false],
  ])('of %s allows another try after %j: %s', (id, codes, mayReconnect) => {
    for (const code of codes) expect(explainClose(id, code, 'as it says').mayReconnect).toBe(mayReconnect);
  });

  it.each(MURMR)('%i of murmr is %s, and is explained', (code, name) => {
    const sentence = expect.stringMatching(/\.$/);
    expect(explainClose('murmr', code)).toMatchObject({ name, meaning: sentence, remedy: sentence });
  });

  it.each([
    [4000, 'INTERNAL_ERROR', /failed to generate/, /try again.*request id/i],
    [4001, 'UNAUTHORIZED', /does not accept this key/, /^Enter another key\.$/],
    [4003, 'INSUFFICIENT_CREDITS', /no credits left/, /Top up the account/],
    [4029, 'RATE_LIMITED', /rate limit/, /Wait a moment/],
    [4500, 'MODEL_UNAVAILABLE', /down or overloaded/, /Try again shortly/],
  ])('%i of kugel is %s, and says why and what to do', (code, name, meaning, remedy) => {
    expect(explainClose('kugel-stream', code)).toMatchObject({
      name,
      meaning: expect.stringMatching(meaning),
      remedy: expect.stringMatching(remedy),
    });
  });

  it.each<[number, string, string, boolean]>([
    [1008, 'Invalid API key', 'INVALID_KEY', false],
    [1008, 'None of the authentication methods (xi-api-key, authorization header', 'NO_KEY', false],
    [1008, 'A voice with voice_id X does not exist.', 'UNKNOWN_VOICE', false],
    [1008, 'Have not received a new text input within the timeout of 20.0 seconds.', 'IDLE', false],
    [1008, 'Maximum simultaneous contexts per WebSocket connection', 'TOO_MANY_CONTEXTS', false],
    [1008, 'This request exceeds your quota', 'NO_CREDITS', false],
    [1011, 'We are sorry, something went wrong.', 'SERVER_ERROR', true],
    [1000, '', '1000', false],
  ])('5.1 %i %s of ElevenLabs is %s by its reason', (code, reason, name, mayReconnect) => {
    for (const id of ['elevenlabs-stream', 'elevenlabs-multi'] as const) {
      const { name: found, ...meaning } = explainClose(id, code, reason);
      if (code !== 1000) expect(found).toBe(name);
      expect(meaning).toMatchObject({ mayReconnect, remedy: expect.stringMatching(/\.$/) });
    }
  });

  it.each<[string, EndpointId, number, string, string, boolean]>([
    [
      'deepgram-close-3',
      'deepgram',
      1008,
      'DATA-0000: The message is not a valid command.',
      'NO_COMMAND',
      false,
    ],
    ['deepgram-close-7', 'deepgram', 1009, 'BIG-0001', 'TEXT_TOO_LONG', false],
    ['deepgram-close-11', 'deepgram', 1011, 'NET-0003: The session is too old.', 'TOO_OLD', true],
    ['deepgram-close-13', 'deepgram', 1006, '', 'REFUSED_OR_BROKEN', true],
    ['deepgram-close-12', 'deepgram-flux', 1011, 'NET-0004', 'IDLE', false],
    ['deepgram-close-8', 'deepgram-flux', 1011, 'something else', 'SERVER_ERROR', true],
    ['cartesia-close-1', 'cartesia', 1000, 'connection idle timeout', 'IDLE', false],
    ['cartesia-close-2', 'cartesia', 1006, '', 'REFUSED_OR_BROKEN', true],
  ])('%s a close of %s with %i %s is %s', (_, id, code, reason, name, mayReconnect) => {
    const sentence = expect.stringMatching(/\.$/);
    expect(explainClose(id, code, reason)).toMatchObject({ name, mayReconnect, remedy: sentence });
  });

  it('5.1.2 a bare 1008 of ElevenLabs has none of their meanings', () => {
    expect(explainClose('elevenlabs-stream', 1008).meaning).not.toMatch(/key|voice|context|credit/i);
  });

  it('murmr has no close with 4006', () => {
    expect(explainClose('murmr', 4006).name).toBe('4006');
  });

  it('adds the reason to a general meaning', () => {
    expect(explainClose('murmr', 1001, 'new version').meaning).toMatch(/shutting down.*new version$/);
    expect(explainClose('murmr', 1001).meaning).toMatch(/shutting down\.$/);
  });

  it("puts a vendor's own meaning before the general one, without the reason, which is its name", () => {
    const own = { name: 'TEA_TIME', meaning: 'The server has tea.', remedy: 'Wait.', mayReconnect: true };
    const explain = explainCloseWith({ 1000: own, 4777: own });
    expect([explain(1000, ''), explain(4777, 'TEA_TIME')]).toEqual([own, own]);
  });

  it('repeats the reason of an undocumented code', () => {
    const meaning = 'out of tea';
    expect(explainClose('kugel-stream', 4999, meaning)).toMatchObject({ name: '4999', meaning });
    expect(explainClose('kugel-stream', 4999).meaning).not.toBe('');
    expect(explainClose('kugel-stream', Number.NaN).name).toBe('NaN');
  });
});

describe.each(ENDPOINTS)('$id', (endpoint) => {
  const { explainClose, explainError, failures, open } = protocolOf(endpoint);
  it.each(failures.errors)('explains its error %s, and the close behind it', (error) => {
    const context = endpoint.contexts && 'a';
    const { frame, close } = failures.error(error, context);
    const read = open({ settings: {}, key: '' }).decode(JSON.stringify(frame));
    const remedies = read.flatMap((event) =>
      event.type === 'error' ? [explainError(event.name, event.code)] : [],
    );
    expect(remedies).toEqual([expect.stringMatching(/\.$/)]);
    if (!close) return;
    const { name, remedy } = explainClose(close.code, close.reason);
    expect(name).toMatch(/^[A-Za-z][\w ]*$/);
    expect(remedy).toMatch(/\.$/);
  });
});

describe('an error', () => {
  type Case = [
    title: string,
    id: EndpointId,
    name: string | null,
    code: number | null,
    remedy: RegExp | null,
  ];

  it.each<Case>([
    ['of a refused field', 'kugel-stream', 'VALIDATION_ERROR', 400, /Correct the named field in Set-up/],
    ['of a missing voice', 'kugel-stream', 'MISSING_VOICE_ID', null, /^Choose a voice in Set-up/],
    ['of a wrong key', 'kugel-stream', 'UNAUTHORIZED', 401, /^Enter another key in Set-up/],
    ['of an empty account', 'kugel-stream', 'INSUFFICIENT_CREDITS', 402, /^Top up the account/],
    ['of an unknown id', 'kugel-stream', 'NOT_FOUND', 404, /^Choose a voice or dictionary/],
    ['of a rate limit', 'kugel-stream', 'RATE_LIMITED', 429, /^Wait a moment before the next turn/],
    ['of a failed turn', 'kugel-stream', 'INTERNAL_ERROR', 500, /^Speak again/],
    ['of a busy model', 'kugel-stream', 'MODEL_UNAVAILABLE', 503, /^Try again shortly/],
    ['of an unknown name', 'kugel-stream', 'SOMETHING_NEW', null, null],
    ["with a name of JavaScript's own", 'kugel-stream', 'constructor', null, null],
    ['without a name', 'kugel-stream', null, 400, null],
    ['of too many contexts', 'kugel-multi', 'TOO_MANY_CONTEXTS', 429, /Close a context/],
    ['5.1 of a wrong key', 'elevenlabs-stream', 'invalid_api_key', 1008, /^Enter another key/],
    ['5.1 of a sixth context', 'elevenlabs-multi', 'max_active_conversations', 1008, /^Close one/],
    ['5.1.1 of a final without audio', 'elevenlabs-multi', 'final_without_audio', null, /credits/],
    ['of a silent client', 'deepgram-flux', 'NET-0004', null, /^Speak opens/],
    ['of too many contexts', 'cartesia', 'concurrency_limited', 429, /^Speak again in a moment/],
    ['of a status alone', 'cartesia', null, 402, /^Top up the account/],
    ['of a status with many reasons', 'cartesia', null, 400, null],
    ['of an unknown name', 'elevenlabs-multi', 'something_new', 1008, null],
    ['of 4004, with the limits that it may be about', 'murmr', null, 4004, /100 generations a minute/],
    ['of 4006', 'murmr', null, 4006, /slot/],
    ...[null, 0, 4000, 4999, Number.NaN].map((code) => [`of ${code}`, 'murmr', null, code, null] as Case),
  ])('%s of %s has its remedy, if any', (_, id, name, code, remedy) => {
    const explained = explainError(id, name, code);
    if (remedy) expect(explained).toMatch(remedy);
    else expect(explained).toBeNull();
  });

  it.each<[number | null, string | null]>([
    ...MURMR.slice(1),
    [4006, 'ALL_SLOTS_OCCUPIED'],
    [null, null],
    [0, null],
    [4999, null],
    [Number.NaN, null],
  ])('%s of murmr is named %s', (code, name) => {
    expect(errorName(code)).toBe(name);
  });
});
