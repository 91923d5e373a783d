import type { TurnView, WaitSegment } from '#session/views.ts';
import { playedOf } from '../../../session-client/played.ts';
import type { LaneStore, MarkKind } from '../../../session-client/timeline/lane-store.ts';
import type { Selected } from '../../../stores/selection-store.ts';
import type { StripName } from './lane-shape.ts';

/** Where something stands in the lanes. */
export interface Place {
  context: string;
  strip: StripName;
  fromMs: number;
  toMs: number;
}

/** The strips in which marks of a kind stand that are frames. */
const STRIP_OF_FRAME: Partial<Readonly<Record<MarkKind, StripName>>> = {
  text: 'text',
  flush: 'text',
  audio: 'audio',
  error: 'audio',
};

/** Where what is selected stands; nowhere where the lanes do not show it. The first place is the one to bring into view. */
export function placesOf(
  selected: Selected,
  turnOf: (id: number) => TurnView | undefined,
  marks: LaneStore,
  nowMs: number,
): Place[] {
  const turn = selected.turn === null ? undefined : turnOf(selected.turn);
  switch (selected.kind) {
    case 'turn':
      return turn ? turnPlaces(turn, nowMs) : [];
    case 'chunk':
      return turn ? chunkPlaces(turn, selected.chunk, nowMs) : [];
    case 'word':
      return turn ? wordPlaces(turn, selected.chunk, selected.word) : [];
    case 'underrun':
      return turn ? underrunPlaces(turn, selected.underrun, nowMs) : [];
    case 'frame': {
      const mark = selected.frame === null ? null : marks.ofFrame(selected.frame);
      const strip = mark && STRIP_OF_FRAME[mark.kind];
      if (mark && strip)
        return [{ context: mark.context ?? turn?.context ?? '', strip, fromMs: mark.atMs, toMs: mark.atMs }];
      return turn && selected.chunk !== null ? chunkPlaces(turn, selected.chunk, nowMs) : [];
    }
  }
}

function turnPlaces({ context, firstTextMs, heardFromMs, heardToMs, flushedMs }: TurnView, nowMs: number) {
  const places: Place[] = [];
  if (heardFromMs !== null)
    places.push({ context, strip: 'heard', fromMs: heardFromMs, toMs: heardToMs ?? nowMs });
  if (firstTextMs !== null)
    places.push({ context, strip: 'text', fromMs: firstTextMs, toMs: flushedMs ?? firstTextMs });
  return places;
}

function chunkPlaces(turn: TurnView, id: number, nowMs: number): Place[] {
  const { context } = turn;
  const chunk = turn.chunks.find((candidate) => candidate.id === id);
  if (!chunk) return [];
  const places: Place[] = [];
  const madeFromMs = chunk.startedMs ?? chunk.firstAudioMs;
  if (madeFromMs !== null) {
    const toMs = Math.max(madeFromMs, chunk.completedMs ?? chunk.lastAudioMs ?? nowMs);
    places.push({ context, strip: 'chunks', fromMs: madeFromMs, toMs });
  }
  if (chunk.heardFromMs !== null) {
    const toMs = chunk.heardToMs ?? turn.heardToMs ?? nowMs;
    places.push({ context, strip: 'heard', fromMs: chunk.heardFromMs, toMs });
  }
  return places;
}

function wordPlaces(turn: TurnView, id: number, at: number): Place[] {
  const chunk = turn.chunks.find((candidate) => candidate.id === id);
  const word = chunk?.words?.[at];
  if (!chunk || !word) return [];
  const samplesPerMs = (turn.sampleRate ?? 0) / 1000;
  const fromMs = playedOf(turn).wallMsOf(chunk.startSample + word.startMs * samplesPerMs);
  const toMs = playedOf(turn).wallMsOf(chunk.startSample + word.endMs * samplesPerMs, true);
  return fromMs === null || toMs === null
    ? []
    : [{ context: turn.context, strip: 'heard', fromMs, toMs: Math.max(fromMs, toMs) }];
}

function underrunPlaces(turn: TurnView, at: number, nowMs: number): Place[] {
  const underrun = turn.underruns[at];
  if (!underrun) return [];
  const toMs = underrun.lengthMs === null ? nowMs : underrun.atMs + underrun.lengthMs;
  const place = { context: turn.context, fromMs: underrun.atMs, toMs };
  return [
    { ...place, strip: 'heard' },
    { ...place, strip: 'buffer' },
  ];
}

/** The two ends of a part of a turn's wait, on the wall clock; null where the turn has no such part. */
export function endsOfSegment(
  { firstTextMs, wait }: Pick<TurnView, 'firstTextMs' | 'wait'>,
  name: WaitSegment['name'],
): { fromMs: number; toMs: number } | null {
  const at = wait?.findIndex((segment) => segment.name === name) ?? -1;
  if (!wait || at < 0 || firstTextMs === null) return null;
  const fromMs = wait.slice(0, at).reduce((sum, { ms }) => sum + ms, firstTextMs);
  return { fromMs, toMs: fromMs + (wait[at]?.ms ?? 0) };
}
