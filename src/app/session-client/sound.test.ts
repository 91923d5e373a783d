import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AudioOutput, type OutputState } from '#player/output.ts';
import { Sound } from './sound.ts';

/** A fake output that opens and resumes when the test says so. */
class FakeOutput {
  state = 'suspended';
  readonly sampleRate: number;
  readonly hasShortBuffers: boolean;
  resumed = (): void => undefined;

  constructor(sampleRate: number, hasShortBuffers: boolean) {
    this.sampleRate = sampleRate;
    this.hasShortBuffers = hasShortBuffers;
  }

  resume(): Promise<void> {
    return new Promise((resolve) => {
      this.resumed = () => {
        this.state = 'running';
        resolve();
      };
    });
  }

  close = vi.fn();
  hasRunDry = false;
  clockS = 0;
  anchor = () => ({ contextTimeS: this.clockS });
  openHost = () => 'port';
  setVolume(): void {}
  setMuted(): void {}
  listenAs = vi.fn(async () => undefined);
  setDevice = vi.fn(async () => undefined);
  setTrackGain = vi.fn();
}

interface Opening {
  rate: number;
  finish: () => FakeOutput;
  fail: (error: Error) => void;
  changed: (state: OutputState) => void;
}

const opening: Opening[] = [];

let sound: Sound;
let isBusy = false;

const opened = async (at: number): Promise<FakeOutput> => {
  const output = opening[at]?.finish();
  if (!output) throw new Error(`No output ${at} was requested.`);
  await vi.advanceTimersByTimeAsync(0);
  return output;
};

beforeEach(() => {
  vi.useFakeTimers();
  opening.length = 0;
  isBusy = false;
  vi.spyOn(AudioOutput, 'open').mockImplementation(
    (rate, mayBeShort, changed) =>
      new Promise((resolve, fail) => {
        const finish = () => {
          const output = new FakeOutput(rate, mayBeShort);
          // Only what the page's sound uses is there.
          resolve(output as unknown as AudioOutput);
          return output;
        };
        opening.push({ rate, finish, fail, changed });
      }),
  );
  sound = new Sound({ post: () => undefined, isBusy: () => isBusy });
});
afterEach(() => {
  sound.dispose();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test('a gesture that changes the rate opens one output', async () => {
  sound.wake();
  const first = await opened(0);
  sound.expect(8000);
  sound.wake();
  sound.switchTo(8000);
  expect(opening.map(({ rate }) => rate)).toEqual([24_000, 8000]);
  await opened(1);
  expect(first.close).toHaveBeenCalledOnce();
});

test('an output that opens at an outdated rate is replaced', async () => {
  sound.wake();
  sound.switchTo(8000);
  const outdated = await opened(0);
  expect(outdated.close).toHaveBeenCalledOnce();
  expect(opening.map(({ rate }) => rate)).toEqual([24_000, 8000]);
});

test('an output that starts while another opens does not count as ready', async () => {
  sound.wake();
  const first = await opened(0);
  sound.switchTo(8000);
  first.resumed();
  await vi.advanceTimersByTimeAsync(1000);
  expect(sound.status.getState().isReady).toBe(false);
  const second = await opened(1);
  second.resumed();
  await vi.advanceTimersByTimeAsync(1000);
  expect(sound.status.getState().isReady).toBe(true);
});

test('an output that never opens is reported after 5 s, and used if it opens later', async () => {
  sound.prepare();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sound.status.getState().failure).toBeNull();
  sound.wake();
  await vi.advanceTimersByTimeAsync(4999);
  expect(sound.status.getState().failure).toBeNull();
  await vi.advanceTimersByTimeAsync(1);
  const { failure } = sound.status.getState();
  expect(failure?.reason).toMatch(/not loaded the player within 5 s/);
  expect(failure?.remedy).toMatch(/Reload/);
  const late = await opened(0);
  late.resumed();
  await vi.advanceTimersByTimeAsync(1000);
  expect(sound.status.getState()).toEqual({ blocked: false, failure: null, isReady: true });
});

test('an output that opens in time is not reported', async () => {
  sound.wake();
  await vi.advanceTimersByTimeAsync(4000);
  await opened(0);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sound.status.getState().failure).toBeNull();
});

test('an output that cannot be opened is reported with the reason of the browser', async () => {
  sound.wake();
  opening[0]?.fail(new Error('No device.'));
  await vi.advanceTimersByTimeAsync(0);
  expect(sound.status.getState().failure?.reason).toBe('No device.');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sound.status.getState().failure?.reason).toBe('No device.');
});

test('gestures do not delay the report of an output that never opens', async () => {
  for (let i = 0; i < 3; i += 1) {
    sound.wake();
    await vi.advanceTimersByTimeAsync(2000);
  }
  expect(sound.status.getState().failure?.reason).toMatch(/within 5 s/);
});

test('a late output that the browser blocks is reported as blocked only', async () => {
  sound.wake();
  await vi.advanceTimersByTimeAsync(5000);
  await opened(0);
  await vi.advanceTimersByTimeAsync(1000);
  expect(sound.status.getState()).toEqual({ blocked: true, failure: null, isReady: false });
});

test('an output whose device runs dry is replaced once it is idle, by one with the usual buffers', async () => {
  sound.wake();
  const first = await opened(0);
  first.resumed();
  isBusy = true;
  first.hasRunDry = true;
  await vi.advanceTimersByTimeAsync(2000);
  expect(opening).toHaveLength(1);
  isBusy = false;
  await vi.advanceTimersByTimeAsync(2000);
  expect(opening).toHaveLength(2);
  await opened(1);
  expect(first.close).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(2000);
  expect(opening).toHaveLength(2);
  // Nothing polls until the session reports again.
  expect(vi.getTimerCount()).toBe(0);
});

test('a clock that stands still is reported until it moves, and a press opens another output', async () => {
  isBusy = true;
  sound.wake();
  const output = await opened(0);
  output.resumed();
  const listen = async (movesS: number): Promise<string | undefined> => {
    for (let i = 0; i < 5; i += 1) {
      output.clockS += movesS;
      await vi.advanceTimersByTimeAsync(500);
    }
    return sound.status.getState().failure?.reason;
  };
  expect(await listen(0.5)).toBeUndefined();
  expect(await listen(0)).toMatch(/stands still/);
  expect(await listen(0.5)).toBeUndefined();
  // A paused clock stands still on purpose.
  output.state = 'suspended';
  expect(await listen(0)).toBeUndefined();
  output.state = 'running';
  expect(await listen(0)).toMatch(/stands still/);
  sound.wake();
  await opened(1);
  expect(output.close).toHaveBeenCalledOnce();
  expect(sound.status.getState().failure).toBeNull();
});

test('an output whose clock never moves is reported, and the next one as well', async () => {
  isBusy = true;
  for (const at of [0, 1]) {
    sound.wake();
    const output = await opened(at);
    output.resumed();
    await vi.advanceTimersByTimeAsync(3000);
    expect(sound.status.getState().failure?.reason).toMatch(/stands still/);
  }
});

test.each<OutputState>(['suspended', 'interrupted'])(
  'the clock of playheads stands while the output is %s',
  async (state) => {
    sound.wake();
    await opened(0);
    opening[0]?.changed('running');
    opening[0]?.changed(state);
    const stoodMs = sound.heardMs();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sound.heardMs()).toBe(stoodMs);
    opening[0]?.changed('running');
    expect(sound.heardMs()).toBeGreaterThanOrEqual(stoodMs + 60_000);
  },
);
