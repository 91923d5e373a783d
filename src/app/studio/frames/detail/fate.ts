import { count, milliseconds } from '#lib/format.ts';
import type { Became, Fate } from '#recordings/view/became.ts';
import { DROPPED } from '#recordings/view/entry-words.ts';
import { sinceStart } from '#recordings/view/figures.ts';

/** What became of a frame, in figures and in words. */

const UNHEARD: Readonly<Record<Exclude<Fate, 'heard' | 'hearing' | 'cut'>, string>> = {
  waiting: 'not yet',
  dropped: 'never',
  late: 'never',
  unknown: 'not recorded',
  unreadable: 'never',
};

/** When it came, how long it lay there, and when it was heard. */
export function fateFigures(became: Became): [name: string, value: string][] {
  const { receivedUs, heard, fate } = became;
  const [first] = heard;
  const last = heard.at(-1);
  const received: [string, string] = ['Received', sinceStart(receivedUs)];
  if (!first || !last) {
    return [received, ['Heard', fate === 'heard' ? 'no whole sample' : wordOf(fate)]];
  }
  return [
    received,
    ['In the buffer', milliseconds((first.fromUs - receivedUs) / 1000)],
    [
      fate === 'hearing' ? 'Heard so far' : 'Heard',
      `${sinceStart(first.fromUs)} to ${sinceStart(last.toUs)}`,
    ],
  ];
}

const wordOf = (fate: Fate): string =>
  fate === 'heard' || fate === 'hearing' || fate === 'cut' ? 'not yet' : UNHEARD[fate];

/** What figures cannot say; null where they say all. */
export function fateWords(became: Became): string | null {
  const { fate, heard, dropped, sample, problem } = became;
  const why = dropped ? DROPPED[dropped.why] : 'it was dropped';
  switch (fate) {
    case 'waiting':
      return 'It waits in the buffer, and will be heard when what is before it has been.';
    case 'hearing':
      return 'It is being heard now.';
    case 'cut':
      return `Cut off at its sample ${count((dropped?.sample ?? sample) - sample)}: ${why}.`;
    case 'dropped':
      return `Received in time and never heard: ${why}.`;
    case 'late':
      return `It came too late and was not even decoded: ${why}.`;
    case 'unknown':
      return 'The recording does not say what was heard of it: it ends before, there was no sound output, or it comes from another program.';
    case 'unreadable':
      return problem;
    case 'heard':
      return heard.length > 1 ? silencesOf(became) : null;
  }
}

/** Where the player ran dry in the middle of it. */
function silencesOf({ heard, sample }: Became): string {
  const silences = heard.slice(1).map((stretch, at) => {
    const silentMs = (stretch.fromUs - (heard[at]?.toUs ?? stretch.fromUs)) / 1000;
    return `${milliseconds(silentMs)} of silence before its sample ${count(stretch.sample - sample)}`;
  });
  return `Heard in ${heard.length} pieces: ${silences.join(', ')}.`;
}
