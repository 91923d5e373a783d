import type { FrameOutcome } from '#recordings/view/frame-outcome.ts';

/** The words that are spoken in the window, over the sound they are. */
export function WordBand({ outcome }: { outcome: FrameOutcome }) {
  const { words, window } = outcome;
  const percent = (sample: number): number =>
    (Math.min(Math.max(0, sample - window.sample), window.samples.length) / window.samples.length) * 100;
  return (
    <ol aria-label="Words in it" className="relative mb-0.5 h-5 overflow-hidden text-12">
      {words.map(({ chunk, word, text, sample, count }) => {
        const from = percent(sample);
        return (
          <li
            key={`${chunk} ${word}`}
            title={text}
            className="absolute inset-y-0 truncate rounded-inner border-x border-surface bg-voice-tint px-1 leading-5 text-text"
            style={{ left: `${from}%`, width: `${percent(sample + count) - from}%` }}
          >
            <bdi>{text}</bdi>
          </li>
        );
      })}
    </ol>
  );
}
