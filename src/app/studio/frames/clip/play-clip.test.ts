import { describe, expect, it, vi } from 'vitest';
import { type ClipContext, type ClipSound, playClip } from './play-clip.ts';

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

const settled = () => new Promise((resolve) => setImmediate(resolve));

async function start(
  sampleRate = 8000,
  level = 1,
  load = async (): Promise<ClipSound> => ({ samples: SAMPLES, sampleRate }),
) {
  const context = new FakeContext();
  const ended = vi.fn();
  // Only what a clip uses is there.
  const clip = playClip(context as unknown as ClipContext, load, level, 'plain', ended);
  await settled();
  return { context, ended, clip };
}

describe('a clip', () => {
  it('plays at its own rate and the page’s volume', async () => {
    const { context, clip } = await start(8000, 0.5);
    expect([...(context.heard ?? [])]).toEqual([0, 0.5, -1]);
    expect(context).toMatchObject({ rate: 8000, gain: { gain: { value: 0.5 } } });
    clip.setLevel(0);
    expect(context.gain.gain.value).toBe(0);
  });

  it('reports its position, and its end once', async () => {
    const { context, ended, clip } = await start();
    context.currentTime = 0.000125;
    expect(clip.played()).toBeCloseTo(1 / 3, 10);
    context.currentTime = 1;
    expect(clip.played()).toBe(1);
    context.source?.onended();
    context.source?.onended();
    clip.stop();
    expect(context.closed).toBe(1);
    expect(ended.mock.calls).toEqual([[null]]);
  });

  it('that is stopped closes its output and reports no end', async () => {
    const { context, ended, clip } = await start();
    clip.stop();
    context.source?.onended();
    expect(context.closed).toBe(1);
    expect(ended).not.toHaveBeenCalled();
  });

  it('that is stopped while its sound loads is never heard', async () => {
    let load = (_: ClipSound): void => {};
    const { context, ended, clip } = await start(8000, 1, () => new Promise((resolve) => (load = resolve)));
    expect(clip.played()).toBe(0);
    clip.stop();
    load({ samples: SAMPLES, sampleRate: 8000 });
    await settled();
    expect([context.heard, context.closed, ended.mock.calls]).toEqual([null, 1, []]);
  });

  it('ends where another one begins', async () => {
    const first = await start();
    const second = await start();
    expect([first.context.closed, first.ended.mock.calls]).toEqual([1, [[null]]]);
    expect([second.context.closed, second.ended.mock.calls]).toEqual([0, []]);
  });

  it.each([
    ['the browser rejects the rate', () => start(1), 'no such rate'],
    ['there is no sound', () => start(1, 1, () => Promise.reject(new Error('no sound'))), 'no sound'],
  ])('closes the output and says why where %s', async (_, begin, problem) => {
    const { context, ended } = await begin();
    expect(context.closed).toBe(1);
    expect(ended.mock.calls).toEqual([[problem]]);
  });
});
