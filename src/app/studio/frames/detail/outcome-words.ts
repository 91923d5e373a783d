import { count, milliseconds } from '#lib/format.ts';
import { PlayedRanges } from '#player/played-ranges.ts';
import { DROPPED } from '#recordings/view/entry-words.ts';
import { sinceStart } from '#recordings/view/figures.ts';
import type { FrameOutcome, FrameOutcomeKind } from '#recordings/view/frame-outcome.ts';

/** The figure of frames without a played range. */
const UNHEARD: Readonly<Record<FrameOutcomeKind, string>> = {
  heard: 'no whole sample',
  hearing: 'not yet',
  cut: 'not yet',
  waiting: 'not yet',
  dropped: 'never',
  late: 'never',
  unknown: 'not recorded',
  unreadable: 'never',
};

export function outcomeFigures(outcome: FrameOutcome): [name: string, value: string][] {
  const { atUs, sampleRate, played, kind } = outcome;
  const [first] = played;
  const last = played.at(-1);
  const received: [string, string] = ['Received', sinceStart(atUs)];
  if (!first || !last) return [received, ['Heard', UNHEARD[kind]]];
  const toMs = new PlayedRanges(sampleRate, played).endMsOf(last);
  return [
    received,
    ['In the buffer', milliseconds(first.atMs - atUs / 1000)],
    [
      kind === 'hearing' ? 'Heard so far' : 'Heard',
      `${sinceStart(first.atMs * 1000)} to ${sinceStart(toMs * 1000)}`,
    ],
  ];
}

/** Describes the outcome beyond its figures; null where they are complete. */
export function outcomeWords(outcome: FrameOutcome): string | null {
  const { kind, played, dropped, sample, problem } = outcome;
  const why = dropped ? DROPPED[dropped.why] : 'it was dropped';
  const words: Record<FrameOutcomeKind, string | null> = {
    waiting: 'It waits in the buffer, and will be heard when what is before it has been.',
    hearing: 'It is being heard now.',
    cut: `Cut off at its sample ${count((dropped?.sample ?? sample) - sample)}: ${why}.`,
    dropped: `Received in time and never heard: ${why}.`,
    late: `It came too late and was not even decoded: ${why}.`,
    unknown:
      'The recording does not say what was heard of it: it ends before, there was no sound output, or it comes from another program.',
    unreadable: problem,
    heard: played.length > 1 ? silencesOf(outcome) : null,
  };
  return words[kind];
}

function silencesOf({ played, sample, sampleRate }: FrameOutcome): string {
  const ranges = new PlayedRanges(sampleRate, played);
  const silences = played.slice(1).map((range, at) => {
    const before = played[at];
    const silentMs = before ? range.atMs - ranges.endMsOf(before) : 0;
    return `${milliseconds(silentMs)} of silence before its sample ${count(range.sample - sample)}`;
  });
  return `Heard in ${played.length} pieces: ${silences.join(', ')}.`;
}
