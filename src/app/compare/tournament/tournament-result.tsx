import { Download, RotateCcw } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { largest } from '#lib/collections/arrays.ts';
import { milliseconds, withMinus } from '#lib/format.ts';
import { saveText } from '../../browser/save-file.ts';
import { FieldsTable } from '../../studio/measures/fields-table.tsx';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useVoiceName } from '../../wording/voice-name.ts';
import { useComparisons, useTournament } from '../comparisons.ts';
import { hueOf, nameOf, type Side, voiceOf } from '../side.ts';
import { type Standing, tournamentOutcome } from './standings.ts';
import { roundRows, tournamentCsv, tournamentJson } from './tournament-files.ts';

const FILE = 'voicewire-tournament';

export function TournamentResult() {
  const { tournament } = useComparisons();
  const record = useTournament((state) => state.record);
  const failure = useTournament((state) => state.failure);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  if (!record) return null;
  const { headline, sentence, standings } = tournamentOutcome(
    Object.keys(record.configurations),
    record.heard,
  );
  return (
    <section
      aria-labelledby="tournament-result"
      className="flex flex-col gap-5 rounded-panel border border-border bg-surface p-4 wide:p-6"
    >
      <header className="flex flex-col gap-1">
        <h3
          ref={title}
          id="tournament-result"
          tabIndex={-1}
          className="text-20 font-semibold tracking-[-0.01em] outline-none"
        >
          {headline}
        </h3>
        <p className="max-w-[76ch] text-13 text-text-muted">{sentence}</p>
      </header>
      {failure && (
        <Notice severity="error" title={`${nameOf(failure.id)} could not speak a text`}>
          {failure.reason}
        </Notice>
      )}
      {Object.entries(record.leftOut).map(([id, { side, reason }]) => (
        <Notice key={id} severity="warning" title={`${nameOf(id)} was left out, and its rounds do not count`}>
          <Configuration id={id} side={side} />
          {reason}
        </Notice>
      ))}
      <Ranking standings={standings} configurations={record.configurations} />
      <FieldsTable
        label="Rounds"
        rows={roundRows(record.heard).map(({ text, x, y, preferred, playsX, playsY, waitMsX, waitMsY }) => ({
          Text: <p className="max-w-80 truncate font-sans">{text}</p>,
          'X was': x,
          'Y was': y,
          Chosen: preferred || 'no difference',
          'Played X, Y': `${playsX}, ${playsY}`,
          'Wait of X, of Y': `${milliseconds(waitMsX)}, ${milliseconds(waitMsY)}`,
        }))}
      />
      <div className="flex flex-wrap gap-2">
        <Button variant="filled" icon={RotateCcw} onClick={() => tournament.quit()}>
          Another tournament
        </Button>
        <Button
          icon={Download}
          onClick={() => saveText(tournamentJson(record), `${FILE}.json`, 'application/json')}
        >
          Save JSON
        </Button>
        <Button icon={Download} onClick={() => saveText(tournamentCsv(record), `${FILE}.csv`, 'text/csv')}>
          Save CSV
        </Button>
      </div>
    </section>
  );
}

interface RankingProps {
  standings: readonly Standing[];
  configurations: Readonly<Record<string, Side>>;
}

function Ranking({ standings, configurations }: RankingProps) {
  // All intervals share one scale, which is symmetric about the mean.
  const most = largest(standings.map(({ low, high }) => Math.max(-low, high)));
  return (
    <figure className="flex flex-col gap-2">
      <FieldsTable
        label="Ranking"
        rows={standings.map((standing) => ({
          Configuration: <Configuration id={standing.id} side={configurations[standing.id]} />,
          Rating: ratingText(standing.rating),
          '95 % interval': <Interval standing={standing} most={most} />,
          Won: standing.wins,
          'No difference': standing.ties,
          Lost: standing.losses,
        }))}
      />
      <figcaption className="max-w-[76ch] text-12 text-text-muted">
        Ratings by Bradley and Terry, 0 is the mean of all. A lead of 1 means preferred in 73 of 100 rounds
        that have a preference, a lead of 2 in 88. No difference counts as half a win for each.
      </figcaption>
    </figure>
  );
}

function Configuration({ id, side }: { id: string; side: Side | undefined }) {
  const name = useVoiceName(side && voiceOf(side));
  return (
    <p data-voice={hueOf(id)} className="flex gap-2 font-sans">
      <span className="font-semibold text-voice">{nameOf(id)}</span>
      <span className="font-medium">{name}</span>
      <span className="text-text-muted">{side?.endpoint}</span>
    </p>
  );
}

const ratingText = (value: number): string => withMinus(value, (size) => size.toFixed(2));

interface IntervalProps {
  standing: Standing;
  /** Rating at the right end of the scale. */
  most: number;
}

function Interval({ standing: { id, rating, low, high }, most }: IntervalProps) {
  const percent = (value: number): string => `${(50 + (50 * value) / most).toFixed(2)}%`;
  return (
    <div data-voice={hueOf(id)} className="flex items-center gap-4">
      {ratingText(low)} to {ratingText(high)}
      <div aria-hidden className="relative h-4 min-w-40 flex-1">
        <div className="absolute inset-y-0 left-1/2 w-px bg-border" />
        <div
          className="absolute top-1/2 h-0.5 -translate-y-1/2 rounded-mark bg-voice"
          style={{ left: percent(low), width: `calc(${percent(high)} - ${percent(low)})` }}
        />
        <div
          className="absolute top-1/2 size-2.5 -translate-1/2 rounded-full bg-voice"
          style={{ left: percent(rating) }}
        />
      </div>
    </div>
  );
}
