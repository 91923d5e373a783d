import { audioSecondsOf, realTimeFactor } from '#trace/speed.ts';
import { type WaitSegment, waitMsOf } from '#trace/wait.ts';
import type { TurnView } from '../views.ts';
import type { MeasureId, WaitMeasureId } from './definitions.ts';

/** Every measure of a turn in the unit of its definition. Null is unknown or not applicable, never 0. */
export type TurnMeasures = Readonly<Record<MeasureId, number | null>>;

/** Returns the measures of a turn. They change until the turn has been heard. */
export function measuresOf(turn: TurnView): TurnMeasures {
  const { wait, gaps, bargeIn } = turn;
  const heard = turn.heardFromMs !== null;
  const audioSeconds = audioSecondsOf(turn);
  return {
    waitMs: wait && waitMsOf(wait),
    ...partsOf(wait),
    gapMeanMs: gaps?.meanMs ?? null,
    gapP95Ms: gaps?.p95Ms ?? null,
    gapLongestMs: gaps?.longestMs ?? null,
    neededFloorMs: turn.neededFloorMs,
    underruns: heard ? turn.underruns.length : null,
    underrunMs: heard ? underrunMsOf(turn) : null,
    rtf: realTimeFactor(turn),
    marginLeastMs: turn.leastMarginMs,
    marginEndMs: marginEndMs(turn),
    charactersPerSecond:
      turn.state === 'ended' && audioSeconds > 0 && turn.text !== ''
        ? (turn.text.length + turn.cutChars) / audioSeconds
        : null,
    loudness: turn.loudness,
    wordLagMs: extreme(turn.chunks.map(wordLagMs), Math.max),
    wordLeadMs: extreme(turn.chunks.map(wordLeadMs), Math.min),
    bargeInSilenceMs: since(bargeIn?.pressedMs, bargeIn?.silentMs),
    bargeInInterruptedMs: since(bargeIn?.pressedMs, bargeIn?.interruptedMs),
    bargeInReconnectMs: turn.reconnectMs,
    ...modelMeasuresOf(turn),
    talkOverDecisionMs: since(bargeIn?.onsetMs, bargeIn?.pressedMs),
    talkOverSilenceMs: since(bargeIn?.onsetMs, bargeIn?.silentMs),
    talkOverInterruptedMs: since(bargeIn?.onsetMs, bargeIn?.interruptedMs),
    wireBytesPerSecond: audioSeconds > 0 ? turn.audioBytes / audioSeconds : null,
  };
}

/** The silence of all underruns that are over. */
export const underrunMsOf = ({ underruns }: Pick<TurnView, 'underruns'>): number =>
  underruns.reduce((sum, { lengthMs }) => sum + (lengthMs ?? 0), 0);

/** Only the turn that begins an answer waited for the model. */
function modelMeasuresOf({
  id,
  answer,
  wait,
  firstTextMs,
}: TurnView): Pick<TurnMeasures, 'modelFirstTokenMs' | 'askedToAudibleMs' | 'modelCharactersPerSecond'> {
  const askedMs = answer?.turn === id ? answer.askedMs : null;
  const waitMs = wait && waitMsOf(wait);
  const writingMs = since(answer?.firstTokenMs, answer?.lastTokenMs);
  return {
    modelFirstTokenMs: since(askedMs, answer?.firstTokenMs),
    askedToAudibleMs: firstTextMs === null || waitMs === null ? null : since(askedMs, firstTextMs + waitMs),
    modelCharactersPerSecond: answer && writingMs ? (answer.characters * 1000) / writingMs : null,
  };
}

/** Returns the measure of a part of the wait. */
export const measureOfPart = (name: WaitSegment['name']): WaitMeasureId => `${name}Ms`;

function partsOf(wait: TurnView['wait']): Record<WaitMeasureId, number | null> {
  const ms = (name: WaitSegment['name']): number | null =>
    wait?.find((segment) => segment.name === name)?.ms ?? null;
  return {
    serverMs: ms('server'),
    firstAudioFrameMs: ms('firstAudioFrame'),
    decodeMs: ms('decode'),
    outputMs: ms('output'),
    startFloorMs: ms('startFloor'),
    inTurnMs: ms('inTurn'),
    firstSampleMs: ms('firstSample'),
    leadingSilenceMs: ms('leadingSilence'),
  };
}

/** Null unless the turn was received whole and heard to its end. */
function marginEndMs({ state, chunks, heardToMs, silencedMs }: TurnView): number | null {
  if (state !== 'ended' || silencedMs !== null) return null;
  return since(
    extreme(
      chunks.map(({ lastAudioMs }) => lastAudioMs),
      Math.max,
    ),
    heardToMs,
  );
}

type Chunk = TurnView['chunks'][number];

const wordLagMs = ({ wordsMs, lastAudioMs }: Chunk): number | null => since(lastAudioMs, wordsMs);

function wordLeadMs({ wordsMs, words, heardFromMs }: Chunk): number | null {
  const first = words?.[0];
  return first && heardFromMs !== null ? since(wordsMs, heardFromMs + first.startMs) : null;
}

const since = (fromMs: number | null | undefined, toMs: number | null | undefined): number | null =>
  fromMs == null || toMs == null ? null : toMs - fromMs;

function extreme(values: readonly (number | null)[], of: (...known: number[]) => number): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : of(...known);
}
