import { memo } from 'react';
import type { Envelope } from '#recordings/view/envelope.ts';

const COLUMN_PX = 2;
const BAR_PX = 1;
const HEIGHT_PX = 16;
/** Silence is a line, not nothing. */
const LEAST_PX = 1;
const LOUDEST = 255;

/** How some audio sounds, in the height of a row. The figures beside it say how long it is. */
export const RowWave = memo(function RowWave({ envelope }: { envelope: Envelope }) {
  const widthPx = envelope.length * COLUMN_PX;
  return (
    <svg
      aria-hidden
      width={widthPx}
      height={HEIGHT_PX}
      className="mr-2 inline-block overflow-visible align-[-3px] text-voice @max-[480px]:hidden"
    >
      <path d={pathOf(envelope)} fill="currentColor" />
    </svg>
  );
});

/** A bar for each column, about the middle. */
function pathOf(envelope: Envelope): string {
  let path = '';
  envelope.forEach((level, column) => {
    const height = Math.max(LEAST_PX, Math.round((level / LOUDEST) * HEIGHT_PX));
    path += `M${column * COLUMN_PX} ${(HEIGHT_PX - height) / 2}h${BAR_PX}v${height}h-${BAR_PX}z`;
  });
  return path;
}
