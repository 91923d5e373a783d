import { describe, expect, it } from 'vitest';
import { type ClipContext, ClipPlayer } from './clip-player.ts';

/** An output that does only what a test says. */
class FakeContext {
  currentTime = 0;
  destination = {};
  isClosed = false;
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
    this.isClosed = true;
  };
}

function setUp() {
  const contexts: FakeContext[] = [];
  let ends = 0;
  const player = new ClipPlayer(
    () => {
      const context = new FakeContext();
      contexts.push(context);
      // Only what the player uses is there.
      return context as unknown as ClipContext;
    },
    () => {
      ends += 1;
    },
  );
  return { player, contexts, ends: () => ends };
}

const CLIP = { samples: Int16Array.of(0, 16_384, -32_768), sampleRate: 8000 };

describe('a clip', () => {
  it('plays at its own rate and the page’s volume', () => {
    const { player, contexts } = setUp();
    player.setLevel(0.5);
    player.play(CLIP);
    expect([...(contexts[0]?.heard ?? [])]).toEqual([0, 0.5, -1]);
    expect(contexts[0]).toMatchObject({ rate: 8000, gain: { gain: { value: 0.5 } } });
    player.setLevel(0);
    expect(contexts[0]?.gain.gain.value).toBe(0);
  });

  it('reports its position, and its end once', () => {
    const { player, contexts, ends } = setUp();
    expect(player.positionS).toBeNull();
    player.play(CLIP);
    const [context] = contexts;
    if (context) context.currentTime = 0.25;
    expect(player.positionS).toBe(0.25);
    context?.source?.onended();
    context?.source?.onended();
    expect(player.isPlaying).toBe(false);
    expect(context?.isClosed).toBe(true);
    expect(ends()).toBe(1);
  });

  it('stops for another clip and ignores the end of the first', () => {
    const { player, contexts, ends } = setUp();
    player.play(CLIP);
    player.play(CLIP);
    expect(contexts.map(({ isClosed }) => isClosed)).toEqual([true, false]);
    contexts[0]?.source?.onended();
    expect(player.isPlaying).toBe(true);
    player.stop();
    expect(contexts[1]?.isClosed).toBe(true);
    expect(ends()).toBe(0);
  });

  it('closes the output if the browser rejects the rate', () => {
    const { player, contexts } = setUp();
    expect(() => player.play({ ...CLIP, sampleRate: 1 })).toThrow('no such rate');
    expect(contexts[0]?.isClosed).toBe(true);
    expect(player.isPlaying).toBe(false);
  });
});
