import { SessionSelection } from '#app/session-client/selection.ts';
import { EnvelopeStore } from '#app/session-client/timeline/envelope-store.ts';
import { LaneStore } from '#app/session-client/timeline/lane-store.ts';
import { TimeScale } from '#app/session-client/timeline/time-scale.ts';
import { TimelineState } from '#app/session-client/timeline/timeline-state.ts';
import { displayList } from '#app/studio/timeline/geometry/display-list.ts';
import { stackedBlocks } from '#app/studio/timeline/geometry/lane-shape.ts';
import { type Brushes, brushesOf, type Palette, prepare } from '#app/studio/timeline/paint/canvas.ts';
import { AXIS_HEIGHT } from '#app/studio/timeline/paint/paint-axis.ts';
import { paintSession, paintWindow } from '#app/studio/timeline/paint/paint-minimap.ts';
import { paintTimeline } from '#app/studio/timeline/paint/paint-timeline.ts';
import { chunkView, turnView } from '#session/testing/views.ts';
import type { Mark, TurnView } from '#session/views.ts';

export interface TimelineFigures {
  turns: number;
  view: string;
  medianMs: number;
  p95Ms: number;
  longestFrameMs: number;
}

const WIDTH = 1100;
const MAP_HEIGHT = 28;
const RATE = 24_000;
const START_MS = 1_700_000_000_000;
/** A turn every 8 s: 5 s of audio in frames of 40 ms, with words, and an underrun in every fourth. */
const TURN_MS = 8000;
const AUDIO_MS = 5000;
const FRAME_MS = 40;
const WORD_MS = 320;
const MINIMAP_ROWS = [{ id: '', name: 'Marta', hue: 1 }];

const PALETTE: Palette = {
  surface: '#17181c',
  border: '#2a2b30',
  borderStrong: '#3a3b40',
  selected: '#ffffff14',
  text: '#f0f0f0',
  textMuted: '#b8bac0',
  textSubtle: '#989aa0',
  waiting: '#cfa14f',
  waitingText: '#e0b15f',
  failed: '#e0655f',
  inverse: '#f0f0f0',
  onInverse: '#17181c',
  voice: () => ({ full: '#a99ae8', tint: '#a99ae829' }),
  sans: 'sans-serif',
  mono: 'monospace',
};

function turnAt(id: number): TurnView {
  const firstTextMs = START_MS + (id - 1) * TURN_MS;
  const heardFromMs = firstTextMs + 350;
  const half = (AUDIO_MS / 2000) * RATE;
  const gapMs = id % 4 === 0 ? 120 : 0;
  const words = (startMs: number) =>
    Array.from({ length: Math.floor(AUDIO_MS / 2 / WORD_MS) }, (_, at) => ({
      word: `word${at}`,
      startMs: startMs + at * WORD_MS,
      endMs: startMs + at * WORD_MS + 280,
      charStart: 0,
      charEnd: 0,
    }));
  const secondMs = heardFromMs + AUDIO_MS / 2 + gapMs;
  return turnView({
    id,
    state: 'ended',
    text: 'x'.repeat(80),
    textFrames: 20,
    firstTextMs,
    flushedMs: firstTextMs + 900,
    endedMs: firstTextMs + 1800,
    sampleRate: RATE,
    samples: (AUDIO_MS / 1000) * RATE,
    audioFrames: AUDIO_MS / FRAME_MS,
    heardFromMs,
    heardToMs: secondMs + AUDIO_MS / 2,
    played:
      gapMs === 0
        ? [{ sample: 0, count: 2 * half, atMs: heardFromMs }]
        : [
            { sample: 0, count: half, atMs: heardFromMs },
            { sample: half, count: half, atMs: secondMs },
          ],
    underruns: gapMs === 0 ? [] : [{ atMs: secondMs - gapMs, atSample: half, lengthMs: gapMs }],
    wait: [{ name: 'server', ms: 350 }],
    repeatable: true,
    chunks: [0, 1].map((chunk) =>
      chunkView({
        id: chunk,
        text: 'A sentence that is as long as sentences are.',
        words: words(0),
        startedMs: firstTextMs + 200 + chunk * 700,
        completedMs: firstTextMs + 850 + chunk * 700,
        heardFromMs: heardFromMs + chunk * (AUDIO_MS / 2 + gapMs),
        heardToMs: heardFromMs + (chunk + 1) * (AUDIO_MS / 2) + chunk * gapMs,
        audioFrames: AUDIO_MS / FRAME_MS / 2,
        startSample: chunk * half,
        samples: half,
      }),
    ),
  });
}

function marksOf({ id, firstTextMs }: TurnView): Mark[] {
  const atMs = firstTextMs ?? 0;
  const mark = (kind: Mark['kind'], at: number, amount: number): Mark => ({
    kind,
    atMs: at,
    context: '',
    turn: id,
    amount,
  });
  return [
    ...Array.from({ length: 20 }, (_, at) => mark('text', atMs + at * 45, 4)),
    mark('flush', atMs + 900, 0),
    ...Array.from({ length: AUDIO_MS / FRAME_MS }, (_, at) => mark('audio', atMs + 250 + at * 12, FRAME_MS)),
    mark('prebufferTarget', atMs + 250, 200 + (id % 3) * 40),
  ];
}

function sessionOf(count: number): TimelineState {
  const state = new TimelineState(
    new LaneStore(),
    new EnvelopeStore(),
    new SessionSelection(),
    () => undefined,
  );
  const turns = Array.from({ length: count }, (_, at) => turnAt(at + 1));
  const peaks = Uint8Array.from({ length: AUDIO_MS / 10 }, (_, at) => 40 + ((at * 97) % 180));
  for (const turn of turns) {
    state.marks.append(marksOf(turn));
    state.envelopes.take([{ turn: turn.id, from: 0, peaks }]);
  }
  state.lanes.update(turns);
  return state;
}

class Bench {
  readonly turns: number;
  readonly view: string;
  readonly times: number[] = [];
  longestFrameMs = 0;
  readonly #state: TimelineState;
  readonly #nowMs: number;
  readonly #axis = document.createElement('canvas');
  readonly #field = document.createElement('canvas');
  readonly #map = document.createElement('canvas');
  readonly #blocks = stackedBlocks(MINIMAP_ROWS, true);
  readonly #session = document.createElement('canvas');
  /** As on the page, the session under the window is painted when it changes. */
  #isMapPainted = false;
  #scale: TimeScale;
  #brushes: Brushes | null = null;

  constructor(turns: number, view: string, state: TimelineState) {
    this.turns = turns;
    this.view = view;
    this.#state = state;
    this.#nowMs = START_MS + turns * TURN_MS;
    this.#scale =
      view === 'the last turn'
        ? new TimeScale(this.#nowMs - TURN_MS - 200, 7, WIDTH)
        : TimeScale.fit(START_MS, this.#nowMs, WIDTH);
    document.body.append(this.#axis, this.#field, this.#map);
  }

  /** Moves the window a little, to and fro, as a hand does. */
  move(round: number): void {
    const by = round % 2 === 0 ? 1 : -1;
    this.#scale = this.#scale.pan(3 * by).zoom(by > 0 ? 1.02 : 1 / 1.02, WIDTH / 2);
  }

  paint(): void {
    const onAxis = prepare(this.#axis, WIDTH, AXIS_HEIGHT);
    const onField = prepare(this.#field, WIDTH, this.#blocks.height);
    const onMap = prepare(this.#map, WIDTH, MAP_HEIGHT);
    if (!onAxis || !onField || !onMap) throw new Error('There is no canvas to paint on.');
    const { lanes, marks, envelopes } = this.#state;
    this.#brushes ??= brushesOf(PALETTE, onField);
    const brushes = this.#brushes;
    const list = displayList({
      lanes,
      marks,
      scale: this.#scale,
      blocks: this.#blocks.blocks,
      viewTop: 0,
      viewHeight: this.#blocks.height,
      nowMs: this.#nowMs,
      listening: 'inTurn',
      pauseMs: 0,
      selected: null,
    });
    const around = {
      envelopes,
      heightPx: this.#blocks.height,
      originMs: START_MS,
      headMs: this.#nowMs - 1000,
      headAudioMs: 100,
      cursorMs: null,
      span: null,
      segment: null,
    };
    paintTimeline(onAxis, onField, list, around, brushes);
    const whole = TimeScale.fit(START_MS, this.#nowMs, WIDTH);
    const onSession = this.#isMapPainted ? null : prepare(this.#session, WIDTH, MAP_HEIGHT);
    this.#isMapPainted = true;
    if (onSession) {
      paintSession(onSession, this.#state, MINIMAP_ROWS, whole, MAP_HEIGHT, this.#nowMs, brushes);
    }
    onMap.drawImage(this.#session, 0, 0, WIDTH, MAP_HEIGHT);
    paintWindow(onMap, whole, this.#scale, MAP_HEIGHT, brushes);
  }

  /** Paints are put off until somebody looks: reading a pixel is looking. */
  finish(): void {
    for (const canvas of [this.#axis, this.#field, this.#map])
      canvas.getContext('2d')?.getImageData(0, 0, 1, 1);
  }

  close(): void {
    for (const canvas of [this.#axis, this.#field, this.#map]) canvas.remove();
  }
}

const WARM_UP = 20;
const FRAMES = 90;

export async function measureTimeline(rounds: number): Promise<TimelineFigures[]> {
  const sessions = [1, 100, 10_000].map((turns) => ({ turns, state: sessionOf(turns) }));
  const benches = ['the last turn', 'the whole session'].flatMap((view) =>
    sessions.map(({ turns, state }) => new Bench(turns, view, state)),
  );
  for (let round = 0; round < rounds + WARM_UP; round += 1) {
    for (const bench of benches) {
      bench.move(round);
      const from = performance.now();
      bench.paint();
      bench.finish();
      if (round >= WARM_UP) bench.times.push(performance.now() - from);
    }
    await nextFrame();
  }
  for (const bench of benches) {
    let before = await nextFrame();
    for (let frame = 0; frame < FRAMES; frame += 1) {
      bench.move(frame);
      bench.paint();
      const now = await nextFrame();
      bench.longestFrameMs = Math.max(bench.longestFrameMs, now - before);
      before = now;
    }
  }
  return benches.map((bench) => {
    bench.close();
    const sorted = bench.times.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
    return {
      turns: bench.turns,
      view: bench.view,
      medianMs: at(0.5),
      p95Ms: at(0.95),
      longestFrameMs: bench.longestFrameMs,
    };
  });
}

const nextFrame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));
