import { describe, expect, it, vi } from 'vitest';
import { type ClipContext, playClip } from './play-clip.ts';

/** An output that does only what a test says. */
class FakeContext {
  currentTime = 0;
  destination = {};
  closed = 0;
  heard: Float32Array | null = null;
  rate = 0;
  gain = { gain: { value: 1 }, connect: () => this.destination };
  source: { buffer: unknown; onended: () => void; connect: () => unknown; start: () => void } | null = null;

  createBuffer(_channels: number, length: number, rate: number) {
    if (rate < 3000) throw new RangeError('no such rate');
    this.rate = rate;
    this.heard = new Float32Array(length);
    return { getChannelData: () => this.heard };
  }
  createGain() {
    return this.gain;
  }
  createBufferSource() {
    this.source = { buffer: null, onended: () => {}, connect: () => this.gain, start: () => {} };
    return this.source;
  }
  resume = async () => {};
  close = async () => {
    this.closed += 1;
  };
}

const SAMPLES = Int16Array.of(0, 16_384, -32_768);

function start(sampleRate = 8000, level = 1) {
  const context = new FakeContext();
  const ended = vi.fn();
  // Only what a clip uses is there.
  const play = () =>
    playClip(context as unknown as ClipContext, { samples: SAMPLES, sampleRate }, level, ended);
  return { context, ended, play };
}

describe('a clip', () => {
  it('plays at its own rate and the page’s volume', () => {
    const { context, play } = start(8000, 0.5);
    const clip = play();
    expect([...(context.heard ?? [])]).toEqual([0, 0.5, -1]);
    expect(context).toMatchObject({ rate: 8000, gain: { gain: { value: 0.5 } } });
    clip.setLevel(0);
    expect(context.gain.gain.value).toBe(0);
  });

  it('reports its position, and its end once', () => {
    const { context, ended, play } = start();
    const clip = play();
    context.currentTime = 0.000125;
    expect(clip.played()).toBeCloseTo(1 / 3, 10);
    context.currentTime = 1;
    expect(clip.played()).toBe(1);
    context.source?.onended();
    context.source?.onended();
    clip.stop();
    expect(context.closed).toBe(1);
    expect(ended).toHaveBeenCalledOnce();
  });

  it('that is stopped closes its output and reports no end', () => {
    const { context, ended, play } = start();
    play().stop();
    context.source?.onended();
    expect(context.closed).toBe(1);
    expect(ended).not.toHaveBeenCalled();
  });

  it('closes the output if the browser rejects the rate', () => {
    const { context, play } = start(1);
    expect(play).toThrow('no such rate');
    expect(context.closed).toBe(1);
  });
});
