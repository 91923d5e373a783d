import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Endpoint, Intent, Settings } from '../../core/endpoint.ts';
import { protocolOf } from '../../protocols.ts';
import { kugelEndpoints, kugelStream } from '../endpoints.ts';
import { parseMultiMessage } from './multi-client.ts';

const { 'kugel-multi': kugelMulti } = kugelEndpoints;

/** The frames of these intents on one new connection, one list an intent. */
const sent = (endpoint: Endpoint, ...intents: Intent[]): unknown[][] => {
  const wire = protocolOf(endpoint).open({ settings: {}, key: '' });
  return intents.map((intent) => wire.encode(intent).map((frame) => JSON.parse(String(frame)) as unknown));
};

const lastOf = (...intents: Intent[]): unknown => sent(kugelMulti, ...intents).at(-1)?.[0];

const open = (settings: Settings): Intent => ({ kind: 'open', settings });
const create = (context: string, settings: Settings): Intent => ({ kind: 'openContext', context, settings });
const update = (settings: Settings): Intent => ({ kind: 'update', settings });

it.each<[string, Intent, object[]]>([
  ['config', open({ voice_id: 1071, speed: 1 }), [{ voice_id: 1071, speed: 1 }]],
  ['text', { kind: 'say', context: '', text: 'a "b"' }, [{ text: 'a "b"' }]],
  ['flush', { kind: 'flush', context: '' }, [{ flush: true }]],
  ['close', { kind: 'endTurn', context: '' }, [{ close: true }]],
  ['cancel', { kind: 'cancel', context: '' }, [{ cancel: true }]],
  ['close_socket', { kind: 'disconnect' }, [{ close_socket: true }]],
  [
    'update_settings, of its six keys only',
    update({ speed: 1.1, voice_id: 7 }),
    [{ update_settings: { speed: 1.1 } }],
  ],
  ['no keep-alive', { kind: 'keepAlive', context: '' }, []],
  ['no context', create('a', {}), []],
  ['no end of a context', { kind: 'closeContext', context: 'a', immediate: true }, []],
])('kugel-stream sends %s', (_, intent, frames) => {
  expect(sent(kugelStream, intent)).toEqual([frames]);
});

describe('kugel-multi', () => {
  const table: [string, Intent, object][] = [
    [
      'initialize context with voice',
      create('a', { voice_id: 1071 }),
      { text: ' ', context_id: 'a', voice_settings: { voice_id: 1071 } },
    ],
    ['a context without settings', create('a', {}), { text: ' ', context_id: 'a' }],
    ['text', { kind: 'say', context: 'a', text: 'Hello' }, { text: 'Hello', context_id: 'a' }],
    [
      'text that opens its context',
      { kind: 'say', context: 'a', text: 'Hello', opens: { voice_id: 1071, cfg_scale: 2, speed: 1.1 } },
      { text: 'Hello', context_id: 'a', speed: 1.1, voice_settings: { voice_id: 1071, cfg_scale: 2 } },
    ],
    ['flush', { kind: 'flush', context: 'a' }, { flush: true, context_id: 'a' }],
    ['a flush at the end of a turn', { kind: 'endTurn', context: 'a' }, { flush: true, context_id: 'a' }],
    ['keep-alive', { kind: 'keepAlive', context: 'a' }, { text: '', context_id: 'a' }],
    [
      'close',
      { kind: 'closeContext', context: 'a', immediate: false },
      { close_context: true, context_id: 'a' },
    ],
    [
      'close now',
      { kind: 'closeContext', context: 'a', immediate: true },
      { close_context: true, context_id: 'a', immediate: true },
    ],
    ['cancel of one', { kind: 'cancel', context: 'a' }, { cancel: true, context_id: 'a' }],
    ['cancel of all', { kind: 'cancel', context: null }, { cancel: true }],
    ['update_settings', update({ speed: 1.1, voice_id: 7 }), { update_settings: { speed: 1.1 } }],
    ['close socket', { kind: 'disconnect' }, { close_socket: true }],
  ];
  it.each(table)('sends %s', (_, intent, frame) => {
    expect(sent(kugelMulti, intent)).toEqual([[frame]]);
  });

  it('sends session-level settings with every creation, and changed ones once with the next text', () => {
    const session = { language: 'en', word_timestamps: true };
    const say: Intent = { kind: 'say', context: 'a', text: 'x' };
    const intents = [
      open(session),
      create('a', { voice_id: 1 }),
      create('b', {}),
      say,
      open({ language: 'de' }),
      say,
      say,
    ];
    expect(sent(kugelMulti, ...intents, open({ language: 'de' }), say)).toEqual([
      [],
      [{ text: ' ', context_id: 'a', ...session, voice_settings: { voice_id: 1 } }],
      [{ text: ' ', context_id: 'b', ...session }],
      [{ text: 'x', context_id: 'a' }],
      [],
      [{ text: 'x', context_id: 'a', language: 'de' }],
      [{ text: 'x', context_id: 'a' }],
      [],
      [{ text: 'x', context_id: 'a' }],
    ]);
  });

  it.each<[string, Intent[], object]>([
    [
      'resets the session-wide delivery of one context for the next',
      [create('a', { speed: 1.2, temperature: 0.9 }), create('b', { temperature: 0.1 })],
      { speed: 1, temperature: 0.1 },
    ],
    [
      'applies an update to later contexts without their own value',
      [create('a', { speed: 1.2 }), update({ speed: 0.9 }), create('b', {})],
      {},
    ],
    [
      'never replaces the keys of a frame by settings',
      [open({ text: 'boo', context_id: 'z' }), create('b', {})],
      {},
    ],
  ])('%s', (_, intents, settings) => {
    expect(lastOf(...intents)).toEqual({ text: ' ', context_id: 'b', ...settings });
  });

  it('keeps the state of connections apart', () => {
    protocolOf(kugelMulti)
      .open({ settings: {}, key: '' })
      .encode(create('a', { speed: 1.2 }));
    expect(lastOf(create('b', {}))).toEqual({ text: ' ', context_id: 'b' });
  });

  it('round trip: the server reads the sent settings unchanged', () => {
    const optional = { requiredKeys: [] };
    const session = fc.record(
      {
        language: fc.constantFrom('en', 'de'),
        word_timestamps: fc.boolean(),
        dictionary_ids: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
        project_id: fc.constant(1),
        sample_rate: fc.constantFrom(8000, 24_000),
      },
      optional,
    );
    const voice = fc.record(
      {
        voice_id: fc.oneof(fc.nat(2000), fc.constant('marta')),
        cfg_scale: fc.double({ min: 1.2, max: 2.5, noNaN: true }),
        max_new_tokens: fc.integer({ min: 1, max: 2048 }),
      },
      optional,
    );
    const delivery = fc.record(
      {
        speed: fc.double({ min: 0.8, max: 1.2, noNaN: true }),
        temperature: fc.double({ min: 0, max: 1, noNaN: true }),
      },
      optional,
    );
    const id = fc.string({ minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(session, voice, delivery, id, fc.string(), (settings, ofVoice, own, context, text) => {
        const frame = lastOf(open(settings), { kind: 'say', context, text, opens: { ...ofVoice, ...own } });
        const sentVoice = Object.keys(ofVoice).length > 0 ? ofVoice : undefined;
        expect(parseMultiMessage(Object(frame))).toMatchObject({
          ok: true,
          value: { contextId: context, text, session: settings, defaults: own, voice: sentVoice },
        });
      }),
    );
  });
});
