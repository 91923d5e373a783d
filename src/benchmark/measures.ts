import { MEASURES, type Measure, type MeasureId } from '#session/measures/definitions.ts';

/** Id of a measure of a run: of its turn, or of the run alone. */
export type RunMeasureId =
  | Exclude<MeasureId, (typeof NOT_IN_A_RUN)[number]>
  | 'handshakeMs'
  | 'pressToHeardMs'
  | 'serverDoneMs'
  | 'soundFindings'
  | 'wordErrorRate';

export type RunMeasure = Omit<Measure, 'id'> & { id: RunMeasureId };

/** Measures that never occur, since a run is heard alone and to its end, and no live model writes its text. */
const NOT_IN_A_RUN = [
  'inTurnMs',
  'bargeInSilenceMs',
  'bargeInInterruptedMs',
  'bargeInReconnectMs',
  'modelFirstTokenMs',
  'askedToAudibleMs',
  'modelCharactersPerSecond',
  'talkOverDecisionMs',
  'talkOverSilenceMs',
  'talkOverInterruptedMs',
] as const;
const IS_NOT_IN_A_RUN: ReadonlySet<string> = new Set(NOT_IN_A_RUN);

export const RUN_MEASURES: readonly RunMeasure[] = [
  ...MEASURES.filter((measure): measure is Measure & RunMeasure => !IS_NOT_IN_A_RUN.has(measure.id)),
  {
    id: 'pressToHeardMs',
    title: 'Press to heard',
    unit: 'ms',
    definition:
      'From the press on Speak until the first audible sample left the speakers. On a cold connection this includes its opening; on a warm one it is the wait and a few milliseconds.',
    computed:
      'The wait, and the time from the press until the first text was sent. Unknown where a simulated model writes, whose own time would count.',
    better: 'lower',
    group: 'wait',
  },
  {
    id: 'handshakeMs',
    title: 'Connection opened',
    unit: 'ms',
    definition: 'Name look-up, TCP, TLS and upgrade of the connection that the run used.',
    computed: 'From new WebSocket until it was open.',
    better: 'lower',
    group: 'wait',
  },
  {
    id: 'serverDoneMs',
    title: 'Server done',
    unit: 'ms',
    definition: 'From the first text sent until the server ended the turn.',
    computed: 'The arrival of the frame that ends the turn less the first text.',
    better: 'lower',
    group: 'wait',
  },
  {
    id: 'soundFindings',
    title: 'Findings in the sound',
    unit: 'times',
    definition:
      'Silence, clicks, wrong levels and word times beside the sound, as the rules of sound find them.',
    computed: 'The findings of the rules of sound in all turns of the run.',
    better: 'lower',
    group: 'speech',
  },
  {
    id: 'wordErrorRate',
    title: 'Word error rate',
    unit: '%',
    definition:
      'Words of the text that were missing, wrong or added in what a transcription server heard, for each hundred words of the text. Errors of its recogniser are included.',
    computed:
      'The fewest changes from the words of the text to the heard ones, after both were normalised. Unknown where the plan names no transcription server, and where it failed.',
    better: 'lower',
    group: 'speech',
  },
];

const BY_ID: ReadonlyMap<string, RunMeasure> = new Map(RUN_MEASURES.map((measure) => [measure.id, measure]));

export const isRunMeasureId = (id: string): id is RunMeasureId => BY_ID.has(id);

/** Returns the measure with that id, or the wait. */
export const runMeasure = (id: string): RunMeasure => BY_ID.get(id) ?? WAIT;

const [WAIT] = RUN_MEASURES as readonly [RunMeasure];
