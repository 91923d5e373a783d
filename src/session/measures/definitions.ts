import type { WaitSegment } from '#trace/wait.ts';

/** Groups of measures, in the order in which they are shown. */
export type MeasureGroup = 'wait' | 'flow' | 'speech' | 'bargeIn' | 'model';

export interface Measure {
  id: MeasureId;
  group: MeasureGroup;
  title: string;
  /** `ratio` has no unit; `times` is a count. */
  unit: 'ms' | 'times' | 'ratio' | '%' | 'characters/s' | 'bytes/s' | 'LUFS';
  /** Its meaning, as shown on the page. */
  definition: string;
  /** How it is computed. */
  computed: string;
  better: 'lower' | 'higher' | 'none';
}

/** Measures of the parts of the wait. */
export type WaitMeasureId = `${WaitSegment['name']}Ms`;

const DEFAULTS = { unit: 'ms', better: 'lower' } as const;

type Defined = Omit<Measure, 'id' | 'group' | 'unit' | 'better'> & Partial<Pick<Measure, 'unit' | 'better'>>;

const DEFINED = {
  wait: {
    waitMs: {
      title: 'Wait',
      definition:
        'Time to first audio for the listener: from the first text sent until the first audible sample left the speakers. Its parts follow one another and add up to it.',
      computed: 'The sum of the parts below.',
    },
    serverMs: {
      title: 'Server started',
      definition:
        'From the first text sent until the server reported that it generates. Text that waits in its buffer counts here.',
      computed:
        'The start of the first chunk less the first text. Unknown where the protocol reports no start.',
    },
    firstAudioFrameMs: {
      title: 'First audio frame',
      definition:
        'From the start of generation, or from the first text where the protocol reports no start, until the first audio frame arrived.',
      computed: 'The arrival of the first audio frame less the moment before it.',
    },
    decodeMs: {
      title: 'Decoded, queued',
      definition: 'From the arrival of the first audio frame until its samples were ready for the player.',
      computed: 'The time at which its samples were queued less its arrival.',
    },
    outputMs: {
      title: 'Sound output opened',
      definition: 'The browser opened the sound output only then, while audio was waiting for it.',
      computed:
        'The opening of the output less the moment before it. Only of a turn whose audio waited for it.',
    },
    startFloorMs: {
      title: 'Prebuffer target reached',
      definition:
        'From the first samples queued until enough of them were queued to start without an underrun.',
      computed: 'The moment at which the target was reached, or given up, less the moment before it.',
    },
    inTurnMs: {
      title: 'Its turn came',
      definition: 'From being ready until the line before it had been heard: no wait for the listener.',
      computed: 'The release of the line less the moment before it. Only of lines that are heard in turn.',
      better: 'none',
    },
    firstSampleMs: {
      title: 'First sample',
      definition:
        'From the decision to start until the first sample left the speakers, output latency included.',
      computed: 'The audio frame of the first sample, on the wall clock, less the moment before it.',
    },
    leadingSilenceMs: {
      title: 'First audible sample',
      definition: 'Silence at the beginning of the audio itself, which counts as waiting.',
      computed: 'Samples before the first above −50 dBFS, and the silence of an underrun among them.',
    },
  },
  flow: {
    gapMeanMs: {
      title: 'Gap, mean',
      definition: 'Time between two audio frames as they arrived, on average.',
      computed: 'The arrivals of one frame and the next, of the whole turn.',
      better: 'none',
    },
    gapP95Ms: {
      title: 'Gap, p95',
      definition: 'The gap that 95 of 100 gaps between audio frames do not exceed.',
      computed: 'Nearest rank, so always a gap that occurred.',
    },
    gapLongestMs: {
      title: 'Gap, longest',
      definition:
        'The longest time between two audio frames. Frames may come faster than they are heard; only long gaps matter.',
      computed: 'The largest of the gaps.',
    },
    neededFloorMs: {
      title: 'Prebuffer needed',
      definition:
        'The least audio to queue before starting with which this turn would have had no underrun. 0: it could have started with its first audio frame.',
      computed: 'Arrivals and lengths of the audio frames, in a player that starts once it has that much.',
    },
    underruns: {
      title: 'Underruns',
      unit: 'times',
      definition: 'How often the player had to play silence although the turn was not over.',
      computed: 'Counted by the audio thread where they were heard.',
    },
    underrunMs: {
      title: 'Underrun silence',
      definition: 'The silence of all underruns together, as it was heard.',
      computed:
        'Audio frames from the underrun until playing resumed. An underrun that still lasts does not count.',
    },
    marginLeastMs: {
      title: 'Margin, least',
      definition:
        'The least lead of generation over hearing: the unheard audio before an audio frame when the frame arrived. Below 0 the frame came too late.',
      computed:
        'For each audio frame but the first: when the sample before it left the speakers less its arrival; the least of these.',
      better: 'higher',
    },
    marginEndMs: {
      title: 'Margin, at the end',
      definition: 'The lead of generation over hearing when the whole turn had arrived.',
      computed: 'When the last sample left the speakers less the arrival of the last audio frame.',
      better: 'higher',
    },
    wireBytesPerSecond: {
      title: 'Wire',
      unit: 'bytes/s',
      definition: 'Bytes of whole audio frames for each second of audio.',
      computed: 'Sizes of the frames, before any compression of the connection.',
      better: 'none',
    },
  },
  speech: {
    rtf: {
      title: 'RTF',
      unit: 'ratio',
      definition:
        'Real-time factor: generation time divided by audio time. Below 1 the server is faster than the voice.',
      computed:
        'Generation times of all chunks, as the server measured them, over the length of their audio. Unknown where the server reports none.',
    },
    charactersPerSecond: {
      title: 'Pace',
      unit: 'characters/s',
      definition: 'How fast the voice speaks: characters of text for each second of audio.',
      computed: 'The text sent, as written, over the length of the audio. Only of turns spoken to their end.',
      better: 'none',
    },
    loudness: {
      title: 'Loudness',
      unit: 'LUFS',
      definition:
        'How loud the voice is to the ear, pauses not counted. A voice that is 1 LU louder has 1 dB more.',
      computed:
        'Integrated loudness by ITU-R BS.1770 of all audio received, as one channel: weighted by frequency, in blocks of 400 ms with gates at −70 LUFS and 10 LU below the mean.',
      better: 'none',
    },
    wordLagMs: {
      title: 'Word times behind audio',
      definition:
        'How long after the audio of a chunk its word times came; the latest chunk of the turn. Below 0 they came before.',
      computed: "Arrival of a chunk's word times less the arrival of its last audio frame; the largest.",
    },
    wordLeadMs: {
      title: 'Word times before hearing',
      definition:
        'How long before its first word was heard the word times of a chunk arrived; the tightest chunk of the turn. Below 0 the highlight began by an estimate.',
      computed:
        "When a chunk's first word left the speakers less the arrival of its word times; the smallest.",
      better: 'higher',
    },
  },
  bargeIn: {
    bargeInSilenceMs: {
      title: 'Barge-in to silence',
      definition:
        'From the press on Cancel, the line that cut it off, or the decision that a person speaks, until the turn was silent at the speakers.',
      computed:
        'The audio frame at which the turn fell silent, on the wall clock, less the press or decision.',
    },
    bargeInInterruptedMs: {
      title: 'Barge-in to interrupted',
      definition:
        'From the press on Cancel, the line that cut it off, or the decision that a person speaks, until the server confirmed that it stopped. Where speech pauses first, the pause is included.',
      computed:
        'The arrival of its confirmation less the press or decision; unknown where the protocol has no cancel.',
    },
    bargeInReconnectMs: {
      title: 'Barge-in to reconnected',
      definition:
        'Where the protocol has no cancel, a new connection replaces the old one: from the press until the next turn could start.',
      computed: 'The moment at which the new connection took text less the press.',
    },
    talkOverDecisionMs: {
      title: 'Speech to decision',
      definition:
        'From the onset of your speech until the detector decided that you speak. The latency of the microphone itself is not included, because no browser reports it.',
      computed:
        'The decision less the start of the first block of sound in which the detector heard speech. Only of a turn that speech cut off.',
    },
    talkOverSilenceMs: {
      title: 'Speech to silence',
      definition: 'From the onset of your speech until the turn was silent at the speakers.',
      computed: 'The audio frame at which the turn fell silent, on the wall clock, less the onset.',
    },
    talkOverInterruptedMs: {
      title: 'Speech to interrupted',
      definition: 'From the onset of your speech until the server confirmed that it stopped.',
      computed: 'The arrival of its confirmation less the onset. Unknown where the protocol has no cancel.',
    },
  },
  model: {
    modelFirstTokenMs: {
      title: 'Model, first token',
      definition:
        'From the request to the live model until the first token of its answer. It comes before the wait and is no part of it.',
      computed: 'The arrival of the first token with text to speak less the request. Thoughts do not count.',
    },
    askedToAudibleMs: {
      title: 'Question to first audible',
      definition:
        'From the request to the live model until the first audible sample left the speakers: what a person waits for an answer.',
      computed: 'The end of the wait less the request.',
    },
    modelCharactersPerSecond: {
      title: 'Model, pace',
      unit: 'characters/s',
      definition:
        'How fast the live model writes. Below the pace of the voice, the voice has to wait for the text.',
      computed: 'Characters of its answer, over the time from its first token to its last.',
      better: 'higher',
    },
  },
} satisfies Record<MeasureGroup, Record<string, Defined>>;

type Definitions = typeof DEFINED;
export type MeasureId = { [Group in MeasureGroup]: keyof Definitions[Group] }[MeasureGroup];

/**
 * Every measure of a turn, for page, export, benchmark and `docs/measures.md`. Frames are timed by the wall clock, heard
 * samples by the audio clock, converted to the wall time at which they leave the speakers.
 */
export const MEASURES: readonly Measure[] = Object.entries(DEFINED).flatMap(([group, measures]) =>
  Object.entries<Defined>(measures).map(([id, measure]) => ({
    id: id as MeasureId,
    group: group as MeasureGroup,
    ...DEFAULTS,
    ...measure,
  })),
);

const BY_ID = Object.fromEntries(MEASURES.map((measure) => [measure.id, measure])) as Record<
  MeasureId,
  Measure
>;

export const measureOf = (id: MeasureId): Measure => BY_ID[id];
