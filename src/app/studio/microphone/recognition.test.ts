import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Dictation, type Recognition } from './recognition.ts';

class FakeRecognition implements Recognition {
  static last: FakeRecognition;
  lang = '';
  continuous = false;
  interimResults = false;
  onresult: Recognition['onresult'] = null;
  onerror: Recognition['onerror'] = null;
  onend: Recognition['onend'] = null;
  starts = 0;
  constructor() {
    FakeRecognition.last = this;
  }
  start(): void {
    this.starts += 1;
  }
  abort(): void {
    this.onend?.();
  }
  says(...results: readonly (readonly [text: string, isFinal: boolean])[]): void {
    this.onresult?.({
      resultIndex: 0,
      results: results.map(([transcript, isFinal]) => Object.assign([{ transcript }], { isFinal })),
    });
  }
}

function setUp() {
  const said: string[] = [];
  const interim: string[] = [];
  const failures: [string, boolean][] = [];
  const dictation = new Dictation(FakeRecognition, {} as MediaStreamTrack, 'de', {
    interim: (text) => interim.push(text),
    final: (text) => said.push(text),
    failed: (error, isOver) => failures.push([error, isOver]),
  });
  return { said, interim, failures, dictation, recognition: FakeRecognition.last };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('a dictation', () => {
  it('reports final text once, and shows what is not final yet', () => {
    const { recognition, said, interim } = setUp();
    recognition.says(['Tell me', false]);
    recognition.says([' Tell me a story. ', true], ['about', false]);
    expect(said).toEqual(['Tell me a story.']);
    expect(interim).toEqual(['Tell me', 'about']);
    expect(recognition.lang).toBe('de');
  });

  it('starts again after a silence, until it is stopped', () => {
    const { recognition, dictation } = setUp();
    recognition.onerror?.({ error: 'no-speech' });
    recognition.onend?.();
    vi.runAllTimers();
    expect(recognition.starts).toBe(2);
    recognition.onend?.();
    dictation.dispose();
    vi.runAllTimers();
    expect(recognition.starts).toBe(2);
  });

  it('does not start again after an error that would only come back', () => {
    const { recognition, failures } = setUp();
    recognition.onerror?.({ error: 'network' });
    recognition.onend?.();
    vi.runAllTimers();
    expect(recognition.starts).toBe(1);
    expect(failures).toEqual([['network', true]]);
  });
});
