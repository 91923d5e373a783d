import type { TurnSeries } from '#session/measures/series.ts';
import { sparkShape } from './spark-shape.ts';

const WIDTH = 112;
const HEIGHT = 18;
const INSET = 3;

/** One measure over the last turns: a ring for the shown turn, a diamond for the outlier. @param label in words */
export function Sparkline({ series, label, turn }: { series: TurnSeries; label: string; turn: number }) {
  const { path, dots } = sparkShape(series.figures, WIDTH, HEIGHT, INSET);
  const here = dots.find((dot) => dot.turn === turn);
  const out = dots.find((dot) => dot.turn === series.outlier?.turn);
  return (
    <svg
      role="img"
      aria-label={label}
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className="block w-16 shrink-0 fill-none text-text-muted @min-[420px]:w-28"
    >
      <path d={path} className="stroke-current" strokeWidth={1} strokeLinejoin="round" />
      {dots.length === 1 && dots[0] && (
        <circle cx={dots[0].x} cy={dots[0].y} r={1.5} className="fill-current" />
      )}
      {out && (
        <path
          d={`M${out.x - 3} ${out.y}L${out.x} ${out.y - 3}L${out.x + 3} ${out.y}L${out.x} ${out.y + 3}Z`}
          className="fill-waiting"
        />
      )}
      {here && (
        <circle cx={here.x} cy={here.y} r={2.5} className="fill-surface stroke-text" strokeWidth={1.25} />
      )}
    </svg>
  );
}
