import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeIssue, describeIssues } from '../../core/issue.ts';
import type { Fields } from '../../core/json-frame.ts';
import { clientFrameIssues, parseClientFields } from './client-frames.ts';
import { LANGUAGE_NAMES, MAX_PROMPT_CHARS, realtimeSettings, settingsIssues } from './settings.ts';

const problemOf = (message: unknown): string | null => {
  const issues = clientFrameIssues(typeof message === 'string' ? message : JSON.stringify(message));
  return issues.length === 0 ? null : describeIssues(issues);
};

const CONFIG = { type: 'config', api_key: 'murmr_sk_live_xxx' };
const PROMPT = 'QUJDRA==';

describe('messages', () => {
  const both = { voice_description: 'A bass', voice_clone_prompt: PROMPT };
  it.each<[string, Fields]>([
    ['VoiceDesign mode', { ...CONFIG, voice_description: 'A warm, calm narrator', language: 'English' }],
    ['saved voice mode', { ...CONFIG, voice_clone_prompt: PROMPT, language: 'English' }],
    ['saved voice with its id', { ...CONFIG, voice: 'voice_abc123', voice_clone_prompt: PROMPT }],
    ['both, of which the prompt wins', { ...CONFIG, ...both }],
    ['no voice at all', CONFIG],
    ['text', { type: 'text', text: 'Hello, ' }],
    ['text of no length', { type: 'text', text: '' }],
    ['flush', { type: 'flush' }],
    ['M0: binary_mode with a field that is not known', { type: 'binary_mode', enabled: true }],
    ['ping', { type: 'ping' }],
  ])('accepts %s unchanged', (_, message) => {
    expect(parseClientFields(message)).toEqual({ ok: true, value: message });
  });

  it('accepts an unknown language, which falls back to detection', () => {
    for (const language of ['en', 'Klingon', '']) expect(problemOf({ ...CONFIG, language })).toBeNull();
  });

  const types = 'type: expected one of config, text, flush, binary_mode, ping, got';
  it.each<[string, unknown, string]>([
    ['no JSON', 'flush', 'the frame: expected a JSON object, got text that is no JSON'],
    ['no type', {}, `${types} nothing`],
    ['another type', { type: 'cancel' }, `${types} "cancel"`],
    ["a type by a name of JavaScript's own", { type: 'constructor' }, `${types} "constructor"`],
    ['text that is none', { type: 'text', text: 7 }, 'text: expected a string, got 7'],
    ['text without text', { type: 'text' }, 'text: expected a string, got nothing'],
    ['config without a key', { type: 'config' }, 'api_key: expected a string, got nothing'],
    [
      'a voice without its prompt',
      { ...CONFIG, voice: 'voice_abc123' },
      'voice_clone_prompt: expected the prompt that belongs to voice, got nothing',
    ],
  ])('refuses %s with a message', (_, message, problem) => {
    expect(problemOf(message)).toBe(problem);
  });

  it('accepts or refuses any message, and never throws', () => {
    const name = fc.constantFrom('type', 'text', 'api_key', 'voice', 'voice_clone_prompt', 'language');
    const value = fc.oneof(fc.constantFrom('config', 'text', 'flush', 'ping', '__proto__'), fc.jsonValue());
    const near = fc.dictionary(name, value).map((message) => JSON.stringify(message));
    fc.assert(
      fc.property(fc.oneof(near, fc.json(), fc.string()), (message) => {
        expect(problemOf(message)).not.toBe('');
      }),
    );
  });

  it('a refusal does not repeat the key or a prompt', () => {
    const problem = problemOf({ ...CONFIG, voice_clone_prompt: '#'.repeat(5000), voice_description: 5 });
    expect(problem).not.toContain('murmr_sk');
    expect(problem?.length).toBeLessThan(500);
  });
});

describe('limits', () => {
  it('a description of 500 characters, and not one more', () => {
    expect(problemOf({ ...CONFIG, voice_description: 'a'.repeat(500) })).toBeNull();
    expect(problemOf({ ...CONFIG, voice_description: 'a'.repeat(501) })).toBe(
      'voice_description: expected a text of at most 500 characters, got 501',
    );
  });

  it('a prompt is base64, and has an end', () => {
    expect(problemOf({ ...CONFIG, voice_clone_prompt: 'A'.repeat(MAX_PROMPT_CHARS) })).toBeNull();
    for (const wrong of ['A'.repeat(MAX_PROMPT_CHARS + 4), 'AAA', 'not base64!', '', 7, null]) {
      expect(problemOf({ ...CONFIG, voice_clone_prompt: wrong })).toMatch(
        /^voice_clone_prompt: expected base64/,
      );
    }
  });
});

describe('settings', () => {
  const issues = (value: unknown): string[] => settingsIssues(value).map(describeIssue);

  it('are described for the form, in the order of choosing', () => {
    const fields = realtimeSettings.map(({ field }) => field).join(' ');
    expect(fields).toBe('voice_description voice voice_clone_prompt language binary_mode');
  });

  it('all ten languages and Auto', () => {
    expect(LANGUAGE_NAMES).toHaveLength(11);
    for (const language of LANGUAGE_NAMES) expect(issues({ language })).toEqual([]);
  });

  it('may hold what this version does not know', () => {
    expect(issues({ speed: 2 })).toEqual([]);
  });

  it.each([
    [{ language: 'en' }, /^language: expected one of "Auto", "English"/],
    [{ binary_mode: 'yes' }, /^binary_mode: expected true or false/],
    [{ voice: 'voice_abc123' }, /^voice_clone_prompt: expected the prompt/],
    [{ voice_description: 7 }, /^voice_description: expected a text/],
  ])('%j is corrected', (value, words) => {
    expect(issues(value)).toEqual([expect.stringMatching(words)]);
  });

  it.each([null, [], 'x'])('%j are none', (value) => {
    expect(issues(value)).toHaveLength(1);
  });
});
