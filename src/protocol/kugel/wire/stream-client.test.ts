import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeIssue } from '../../core/issue.ts';
import { expectation } from '../../core/settings.ts';
import { parseStreamMessage, streamConfigIssues, streamSettings } from './stream-client.ts';

const refusal = (value: unknown): string[] => {
  const parsed = parseStreamMessage(value);
  return parsed.ok ? [] : parsed.issues.map(describeIssue);
};

describe('parseStreamMessage', () => {
  it('seed: accepts the config message of the page', () => {
    const config = {
      voice_id: 1071,
      model_id: 'kugel-3',
      cfg_scale: 2.0,
      temperature: 0.4,
      sample_rate: 24000,
      normalize: true,
      language: 'en',
      word_timestamps: false,
      flush_timeout_ms: 500,
      max_buffer_length: 1000,
      chunk_length_schedule: [5, 80, 150, 250],
      auto_mode: false,
      speed: 1.0,
    };
    expect(parseStreamMessage(config)).toMatchObject({
      ok: true,
      value: { config, text: undefined, flush: false },
    });
  });

  it('1.3.5 accepts config, text and flush in one frame', () => {
    expect(parseStreamMessage({ voice_id: 'marta', text: 'Hi', flush: true })).toMatchObject({
      ok: true,
      value: { config: { voice_id: 'marta' }, text: 'Hi', flush: true },
    });
  });

  it('seed: end_session is an alias of close', () => {
    expect(parseStreamMessage({ end_session: true })).toMatchObject({ ok: true, value: { close: true } });
  });

  it('1.4 reads the old name model only where model_id is absent', () => {
    expect(parseStreamMessage({ model: 'kugel-2' })).toMatchObject({
      value: { config: { model_id: 'kugel-2' } },
    });
    expect(parseStreamMessage({ model: 'kugel-2', model_id: 'kugel-3' })).toMatchObject({
      value: { config: { model_id: 'kugel-3' } },
    });
  });

  it('1.3.4 ignores unknown fields', () => {
    const parsed = parseStreamMessage(JSON.parse('{"text":"Hi","sdk":"x","__proto__":{"flush":true}}'));
    expect(parsed).toMatchObject({ ok: true, value: { config: {}, text: 'Hi', flush: false } });
  });

  it('decision 8: clamps cfg_scale', () => {
    expect(parseStreamMessage({ cfg_scale: 9 })).toMatchObject({ value: { config: { cfg_scale: 2.5 } } });
    expect(parseStreamMessage({ cfg_scale: 0 })).toMatchObject({ value: { config: { cfg_scale: 1.2 } } });
  });

  const refused: [string, unknown, string][] = [
    ['speed above', { speed: 1.21 }, 'speed: expected a number from 0.8 to 1.2, got 1.21'],
    ['temperature', { temperature: -0.1 }, 'temperature: expected a number from 0 to 1, got -0.1'],
    [
      'max_new_tokens',
      { max_new_tokens: 2049 },
      'max_new_tokens: expected a whole number from 1 to 2048, got 2049',
    ],
    [
      'sample_rate',
      { sample_rate: 44100 },
      'sample_rate: expected one of 8000, 16000, 22050, 24000, got 44100',
    ],
    ['a wrong type', { normalize: 'yes' }, 'normalize: expected true or false, got "yes"'],
    ['text', { text: 3 }, 'text: expected a string, got 3'],
    [
      '1.9 text over the limit',
      { text: 'x'.repeat(10_001) },
      'text: expected at most 10000 characters, got 10001',
    ],
    [
      '2.3.28 an update of the voice',
      { update_settings: { voice_id: 3 } },
      'update_settings.voice_id: expected only',
    ],
    [
      'an update out of range',
      { update_settings: { speed: 2 } },
      'update_settings.speed: expected a number from 0.8',
    ],
    ['a frame that is no object', [], 'the frame: expected an object, got []'],
  ];
  it.each(refused)('decision 8 refuses %s and names the field', (_, value, sentence) => {
    expect(refusal(value).join('\n')).toContain(sentence);
  });

  it('2.3.28 refuses the whole update for one forbidden key', () => {
    expect(parseStreamMessage({ update_settings: { speed: 1.1, model_id: 'kugel-3' } }).ok).toBe(false);
  });

  it('takes null for absent where the schema of the vendor has it nullable', () => {
    const nulls = {
      voice_id: null,
      language: null,
      model_id: null,
      output_format: null,
      dictionary_ids: null,
    };
    expect(parseStreamMessage({ ...nulls, text: 'Hi', update_settings: { language: null } })).toMatchObject({
      ok: true,
      value: { config: {}, text: 'Hi', update: {} },
    });
    expect(refusal({ speed: null })).toHaveLength(1);
  });

  it('never throws for any JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const parsed = parseStreamMessage(value);
        expect(parsed.ok || parsed.issues.length > 0).toBe(true);
      }),
    );
  });
});

describe('streamConfigIssues', () => {
  const formats: [string, Record<string, unknown>, boolean][] = [
    ['codec alone', { output_format: 'ulaw_8000' }, true],
    ['agreeing', { output_format: 'pcm_16000', sample_rate: 16000 }, true],
    ['the default rate never conflicts', { output_format: 'pcm_8000', sample_rate: 24000 }, true],
    ['disagreeing', { output_format: 'pcm_8000', sample_rate: 16000 }, false],
  ];
  it.each(formats)('1.5.4 %s', (_, config, fine) => {
    expect(streamConfigIssues(config).length === 0).toBe(fine);
  });
});

describe('streamSettings', () => {
  it('describes every field of the issue, with its default or the effect of its absence', () => {
    expect(streamSettings.map((setting) => setting.field).sort()).toEqual(
      (
        'voice_id model_id cfg_scale temperature max_new_tokens sample_rate output_format normalize language ' +
        'word_timestamps speed dictionary_ids flush_timeout_ms max_buffer_length chunk_length_schedule auto_mode'
      )
        .split(' ')
        .sort(),
    );
    for (const setting of streamSettings) {
      expect(setting.fallback !== undefined || setting.absent !== undefined, setting.field).toBe(true);
      if (setting.fallback !== undefined) {
        expect(setting.schema.safeParse(setting.fallback).success, setting.field).toBe(true);
      }
      expect(expectation(setting.control)).not.toBe('');
    }
  });
});
