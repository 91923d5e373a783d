import { describe, expect, it } from 'vitest';
import { describeIssue } from '../../core/issue.ts';
import { parseRequest, parseSpeech } from './client-frames.ts';
import { LATEST_VERSION, type Version } from './settings.ts';

const VOICE = 'f786b574-daa5-4673-aa0c-cbe3e8534c02';
const OLD: Version = '2025-04-16';
const OLDEST: Version = '2024-11-13';

const body = (fields: object = {}) => ({
  model_id: 'sonic-3.5',
  transcript: 'Hi.',
  voice: { mode: 'id', id: VOICE },
  output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 24_000 },
  context_id: 'c1',
  ...fields,
});

const issues = (fields: object, version: Version | null = LATEST_VERSION): string[] => {
  const parsed = parseRequest(body(fields), version);
  return parsed.ok ? [] : parsed.issues.map(describeIssue);
};

describe('a request', () => {
  it('has its settings flat, without nulls', () => {
    const fields = {
      language: null,
      continue: true,
      generation_config: { speed: 0.9, emotion: 'calm' },
      duration: 3,
    };
    expect(parseRequest(body({ ...fields, max_buffer_delay_ms: 0, something_new: 1 }), OLD)).toEqual({
      ok: true,
      value: {
        kind: 'generation',
        context: 'c1',
        continues: true,
        flush: false,
        transcript: 'Hi.',
        container: 'raw',
        bitRate: null,
        settings: {
          model_id: 'sonic-3.5',
          max_buffer_delay_ms: 0,
          speed: 0.9,
          emotion: 'calm',
          voice: VOICE,
          encoding: 'pcm_s16le',
          sample_rate: 24_000,
        },
      },
    });
  });

  it('is a cancel by its field', () => {
    expect(parseRequest({ context_id: 'c1', cancel: true }, OLD)).toEqual({
      ok: true,
      value: { kind: 'cancel', context: 'c1' },
    });
    expect(parseRequest({ cancel: true }, OLD).ok).toBe(false);
  });

  it.each<[string, unknown, readonly Version[], readonly Version[]]>([
    ['an id', VOICE, [LATEST_VERSION], ['2026-03-01', OLD, OLDEST]],
    ['an object with an id', { id: VOICE }, [LATEST_VERSION], ['2026-03-01', OLD, OLDEST]],
    ['an id with its mode', { mode: 'id', id: VOICE }, [LATEST_VERSION, '2026-03-01', OLD, OLDEST], []],
    [
      'an embedding',
      { mode: 'embedding', embedding: Array(192).fill(0) },
      [OLDEST, '2024-06-10'],
      [LATEST_VERSION, OLD],
    ],
    ['a short embedding', { mode: 'embedding', embedding: [0] }, [], [OLDEST]],
    ['nothing', undefined, [], [LATEST_VERSION, OLD]],
  ])('cartesia-message-3 takes %s by its version', (_, voice, taken, refused) => {
    for (const version of taken) expect(issues({ voice }, version)).toEqual([]);
    for (const version of refused)
      expect(issues({ voice }, version)).toEqual([expect.stringMatching(/^voice: /)]);
    expect(issues({ voice }, null).length).toBe(taken.length > 0 ? 0 : 1);
  });

  it.each<[string, object, Version | null, string[]]>([
    ['cartesia-context-11 no context', { context_id: undefined }, OLD, []],
    [
      'cartesia-message-5 no context',
      { context_id: undefined },
      '2026-03-01',
      ['context_id: expected the id of a context, got nothing'],
    ],
    ['cartesia-message-8 a delay of 5 s', { max_buffer_delay_ms: 5000 }, '2026-03-01', []],
    [
      'cartesia-message-8 a delay of 5 s',
      { max_buffer_delay_ms: 5000 },
      OLD,
      ['max_buffer_delay_ms: expected at most 1000, got 5000'],
    ],
    [
      'cartesia-message-8 a longer delay',
      { max_buffer_delay_ms: 5001 },
      null,
      ['max_buffer_delay_ms: expected at most 5000, got 5001'],
    ],
    [
      'cartesia-message-13 two languages',
      { language: 'en', locale: 'en-GB' },
      LATEST_VERSION,
      ['locale: expected no locale beside the language, got en-GB'],
    ],
    ['cartesia-message-13 two languages', { language: 'en', locale: 'en-GB' }, OLD, []],
    [
      'cartesia-message-12 another language',
      { language: 'xx' },
      OLD,
      [expect.stringMatching(/^language: expected one of en, fr, .* or a locale such as en-GB, got "xx"$/)],
    ],
    [
      'cartesia-message-1 no model',
      { model_id: undefined },
      OLD,
      ['model_id: expected a string, got nothing'],
    ],
    [
      'cartesia-message-16 a speed',
      { generation_config: { speed: 2 } },
      OLD,
      ['generation_config.speed: expected at most 1.5, got 2'],
    ],
  ])('%s %j in %s', (_, fields, version, found) => {
    expect(issues(fields, version)).toEqual(found);
  });

  it.each(['mp3', 'wav'])('cartesia-message-4 speaks no %s, which REST does', (container) => {
    const fields = {
      output_format: { container, sample_rate: 44_100, bit_rate: 128_000, encoding: 'pcm_s16le' },
    };
    expect(issues(fields)).not.toEqual([]);
    expect(parseSpeech(body(fields), OLD)).toMatchObject({
      ok: true,
      value: { container, bitRate: 128_000 },
    });
  });

  it.each(['en', 'EN', 'en_GB', 'pt-BR'])('cartesia-message-12 takes the language %s', (language) => {
    expect(issues({ language })).toEqual([]);
  });
});
