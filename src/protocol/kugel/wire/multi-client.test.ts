import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeIssue } from '../../core/issue.ts';
import {
  contextSettingIssues,
  contextSettings,
  parseMultiMessage,
  sessionSettingIssues,
  sessionSettings,
} from './multi-client.ts';

const refusal = (value: unknown): string => {
  const parsed = parseMultiMessage(value);
  return parsed.ok ? '' : parsed.issues.map(describeIssue).join('\n');
};

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

describe('parseMultiMessage', () => {
  const frames: [string, unknown, object][] = [
    [
      'seed: initialize context with voice',
      { text: ' ', context_id: 'ctx1', voice_settings: { voice_id: 1071 } },
      { text: ' ', contextId: 'ctx1', voice: { voice_id: 1071 } },
    ],
    ['seed: text', { text: 'Hello', context_id: 'ctx1' }, { text: 'Hello', contextId: 'ctx1' }],
    [
      'seed: text and flush',
      { text: '...', context_id: 'ctx1', flush: true },
      { text: '...', contextId: 'ctx1', flush: true },
    ],
    ['seed: flush', { flush: true, context_id: 'ctx1' }, { contextId: 'ctx1', flush: true }],
    ['seed: keep-alive', { text: '', context_id: 'ctx1' }, { text: '', contextId: 'ctx1' }],
    [
      'seed: close context',
      { close_context: true, context_id: 'ctx1' },
      { contextId: 'ctx1', closeContext: 'graceful' },
    ],
    [
      'seed: close context now',
      { close_context: true, context_id: 'ctx1', immediate: true },
      { contextId: 'ctx1', closeContext: 'now' },
    ],
    ['seed: close socket', { close_socket: true }, { closeSocket: true }],
    ['3.3.22 cancel of one', { cancel: true, context_id: 'a' }, { cancel: true, contextId: 'a' }],
    ['3.3.22 cancel of all', { cancel: true }, { cancel: true }],
    [
      'seed: session-level fields at the top level',
      {
        context_id: 'call-42',
        text: 'Hello, how can I help you today?',
        output_format: 'ulaw_8000',
        voice_settings: { voice_id: 1071, cfg_scale: 2.0 },
      },
      {
        contextId: 'call-42',
        text: 'Hello, how can I help you today?',
        session: { output_format: 'ulaw_8000' },
        voice: { voice_id: 1071, cfg_scale: 2 },
      },
    ],
    [
      'seed: session-level fields inside voice_settings',
      {
        context_id: 'a',
        voice_settings: { voice_id: 1, output_format: 'ulaw_8000', sample_rate: 8000, language: 'de' },
      },
      {
        contextId: 'a',
        session: { output_format: 'ulaw_8000', sample_rate: 8000, language: 'de' },
        voice: { voice_id: 1 },
      },
    ],
    [
      'the top level counts where both places have a field',
      { language: 'en', voice_settings: { language: 'de', normalize: false } },
      { session: { language: 'en', normalize: false }, voice: {} },
    ],
    [
      '3.1 speed and temperature inside voice_settings are dropped, whatever they are',
      { context_id: 'a', text: ' ', voice_settings: { speed: 99, temperature: 'hot', stability: 0.5 } },
      { contextId: 'a', text: ' ', voice: {} },
    ],
    [
      '3.1 at the top level they are defaults of the connection, as are cfg_scale and max_new_tokens',
      { speed: 1.1, temperature: 0.2, cfg_scale: 1.5, max_new_tokens: 100 },
      { defaults: { speed: 1.1, temperature: 0.2, cfg_scale: 1.5, max_new_tokens: 100 } },
    ],
    [
      '3.3.21 a first frame without context_id',
      { text: '', voice_id: 1071, model_id: 'kugel-3' },
      { text: '', session: { model_id: 'kugel-3' }, defaults: { voice_id: 1071 } },
    ],
    ['decision 2 (21): inactivity_timeout', { inactivity_timeout: 20.0 }, { inactivityTimeoutMs: 20_000 }],
    [
      'decision 2 (21): inactivity_timeout inside voice_settings',
      { voice_settings: { inactivity_timeout: 180 } },
      { inactivityTimeoutMs: 180_000, voice: {} },
    ],
    ['1.4 the old name of the model', { model: 'kugel-2' }, { session: { model_id: 'kugel-2' } }],
    ['2.1 update_settings', { update_settings: { speed: 1.1, x: 1 } }, { update: { speed: 1.1 } }],
    ['decision 8: clamps cfg_scale', { voice_settings: { cfg_scale: 9 } }, { voice: { cfg_scale: 2.5 } }],
    ['1.3.4 unknown fields are ignored', { sdk: 'x', flush: false, immediate: true }, {}],
  ];
  it.each(frames)('%s', (_, frame, message) => {
    expect(parseMultiMessage(frame)).toEqual({ ok: true, value: { ...NOTHING, ...message } });
  });

  const refused: [string, unknown, string][] = [
    ['text without a context', { text: 'Hello' }, 'context_id: expected the id of a context to go with text'],
    ['an initialiser without a context', { text: ' ' }, 'context_id: expected'],
    ['flush without a context', { flush: true }, 'to go with flush, got nothing'],
    ['close_context without a context', { close_context: true }, 'to go with close_context, got nothing'],
    ['an empty id', { text: 'a', context_id: '' }, 'context_id: expected at least 1 characters'],
    ['a long id', { text: 'a', context_id: 'x'.repeat(257) }, 'context_id: expected at most 256 characters'],
    ['an id that is a number', { text: 'a', context_id: 7 }, 'context_id: expected a string, got 7'],
    ['inactivity_timeout', { inactivity_timeout: 181 }, 'inactivity_timeout: expected at most 180, got 181'],
    ['speed', { speed: 3 }, 'speed: expected a number from 0.8 to 1.2, got 3'],
    [
      'a nested field, by its whole path',
      { voice_settings: { max_new_tokens: 0 } },
      'voice_settings.max_new_tokens: expected a whole number from 1 to 2048, got 0',
    ],
    ['voice_settings that are none', { voice_settings: 'x' }, 'voice_settings: expected'],
    ['1.9 text over the limit', { context_id: 'a', text: 'x'.repeat(10_001) }, 'at most 10000 characters'],
    ['2.3.28 an update of the voice', { update_settings: { voice_id: 3 } }, 'update_settings.voice_id'],
    ['a frame that is no object', [], 'the frame: expected an object, got []'],
  ];
  it.each(refused)('decision 8 refuses %s and says what was expected', (_, frame, sentence) => {
    expect(refusal(frame)).toContain(sentence);
  });

  it('takes null for absent where the schema of the vendor has it nullable', () => {
    expect(
      parseMultiMessage({ context_id: 'a', text: ' ', language: null, voice_settings: { voice_id: null } }),
    ).toMatchObject({ ok: true, value: { session: {}, voice: {} } });
  });

  it('never throws for any value', () => {
    const frame = fc.dictionary(
      fc.constantFrom(
        'text',
        'context_id',
        'voice_settings',
        'flush',
        'close_context',
        'cancel',
        '__proto__',
      ),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), frame), (value) => {
        const parsed = parseMultiMessage(value);
        expect(parsed.ok || parsed.issues.length > 0).toBe(true);
      }),
    );
  });
});

describe('settings', () => {
  it('are those of the seed, split between the connection and its contexts', () => {
    expect(sessionSettings.map((setting) => setting.field)).toEqual([
      'model_id',
      'sample_rate',
      'output_format',
      'normalize',
      'language',
      'word_timestamps',
      'dictionary_ids',
    ]);
    expect(contextSettings.map((setting) => setting.field)).toEqual([
      'voice_id',
      'cfg_scale',
      'max_new_tokens',
      'speed',
      'temperature',
    ]);
    for (const { explanation, fallback, absent, field } of [...sessionSettings, ...contextSettings]) {
      expect(explanation, field).not.toBe('');
      expect(fallback !== undefined || absent !== undefined, field).toBe(true);
    }
  });

  it('are checked by the same rules as the wire', () => {
    expect(sessionSettingIssues({ language: 'en', output_format: 'pcm_8000', sample_rate: 24_000 })).toEqual(
      [],
    );
    expect(sessionSettingIssues({ output_format: 'pcm_8000', sample_rate: 16_000 })).toHaveLength(1);
    expect(sessionSettingIssues({ language: 'xx' })).toHaveLength(1);
    expect(contextSettingIssues({ voice_id: 1071, speed: 1.1 })).toEqual([]);
    expect(contextSettingIssues({ temperature: 2 })[0]).toMatchObject({ path: 'temperature' });
  });
});
