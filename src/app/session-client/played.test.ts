import { describe, expect, it } from 'vitest';
import { chunkView, turnView } from '#session/testing/views.ts';
import type { ChunkView, PlayerView, TrackView } from '#session/views.ts';
import { twoChunks } from '../studio/timeline/testing/turns.ts';
import { Playheads, playedOf, timelineHeadOf } from './played.ts';
import { emptySession } from './session-state.ts';
import { TurnMap } from './turn-map.ts';

const track: TrackView = {
  context: '',
  state: 'playing',
  turn: 1,
  sample: 24_000,
  atMs: 1000,
  epoch: 1,
  bufferedSeconds: 1,
  peak: 0,
  targetMs: 100,
  targetReason: '',
};

const player = (change: Partial<TrackView>, repeating = false): PlayerView => ({
  state: 'playing',
  transport: 'shared',
  sampleRate: 24_000,
  repeating,
  isPaused: false,
  isStill: false,
  tracks: [{ ...track, ...change }],
});

const chunk = (heardToMs: number | null): ChunkView =>
  chunkView({ heardToMs, audioFrames: 1, samples: 24_000 });

const sampleOf = (places: Playheads, turn: Parameters<Playheads['placeOf']>[0]) =>
  places.placeOf(turn).sample;

const gone = player({ turn: null, state: 'idle' });
const running = { id: 1, heardToMs: null, chunks: [], played: [] };
const cancelled = { id: 1, heardToMs: 5000, chunks: [chunk(5000), chunk(null)], played: [] };

describe('Playheads', () => {
  it('has no place in an unheard turn', () => {
    expect(sampleOf(new Playheads(), running)).toBe(-1);
  });

  it('moves between reports at the sample rate', () => {
    const places = new Playheads();
    places.follow(player({}), 1500);
    expect(sampleOf(places, running)).toBe(36_000);
  });

  it('stands where the output does, and goes on with it', () => {
    const places = new Playheads();
    const still = { ...player({}), isStill: true };
    places.follow(still, 1100);
    places.follow(still, 61_000);
    expect(sampleOf(places, running)).toBe(24_000);
    places.follow(player({ atMs: 61_010, sample: 24_128 }), 61_015);
    expect(sampleOf(places, running)).toBe(24_248);
  });

  it('keeps the place of a cancelled turn after the player left it', () => {
    const places = new Playheads();
    places.follow(player({}), 1500);
    places.follow(gone, 9000);
    expect(sampleOf(places, cancelled)).toBe(36_000);
  });

  it('is at the end of a heard turn', () => {
    expect(sampleOf(new Playheads(), { id: 1, heardToMs: 5000, chunks: [chunk(5000)], played: [] })).toBe(
      Number.MAX_SAFE_INTEGER,
    );
  });

  it('follows turns of several contexts at once', () => {
    const places = new Playheads();
    const other = { ...track, context: 'b', turn: 2, sample: 500 };
    places.follow({ ...player({}), tracks: [track, other] }, 1500);
    expect(sampleOf(places, running)).toBe(36_000);
    expect(sampleOf(places, { ...running, id: 2 })).toBe(12_500);
  });

  it('is after the last played sample of a turn without a reported playhead', () => {
    const played = [{ sample: 0, count: 700, atMs: 1000 }];
    expect(sampleOf(new Playheads(), { ...cancelled, played })).toBe(699);
  });

  it('follows a repeat, and returns to the last place of the first hearing', () => {
    const places = new Playheads();
    places.follow(player({ sample: 12_000 }), 1000);
    places.follow(player({ sample: 100, epoch: 2 }, true), 1000);
    expect(sampleOf(places, cancelled)).toBe(100);
    places.follow(gone, 2000);
    expect(sampleOf(places, cancelled)).toBe(12_000);
  });
});

describe('played ranges on the page', () => {
  const turn = (rest: Parameters<typeof turnView>[0]) =>
    turnView({ sampleRate: 1000, samples: 1000, played: [{ sample: 0, count: 200, atMs: 5000 }], ...rest });
  const endOf = (rest: Parameters<typeof turnView>[0]): number => playedOf(turn(rest)).end;

  it('extend to the end of the audio while the turn plays', () => {
    expect(endOf({})).toBe(1000);
    expect(playedOf(turn({})).sampleAt(5600)).toBe(600);
  });

  it.each([
    ['it was heard to its end', { heardToMs: 5200 }],
    ['it was silenced', { silencedMs: 5200 }],
    ['it fell silent for a pause or a standstill', { pausedMs: 5200 }],
    ['the player ran dry', { underruns: [{ atMs: 5200, atSample: 200, lengthMs: null }] }],
  ])('end where playing ended once %s', (_, rest) => {
    expect(endOf(rest)).toBe(200);
  });

  it('are empty for an unheard turn', () => {
    const silent = playedOf(turnView({ sampleRate: null }));
    expect(silent.wallMsOf(0)).toBeNull();
    expect(silent.sampleAt(0)).toBeNull();
    expect(silent.playedMsUntil(9000)).toBe(0);
  });
});

describe('the playhead on the timeline', () => {
  const session = (state: 'playing' | 'buffering', repeating: boolean) => {
    const playing = { context: '', state, turn: 1, sample: 500, atMs: 9000, epoch: 0, peak: 0 };
    const rest = { bufferedSeconds: 1, targetMs: 0, targetReason: '' };
    return {
      turns: TurnMap.of(twoChunks()),
      player: {
        ...emptySession().player,
        sampleRate: 1000,
        state,
        repeating,
        tracks: [{ ...playing, ...rest }],
      },
    };
  };

  it('is at the current time in the first hearing of a turn', () => {
    expect(timelineHeadOf(session('playing', false), 9050)).toEqual({ atMs: 9050, audioMs: 550 });
  });

  it('moves during a repeat over the first hearing and the silence in it', () => {
    expect(timelineHeadOf(session('playing', true), 9050)).toEqual({ atMs: 950, audioMs: 550 });
    expect(timelineHeadOf(session('playing', true), 9150)).toEqual({ atMs: 1150, audioMs: 650 });
  });

  it('stands behind the last sample that left an output that stands still', () => {
    const state = session('playing', false);
    const still = { ...state, player: { ...state.player, isStill: true } };
    expect(timelineHeadOf(still, 99_000)).toEqual({ atMs: 900, audioMs: 500 });
  });

  it('is never after the last sample, and null while nothing plays', () => {
    expect(timelineHeadOf(session('playing', true), 99_000)).toEqual({ atMs: 1500, audioMs: 1000 });
    expect(timelineHeadOf(session('buffering', false), 9050)).toBeNull();
  });
});
