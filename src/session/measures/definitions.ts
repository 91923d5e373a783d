import type { WaitSegment } from '../views.ts';

/** `ratio` has no unit; `times` is a count. */
export type MeasureUnit = 'ms' | 'times' | 'ratio' | 'characters/s' | 'bytes/s';

/** Groups of measures, in the order in which they are shown. */
export type MeasureGroup = 'wait' | 'flow' | 'speech' | 'bargeIn';

export interface Measure {
  id: MeasureId;
  group: MeasureGroup;
  title: string;
  unit: MeasureUnit;
  /** Its meaning, as shown on the page. */
  definition: string;
  /** How it is computed. */
  computed: string;
  better: 'lower' | 'higher' | 'none';
}

/** Measures of the parts of the wait. */
export type WaitMeasureId = `${WaitSegment['name']}Ms`;

export type MeasureId =
  | 'waitMs'
  | WaitMeasureId
  | 'gapMeanMs'
  | 'gapP95Ms'
  | 'gapLongestMs'
  | 'neededFloorMs'
  | 'underruns'
  | 'underrunMs'
  | 'rtf'
  | 'marginLeastMs'
  | 'marginEndMs'
  | 'charactersPerSecond'
  | 'wordLagMs'
  | 'wordLeadMs'
  | 'bargeInSilenceMs'
  | 'bargeInInterruptedMs'
  | 'bargeInReconnectMs'
  | 'wireBytesPerSecond';

const DEFINED: Readonly<Record<MeasureId, Omit<Measure, 'id'>>> = {
  waitMs: {
    group: 'wait',
    title: 'Wait',
    unit: 'ms',
    definition:
      'Time to first audio as the listener has it: from the first text sent until the first audible sample left the speakers. Its parts follow one another and add up to it.',
    computed: 'The sum of the parts below.',
    better: 'lower',
  },
  serverMs: {
    group: 'wait',
    title: 'Server started',
    unit: 'ms',
    definition:
      'From the first text sent until the server said that it generates. Text that waits in its buffer counts here.',
    computed: 'The start of the first chunk less the first text. Unknown where the protocol tells no start.',
    better: 'lower',
  },
  firstAudioFrameMs: {
    group: 'wait',
    title: 'First audio frame',
    unit: 'ms',
    definition:
      'From the start of generation, or from the first text where the protocol tells no start, until the first audio frame arrived.',
    computed: 'The arrival of the first audio frame less the moment before it.',
    better: 'lower',
  },
  decodeMs: {
    group: 'wait',
    title: 'Decoded, queued',
    unit: 'ms',
    definition: 'From the arrival of the first audio frame until its samples were ready for the player.',
    computed: "The end of the frame's handling less its arrival.",
    better: 'lower',
  },
  outputMs: {
    group: 'wait',
    title: 'Sound output opened',
    unit: 'ms',
    definition: 'The browser opened the sound output only then, while audio was waiting for it.',
    computed:
      'The attaching of the output less the moment before it. Only of a turn whose audio waited for it.',
    better: 'lower',
  },
  startFloorMs: {
    group: 'wait',
    title: 'Start floor reached',
    unit: 'ms',
    definition: 'From the first samples queued until enough of them were there to start without running dry.',
    computed: 'The moment at which the floor was met, or given up, less the moment before it.',
    better: 'lower',
  },
  inTurnMs: {
    group: 'wait',
    title: 'Its turn came',
    unit: 'ms',
    definition: 'From being ready until the line before it had been heard: no wait for the listener.',
    computed: 'The release of the line less the moment before it. Only of lines that are heard in turn.',
    better: 'none',
  },
  firstSampleMs: {
    group: 'wait',
    title: 'First sample',
    unit: 'ms',
    definition:
      'From the decision to start until the first sample left the speakers: the output latency is in here.',
    computed: 'The audio frame of the first sample, on the wall clock, less the moment before it.',
    better: 'lower',
  },
  leadingSilenceMs: {
    group: 'wait',
    title: 'First audible sample',
    unit: 'ms',
    definition: 'Silence at the beginning of the audio itself. It is waiting all the same.',
    computed: 'Samples before the first above −50 dBFS, and the silence of an underrun among them.',
    better: 'lower',
  },
  gapMeanMs: {
    group: 'flow',
    title: 'Gap, mean',
    unit: 'ms',
    definition: 'Time between two audio frames as they arrived, on average.',
    computed: 'The arrivals of one frame and the next, of the whole turn.',
    better: 'none',
  },
  gapP95Ms: {
    group: 'flow',
    title: 'Gap, p95',
    unit: 'ms',
    definition: 'The gap that 95 of 100 gaps between audio frames do not exceed.',
    computed: 'Nearest rank, so always a gap that occurred.',
    better: 'lower',
  },
  gapLongestMs: {
    group: 'flow',
    title: 'Gap, longest',
    unit: 'ms',
    definition:
      'The longest time between two audio frames. Frames may come faster than they are heard; only long gaps matter.',
    computed: 'The largest of the gaps.',
    better: 'lower',
  },
  neededFloorMs: {
    group: 'flow',
    title: 'Start floor needed',
    unit: 'ms',
    definition:
      'The least audio to wait for before starting with which this turn would not have run dry. 0: it could have started with its first audio frame.',
    computed:
      'Arrivals and lengths of the audio frames, played by a player that starts once it has that much.',
    better: 'lower',
  },
  underruns: {
    group: 'flow',
    title: 'Underruns',
    unit: 'times',
    definition: 'How often the player had to play silence although the turn was not over.',
    computed: 'Counted by the audio thread where they were heard.',
    better: 'lower',
  },
  underrunMs: {
    group: 'flow',
    title: 'Underrun silence',
    unit: 'ms',
    definition: 'The silence of all underruns together, as the listener sat through it.',
    computed: 'Audio frames from running dry until playing went on; one that still lasts does not count.',
    better: 'lower',
  },
  marginLeastMs: {
    group: 'flow',
    title: 'Margin, least',
    unit: 'ms',
    definition:
      'How far generation ran ahead of hearing when that was closest: before an audio frame arrived, so much was still to be heard of what came before it. Below 0 the frame came too late.',
    computed:
      'For each audio frame but the first: when the sample before it left the speakers less its arrival; the least of these.',
    better: 'higher',
  },
  marginEndMs: {
    group: 'flow',
    title: 'Margin, at the end',
    unit: 'ms',
    definition: 'How far generation was ahead of hearing when all of the turn was there.',
    computed: 'When the last sample left the speakers less the arrival of the last audio frame.',
    better: 'higher',
  },
  wireBytesPerSecond: {
    group: 'flow',
    title: 'Wire',
    unit: 'bytes/s',
    definition: 'Bytes of the audio frames for each second of audio, with all that is wrapped around it.',
    computed: 'Sizes of the frames as they came, before any compression of the connection.',
    better: 'none',
  },
  rtf: {
    group: 'speech',
    title: 'RTF',
    unit: 'ratio',
    definition:
      'Real-time factor: generation time divided by audio time. Below 1 the server is faster than the voice.',
    computed:
      'Generation times of all chunks, as the server measured them, over the length of their audio. Unknown where the server tells none.',
    better: 'lower',
  },
  charactersPerSecond: {
    group: 'speech',
    title: 'Pace',
    unit: 'characters/s',
    definition: 'How fast the voice speaks: characters of text for each second of audio.',
    computed: 'The text sent, as written, over the length of the audio. Only of turns spoken to their end.',
    better: 'none',
  },
  wordLagMs: {
    group: 'speech',
    title: 'Word times behind audio',
    unit: 'ms',
    definition:
      'How long after the audio of a chunk its word times came; the latest chunk of the turn. Below 0 they came before.',
    computed: "Arrival of a chunk's word times less the arrival of its last audio frame; the largest.",
    better: 'lower',
  },
  wordLeadMs: {
    group: 'speech',
    title: 'Word times before hearing',
    unit: 'ms',
    definition:
      'How long before its first word was heard the word times of a chunk were there; the tightest chunk of the turn. Below 0 the highlight came late.',
    computed: "When a chunk's first word left the speakers less the arrival of its word times; the smallest.",
    better: 'higher',
  },
  bargeInSilenceMs: {
    group: 'bargeIn',
    title: 'Barge-in to silence',
    unit: 'ms',
    definition:
      'From the press on Cancel, or from the line that cut it off, until nothing of the turn left the speakers any more.',
    computed: 'The audio frame at which the turn fell silent, on the wall clock, less the press.',
    better: 'lower',
  },
  bargeInInterruptedMs: {
    group: 'bargeIn',
    title: 'Barge-in to interrupted',
    unit: 'ms',
    definition:
      'From the press on Cancel, or from the line that cut it off, until the server confirmed that it stopped.',
    computed: 'The arrival of its confirmation less the press. Unknown where the protocol has no cancel.',
    better: 'lower',
  },
  bargeInReconnectMs: {
    group: 'bargeIn',
    title: 'Barge-in to reconnected',
    unit: 'ms',
    definition:
      'Where the protocol has no cancel, the connection is left and another one opened: from the press until the next turn could start.',
    computed: 'The moment at which the new connection took text less the press.',
    better: 'lower',
  },
};

/**
 * Every measure of a turn, for page, export, benchmark and `docs/measures.md`. Frames are timed by the wall clock, heard
 * samples by the audio clock, converted to the wall time at which they leave the speakers.
 */
export const MEASURES: readonly Measure[] = Object.entries(DEFINED).map(([id, measure]) => ({
  id: id as MeasureId,
  ...measure,
}));

export const measureOf = (id: MeasureId): Measure => ({ id, ...DEFINED[id] });
