import { beforeEach, describe, expect, it } from 'vitest';
import { endpointOf } from '#protocol/registry.ts';
import { type VoiceOption, voiceOptions } from './voice-options.ts';
import { type SampleAudio, VoiceSampler, vendorSample } from './voice-sampler.ts';

class FakeAudio implements SampleAudio {
  src = '';
  crossOrigin: string | null = null;
  paused = true;
  refuse: (error: Error) => void = () => {};
  readonly #listeners = new Map<string, () => void>();
  play() {
    this.paused = false;
    return new Promise<void>((_, reject) => {
      this.refuse = reject;
    });
  }
  pause() {
    this.paused = true;
  }
  addEventListener(type: string, listener: () => void) {
    this.#listeners.set(type, listener);
  }
  emit(type: string) {
    this.#listeners.get(type)?.();
  }
}

const origin = 'http://page.example';
const optionOf = (sampleUrl: string): VoiceOption => {
  const voice = { id: sampleUrl, name: '', description: '', sex: null, age: null, languages: [], sampleUrl };
  const [option] = voiceOptions(endpointOf('kugel-stream'), [voice]);
  if (!option) throw new Error('no option');
  return option;
};
const [a, b] = [optionOf('/a.wav'), optionOf('/b.wav')];
let made: FakeAudio[];
let sampler: VoiceSampler;
const audio = (index: number): FakeAudio => {
  const found = made[index];
  if (!found) throw new Error(`no audio ${index}`);
  return found;
};
const phase = () => sampler.store.getState().phase;

beforeEach(() => {
  made = [];
  const open = () => {
    const next = new FakeAudio();
    made.push(next);
    return next;
  };
  sampler = new VoiceSampler(vendorSample(origin, open));
});

describe('listening to voices', () => {
  it('goes from waiting to speaking to silent', () => {
    const phases: string[] = [];
    sampler.store.subscribe(() => phases.push(phase()));
    sampler.toggle(a);
    audio(0).emit('playing');
    audio(0).emit('ended');
    expect(phases).toEqual(['waiting', 'speaking', 'silent']);
  });

  it('lets one be heard at a time and ignores reports of the stopped one', () => {
    sampler.toggle(a);
    sampler.toggle(b);
    audio(1).emit('playing');
    audio(0).emit('ended');
    expect(audio(0).paused).toBe(true);
    expect(sampler.store.getState()).toMatchObject({ choice: b, phase: 'speaking' });
  });

  it('a second press stops it, a press after a refusal tries again, and an unreadable file fails', async () => {
    sampler.toggle(a);
    sampler.toggle(a);
    expect([phase(), audio(0).paused]).toEqual(['silent', true]);
    sampler.toggle(a);
    audio(1).refuse(new Error('not allowed'));
    await Promise.resolve();
    await Promise.resolve();
    expect(phase()).toBe('failed');
    sampler.toggle(a);
    expect(phase()).toBe('waiting');
    audio(2).emit('error');
    expect(phase()).toBe('failed');
  });

  it('keeps the wait of each voice', () => {
    sampler = new VoiceSampler(({ key }, report) => {
      report('speaking', key === a.key ? 120 : 80);
      return () => {};
    });
    sampler.toggle(a);
    sampler.toggle(b);
    expect([...sampler.store.getState().waits]).toEqual([
      [a.key, 120],
      [b.key, 80],
    ]);
  });

  it('requests a sample of another origin with CORS', () => {
    for (const url of [`${origin}/a.wav`, 'https://elsewhere.example/a.wav', '/relative.wav'])
      sampler.toggle(optionOf(url));
    expect(made.map(({ crossOrigin }) => crossOrigin)).toEqual([null, 'anonymous', null]);
  });
});
