import { seconds } from '#lib/format.ts';
import type { SoundSpan } from '#protocol/core/rule.ts';
import { recordingsLink } from '../../../recordings-client/recordings-link.ts';
import { leadInS, soundPlace } from '../../../recordings-client/sound-findings.ts';
import { cx } from '../../../ui/cx.ts';
import { ClipButton, useClip } from '../clip/clip-button.tsx';

/** Speech after the place, in seconds. */
const TAIL_S = 1;
/** A place may be a whole turn. */
const MAX_PLAYED_S = 30;

/** The place of a finding in the sound, with a button that plays it from the recording. */
export function SoundPlace({ sound, className }: { sound: SoundSpan; className: string }) {
  const { turn, fromS, toS } = sound;
  const startS = leadInS(fromS);
  const clip = useClip(async () => {
    const endS = Math.min(toS + TAIL_S, startS + MAX_PLAYED_S);
    const found = await recordingsLink.query(({ turnSound }) => turnSound(turn ?? -1, startS, endS), null);
    if (!found) throw new Error('the recording has no sound at this place.');
    return found;
  });
  return (
    <div className={cx('flex flex-wrap items-center gap-2 text-12', className)}>
      <span className="flex-1 font-mono whitespace-nowrap text-text-subtle">{soundPlace(sound)}</span>
      {turn !== null && (
        <ClipButton clip={clip}>
          Play<span className="sr-only"> from {seconds(startS)}</span>
        </ClipButton>
      )}
    </div>
  );
}
