import { useEffect, useRef } from 'react';
import { paint } from '../../browser/paint.ts';
import { useDetectorSettings } from '../../stores/microphone-store.ts';
import { cx } from '../../ui/cx.ts';
import { heardNow } from './heard-now.ts';

/** The meter of the level covers this range, in dB of full scale. */
const FLOOR_DB = -80;

const shareOfDb = (db: number): number => Math.min(1, Math.max(0, 1 - db / FLOOR_DB));

const stretch = (bar: HTMLElement | null, share: number): void => {
  if (bar) bar.style.scale = `${share} 1`;
};

/** Level and probability of speech, live, each with the least that counts. Painted outside of React. */
export function SpeechMeter({ isSmall = false }: { isSmall?: boolean }) {
  const level = useRef<HTMLSpanElement>(null);
  const speech = useRef<HTMLSpanElement>(null);
  const { threshold, leastLevelDb } = useDetectorSettings();
  useEffect(
    () =>
      paint.add(() => {
        const heard = heardNow.current;
        stretch(level.current, heard ? shareOfDb(heard.levelDb) : 0);
        stretch(speech.current, heard?.probability ?? 0);
        return false;
      }),
    [],
  );
  return (
    <span aria-hidden className={cx('flex flex-col', isSmall ? 'w-16 gap-1' : 'gap-2')}>
      <Bar title="Level" bar={level} least={shareOfDb(leastLevelDb)} isSmall={isSmall} />
      <Bar title="Speech" bar={speech} least={threshold} isSmall={isSmall} />
    </span>
  );
}

interface BarProps {
  title: string;
  bar: React.RefObject<HTMLSpanElement | null>;
  least: number;
  isSmall: boolean;
}

const Bar = ({ title, bar, least, isSmall }: BarProps) => (
  <span className="flex items-center gap-3">
    {!isSmall && <span className="w-14 text-12 text-text-subtle">{title}</span>}
    <span className={cx('relative flex-1 rounded-full bg-border', isSmall ? 'h-1' : 'h-1.5')}>
      <span
        ref={bar}
        className="absolute inset-0 origin-left rounded-full bg-text-muted"
        style={{ scale: '0 1' }}
      />
      <span
        className={cx('absolute w-0.5 -translate-x-1/2 bg-text', isSmall ? '-inset-y-0.5' : '-inset-y-1')}
        style={{ left: `${least * 100}%` }}
      />
    </span>
  </span>
);
