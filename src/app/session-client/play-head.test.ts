import { describe, expect, it } from 'vitest';
import { chunkView } from '#session/testing/views.ts';
import type { ChunkView, PlayerView, TrackView } from '#session/views.ts';
import { ReadingPlaces } from './play-head.ts';

const track: TrackView = {
  context: '',
  state: 'playing',
  turn: 1,
  sample: 24_000,
  atMs: 1000,
  epoch: 1,
  bufferedSeconds: 1,
  peak: 0,
  floorMs: 100,
  floorReason: '',
};

const player = (change: Partial<TrackView>, replaying = false): PlayerView => ({
  state: 'playing',
  transport: 'shared',
  sampleRate: 24_000,
  replaying,
  tracks: [{ ...track, ...change }],
});

const chunk = (heardToMs: number | null): ChunkView =>
  chunkView({ heardToMs, audioFrames: 1, samples: 24_000 });

const gone = player({ turn: null, state: 'idle' });
const running = { id: 1, heardToMs: null, chunks: [] };
const cancelled = { id: 1, heardToMs: 5000, chunks: [chunk(5000), chunk(null)] };

describe('ReadingPlaces', () => {
  it('is nowhere in a turn of which nothing was heard', () => {
    expect(new ReadingPlaces().sampleOf(running)).toBe(-1);
  });

  it('goes on between reports at the sample rate', () => {
    const places = new ReadingPlaces();
    places.follow(player({}), 1500);
    expect(places.sampleOf(running)).toBe(36_000);
  });

  it('keeps the place of a cancelled turn after the player left it', () => {
    const places = new ReadingPlaces();
    places.follow(player({}), 1500);
    places.follow(gone, 9000);
    expect(places.sampleOf(cancelled)).toBe(36_000);
  });

  it('is at the end of a turn that was heard', () => {
    expect(new ReadingPlaces().sampleOf({ id: 1, heardToMs: 5000, chunks: [chunk(5000)] })).toBe(
      Number.MAX_SAFE_INTEGER,
    );
  });

  it('follows turns of several contexts at once', () => {
    const places = new ReadingPlaces();
    const other = { ...track, context: 'b', turn: 2, sample: 500 };
    places.follow({ ...player({}), tracks: [track, other] }, 1500);
    expect(places.sampleOf(running)).toBe(36_000);
    expect(places.sampleOf({ ...running, id: 2 })).toBe(12_500);
  });

  it('follows a replay, and afterwards is where the turn was left', () => {
    const places = new ReadingPlaces();
    places.follow(player({ sample: 12_000 }), 1000);
    places.follow(player({ sample: 100, epoch: 2 }, true), 1000);
    expect(places.sampleOf(cancelled)).toBe(100);
    places.follow(gone, 2000);
    expect(places.sampleOf(cancelled)).toBe(12_000);
  });
});
