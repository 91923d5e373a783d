import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeIssue } from '../../core/issue.ts';
import type { Fields } from '../../core/json-frame.ts';
import { expectation } from '../../core/settings.ts';
import { protocolOf } from '../../protocols.ts';
import { kugelEndpoints, kugelStream } from '../endpoints.ts';
import { parseMultiMessage } from './multi-client.ts';
import { parseStreamMessage } from './stream-client.ts';

const { 'kugel-multi': kugelMulti, 'kugel-tts': kugelTts } = kugelEndpoints;

const NO_UPDATE = 'update_settings.voice_id: expected only cfg_scale, temperature, speed';

/** Frames that both endpoints refuse, and the beginning of the issue. */
const REFUSED: [string, unknown, string][] = [
  ['a speed above', { speed: 1.21 }, 'speed: expected a number from 0.8 to 1.2, got 1.21'],
  ['a speed of null', { speed: null }, 'speed: expected a number from 0.8 to 1.2, got null'],
  ['temperature', { temperature: -0.1 }, 'temperature: expected a number from 0 to 1, got -0.1'],
  [
    'max_new_tokens',
    { max_new_tokens: 2049 },
    'max_new_tokens: expected a whole number from 1 to 2048, got 2049',
  ],
  [
    'sample_rate',
    { sample_rate: 44_100 },
    'sample_rate: expected one of 8000, 16000, 22050, 24000, got 44100',
  ],
  ['a wrong type', { normalize: 'yes' }, 'normalize: expected true or false, got "yes"'],
  ['text that is none', { text: 3 }, 'text: expected a string, got 3'],
  ['text over the limit', { text: 'x'.repeat(10_001) }, 'text: expected at most 10000 characters, got 10001'],
  ['an update of the voice', { update_settings: { voice_id: 3 } }, NO_UPDATE],
  ['a whole update for one key', { update_settings: { speed: 1.1, voice_id: 3 } }, NO_UPDATE],
  [
    'an update out of range',
    { update_settings: { speed: 2 } },
    'update_settings.speed: expected a number from 0.8',
  ],
];

const FORMATS: [string, Record<string, unknown>, boolean][] = [
  ['accepts a codec alone', { output_format: 'ulaw_8000' }, true],
  ['accepts agreement', { output_format: 'pcm_16000', sample_rate: 16_000 }, true],
  ['accepts the default rate with any codec', { output_format: 'pcm_8000', sample_rate: 24_000 }, true],
  ['refuses a conflict', { output_format: 'pcm_8000', sample_rate: 16_000 }, false],
];

describe.each([
  { endpoint: kugelStream, parse: parseStreamMessage },
  { endpoint: kugelMulti, parse: parseMultiMessage },
])('$endpoint.id', ({ endpoint, parse }) => {
  const issuesOf = (frame: Fields): string[] => {
    const parsed = parse(frame);
    return parsed.ok ? [] : parsed.issues.map(describeIssue);
  };

  it.each(REFUSED)('refuses %s and names the field', (_, frame, sentence) => {
    const [first = ''] = issuesOf({ context_id: 'a', ...(frame as object) });
    expect(first.slice(0, sentence.length)).toBe(sentence);
  });

  it('accepts text of 10,000 characters', () => {
    expect(issuesOf({ context_id: 'a', text: 'x'.repeat(10_000) })).toEqual([]);
  });

  it('ignores unknown fields', () => {
    const frame = JSON.parse('{"text":"Hi","context_id":"a","sdk":"x","__proto__":{"flush":true}}');
    expect(parse(frame)).toMatchObject({ ok: true, value: { text: 'Hi', flush: false } });
  });

  it('never throws for any fields', () => {
    const names = 'text context_id voice_settings update_settings flush close_context cancel __proto__';
    const frame = fc.dictionary(fc.constantFrom(...names.split(' ')), fc.jsonValue());
    fc.assert(
      fc.property(frame, (fields) => {
        const parsed = parse(fields);
        expect(parsed.ok || parsed.issues.length > 0).toBe(true);
      }),
    );
  });

  it.each(FORMATS)('%s', (_, settings, isFine) => {
    expect(endpoint.checkSettings(settings)).toHaveLength(isFine ? 0 : 1);
    expect(protocolOf(endpoint).checkFrame(JSON.stringify(settings))).toHaveLength(isFine ? 0 : 1);
  });

  it('checks settings by the rules of the wire', () => {
    expect(endpoint.checkSettings({ language: 'xx' })).toHaveLength(1);
    expect(endpoint.contexts?.checkSettings({ voice_id: 1071, speed: 1.1 }) ?? []).toEqual([]);
    const checkDelivery = endpoint.contexts?.checkSettings ?? endpoint.checkSettings;
    expect(checkDelivery({ temperature: 2 })).toMatchObject([{ path: 'temperature' }]);
    expect(endpoint.checkSettings(endpoint.initialSettings)).toEqual([]);
  });

  it('describes every setting, with its default or the effect of its absence', () => {
    for (const setting of [...endpoint.settings, ...(endpoint.contexts?.settings ?? [])]) {
      const { explanation, fallback, absent, field, schema, control } = setting;
      expect(explanation, field).not.toBe('');
      expect(fallback !== undefined || absent !== undefined, field).toBe(true);
      if (fallback !== undefined) expect(schema.safeParse(fallback).success, field).toBe(true);
      expect(expectation(control)).not.toBe('');
    }
  });
});

const fieldsOf = (settings: readonly { field: string }[] = []): string =>
  settings.map(({ field }) => field).join(' ');

it.each([kugelStream, kugelMulti, kugelTts])('$id needs the project of chosen dictionaries', (endpoint) => {
  expect(endpoint.checkSettings({ dictionary_ids: [3] })).toMatchObject([{ path: 'dictionary_ids' }]);
  expect(endpoint.checkSettings({ dictionary_ids: [3], project_id: 2 })).toEqual([]);
});

it('splits the settings between the connection and its contexts', () => {
  expect(fieldsOf(kugelMulti.settings)).toBe(
    'model_id sample_rate output_format normalize language word_timestamps dictionary_ids project_id',
  );
  expect(fieldsOf(kugelMulti.contexts?.settings)).toBe('voice_id cfg_scale max_new_tokens speed temperature');
  expect(fieldsOf(kugelStream.settings).split(' ').sort().join(' ')).toBe(
    'auto_mode cfg_scale chunk_length_schedule dictionary_ids flush_timeout_ms language max_buffer_length ' +
      'max_new_tokens model_id normalize output_format project_id sample_rate speed temperature voice_id ' +
      'word_timestamps',
  );
});

describe('parseStreamMessage', () => {
  const NOTHING = {
    config: {},
    text: undefined,
    flush: false,
    close: false,
    closeSocket: false,
    cancel: false,
    update: undefined,
  };
  const CONFIG = {
    voice_id: 1071,
    model_id: 'kugel-3',
    cfg_scale: 2.0,
    temperature: 0.4,
    sample_rate: 24_000,
    normalize: true,
    language: 'en',
    word_timestamps: false,
    flush_timeout_ms: 500,
    max_buffer_length: 1000,
    chunk_length_schedule: [5, 80, 150, 250],
    auto_mode: false,
    speed: 1.0,
  };
  const nulls = { voice_id: null, language: null, model_id: null, output_format: null, dictionary_ids: null };

  it.each<[string, object, object]>([
    ['the config message of the page', CONFIG, { config: CONFIG }],
    [
      'config, text and flush in one frame',
      { voice_id: 'marta', text: 'Hi', flush: true },
      { config: { voice_id: 'marta' }, text: 'Hi', flush: true },
    ],
    ['close', { close: true }, { close: true }],
    ['end_session, an alias of close', { end_session: true }, { close: true }],
    ['cancel and close_socket', { cancel: true, close_socket: true }, { cancel: true, closeSocket: true }],
    ['the old name model', { model: 'kugel-2' }, { config: { model_id: 'kugel-2' } }],
    ['model_id before model', { model: 'kugel-2', model_id: 'kugel-3' }, { config: { model_id: 'kugel-3' } }],
    ['cfg_scale, clamped from above', { cfg_scale: 9 }, { config: { cfg_scale: 2.5 } }],
    ['cfg_scale, clamped from below', { cfg_scale: 0 }, { config: { cfg_scale: 1.2 } }],
    [
      'null for absent where the vendor does',
      { ...nulls, update_settings: { language: null } },
      { update: {} },
    ],
  ])('reads %s', (_, frame, message) => {
    expect(parseStreamMessage({ ...frame })).toEqual({ ok: true, value: { ...NOTHING, ...message } });
  });
});

describe('parseMultiMessage', () => {
  const NOTHING = {
    contextId: undefined,
    text: undefined,
    session: {},
    defaults: {},
    voice: undefined,
    inactivityTimeoutMs: undefined,
    flush: false,
    closeContext: false,
    cancel: false,
    closeSocket: false,
    update: undefined,
  };

  it.each<[string, object, object]>([
    [
      'initialize context with voice',
      { text: ' ', context_id: 'a', voice_settings: { voice_id: 1071 } },
      { text: ' ', contextId: 'a', voice: { voice_id: 1071 } },
    ],
    ['text', { text: 'Hello', context_id: 'a' }, { text: 'Hello', contextId: 'a' }],
    [
      'text and flush',
      { text: '…', context_id: 'a', flush: true },
      { text: '…', contextId: 'a', flush: true },
    ],
    ['keep-alive', { text: '', context_id: 'a' }, { text: '', contextId: 'a' }],
    ['close context', { close_context: true, context_id: 'a' }, { contextId: 'a', closeContext: 'graceful' }],
    [
      'close context now',
      { close_context: true, context_id: 'a', immediate: true },
      { contextId: 'a', closeContext: 'now' },
    ],
    ['close socket', { close_socket: true }, { closeSocket: true }],
    ['cancel of one', { cancel: true, context_id: 'a' }, { cancel: true, contextId: 'a' }],
    ['cancel of all', { cancel: true }, { cancel: true }],
    [
      'session-level fields at the top level',
      {
        context_id: 'a',
        text: 'Hi',
        output_format: 'ulaw_8000',
        voice_settings: { voice_id: 1, cfg_scale: 2 },
      },
      {
        contextId: 'a',
        text: 'Hi',
        session: { output_format: 'ulaw_8000' },
        voice: { voice_id: 1, cfg_scale: 2 },
      },
    ],
    [
      'session-level fields inside voice_settings',
      { voice_settings: { voice_id: 1, output_format: 'ulaw_8000', sample_rate: 8000, language: 'de' } },
      { session: { output_format: 'ulaw_8000', sample_rate: 8000, language: 'de' }, voice: { voice_id: 1 } },
    ],
    [
      'the top level before voice_settings',
      { language: 'en', voice_settings: { language: 'de', normalize: false } },
      { session: { language: 'en', normalize: false }, voice: {} },
    ],
    [
      'no speed and temperature inside voice_settings, with any value',
      { voice_settings: { speed: 99, temperature: 'hot', stability: 0.5 } },
      { voice: {} },
    ],
    [
      'defaults of the connection at the top level',
      { speed: 1.1, temperature: 0.2, cfg_scale: 1.5, max_new_tokens: 100 },
      { defaults: { speed: 1.1, temperature: 0.2, cfg_scale: 1.5, max_new_tokens: 100 } },
    ],
    [
      'a first frame without context_id',
      { text: '', voice_id: 1071, model_id: 'kugel-3' },
      { text: '', session: { model_id: 'kugel-3' }, defaults: { voice_id: 1071 } },
    ],
    ['inactivity_timeout', { inactivity_timeout: 20.0 }, { inactivityTimeoutMs: 20_000 }],
    [
      'inactivity_timeout inside voice_settings',
      { voice_settings: { inactivity_timeout: 180 } },
      { inactivityTimeoutMs: 180_000, voice: {} },
    ],
    ['the old name of the model', { model: 'kugel-2' }, { session: { model_id: 'kugel-2' } }],
    ['update_settings', { update_settings: { speed: 1.1, x: 1 } }, { update: { speed: 1.1 } }],
    ['cfg_scale, clamped', { voice_settings: { cfg_scale: 9 } }, { voice: { cfg_scale: 2.5 } }],
    [
      'null for absent where the vendor does',
      { language: null, voice_settings: { voice_id: null } },
      { voice: {} },
    ],
    ['immediate without a close', { flush: false, immediate: true }, {}],
  ])('reads %s', (_, frame, message) => {
    expect(parseMultiMessage({ ...frame })).toEqual({ ok: true, value: { ...NOTHING, ...message } });
  });

  it.each<[string, object, string]>([
    ['text without a context', { text: 'Hi' }, 'context_id: expected the id of a context to go with text'],
    ['an initialiser without a context', { text: ' ' }, 'context_id: expected'],
    ['flush without a context', { flush: true }, 'to go with flush, got nothing'],
    ['close_context without a context', { close_context: true }, 'to go with close_context, got nothing'],
    ['an empty id', { text: 'a', context_id: '' }, 'context_id: expected at least 1 characters'],
    ['a long id', { text: 'a', context_id: 'x'.repeat(257) }, 'context_id: expected at most 256 characters'],
    ['an id that is a number', { text: 'a', context_id: 7 }, 'context_id: expected a string, got 7'],
    ['inactivity_timeout', { inactivity_timeout: 181 }, 'inactivity_timeout: expected at most 180, got 181'],
    [
      'a nested field',
      { voice_settings: { max_new_tokens: 0 } },
      'voice_settings.max_new_tokens: expected a whole',
    ],
    ['voice_settings that are none', { voice_settings: 'x' }, 'voice_settings: expected'],
  ])('refuses %s and says what was expected', (_, frame, sentence) => {
    const issues = protocolOf(kugelMulti).checkFrame(JSON.stringify(frame)).map(describeIssue);
    expect(issues.join('\n')).toContain(sentence);
  });
});
