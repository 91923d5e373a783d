import { beforeEach, describe, expect, it } from 'vitest';
import { createSamplePlayer, type SampleAudio, type SamplePlayer } from './sample-player.ts';

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
let made: FakeAudio[];
let player: SamplePlayer;
const audio = (index: number): FakeAudio => {
  const found = made[index];
  if (!found) throw new Error(`no audio ${index}`);
  return found;
};

beforeEach(() => {
  made = [];
  player = createSamplePlayer(() => {
    const next = new FakeAudio();
    made.push(next);
    return next;
  }, origin);
});

describe('listening to samples', () => {
  it('goes from loading to playing to silent', () => {
    const phases: string[] = [];
    player.subscribe(() => phases.push(player.getState().phase));
    player.toggle(`${origin}/a.wav`);
    audio(0).emit('playing');
    audio(0).emit('ended');
    expect(phases).toEqual(['loading', 'playing', 'silent']);
  });

  it('plays one sample at a time and ignores events of the stopped one', () => {
    player.toggle('/a.wav');
    player.toggle('/b.wav');
    audio(1).emit('playing');
    audio(0).emit('ended');
    expect(audio(0).paused).toBe(true);
    expect(player.getState()).toEqual({ url: '/b.wav', phase: 'playing' });
  });

  it('a second press stops it, a press after a refusal tries again, and an unreadable file fails', async () => {
    player.toggle('/a.wav');
    player.toggle('/a.wav');
    expect(player.getState()).toEqual({ url: null, phase: 'silent' });
    player.toggle('/a.wav');
    audio(1).refuse(new Error('not allowed'));
    await Promise.resolve();
    await Promise.resolve();
    expect(player.getState()).toEqual({ url: '/a.wav', phase: 'failed' });
    player.toggle('/a.wav');
    expect(player.getState().phase).toBe('loading');
    audio(2).emit('error');
    expect(player.getState().phase).toBe('failed');
  });

  it('asks another origin for permission and its own for none', () => {
    player.toggle(`${origin}/a.wav`);
    player.toggle('https://elsewhere.example/a.wav');
    player.toggle('/relative.wav');
    expect(made.map(({ crossOrigin }) => crossOrigin)).toEqual([null, 'anonymous', null]);
  });
});
