import { Download, RotateCcw } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { milliseconds, withMinus } from '#lib/format.ts';
import { measuresOf } from '#session/measures/turn-measures.ts';
import type { TurnView } from '#session/views.ts';
import { saveText } from '../../browser/save-file.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Notice } from '../../ui/notice.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { useVoiceName } from '../../wording/voice-name.ts';
import { useComparisons, useTournament } from '../comparisons.ts';
import { hueOf, nameOf, type Side, voiceOf } from '../side.ts';
import { LABELS, matchingGains, preferredIn, reductionText } from './rounds.ts';
import { headlineOf, resultSentence, type Standing, scoreOf, standingsOf } from './standings.ts';
import { type TournamentRecord, tournamentCsv, tournamentJson } from './tournament-files.ts';

const FILE = 'voicewire-tournament';
const HEAD = 'h-8 px-3 font-medium text-text-subtle whitespace-nowrap';
const ROUND_HEADS = ['Text', 'X was', 'Y was', 'Chosen', 'Played X, Y', 'Wait of X, of Y'];
const CELL = 'h-9 px-3 whitespace-nowrap';
const NUMBER = cx(CELL, 'text-right font-mono');

export function TournamentResult() {
  const { tournament } = useComparisons();
  const record = useTournament((state) => state.record);
  const failure = useTournament((state) => state.failure);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  if (!record) return null;
  const ids = Object.keys(record.configurations);
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
          {headlineOf(ids, record.heard)}
        </h3>
        <p className="max-w-[76ch] text-13 text-text-muted">{resultSentence(ids, record.heard)}</p>
      </header>
      {failure && (
        <Notice severity="error" title="A text could not be spoken">
          {failure}
        </Notice>
      )}
      <Ranking record={record} ids={ids} />
      {ids.length > 2 && <Matches record={record} ids={ids} />}
      {record.heard.length > 0 && <Rounds record={record} />}
      <p className="max-w-[76ch] text-12 text-text-muted">{loudnessText(record)}</p>
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

interface ScoresProps {
  record: TournamentRecord;
  ids: readonly string[];
}

const RANKING_HEADS = ['Configuration', 'Rating', '95 % interval', 'Won', 'No difference', 'Lost'];

function Ranking({ record, ids }: ScoresProps) {
  const standings = standingsOf(ids, record.heard);
  // All intervals share one scale, which is symmetric about the mean.
  const most = Math.max(...standings.map(({ low, high }) => Math.max(-low, high)));
  return (
    <figure className="flex flex-col gap-2">
      <ScrollRegion label="Ranking" className="overflow-x-auto">
        <table aria-label="Ranking" className="w-full text-13">
          <thead className="text-12">
            <tr>
              {RANKING_HEADS.map((title, at) => (
                <th
                  key={title}
                  scope="col"
                  colSpan={at === 1 ? 2 : 1}
                  className={cx(HEAD, at < 2 ? 'text-left' : 'text-right')}
                >
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {standings.map((standing) => (
              <RankingRow
                key={standing.id}
                standing={standing}
                side={record.configurations[standing.id]}
                most={most}
              />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <figcaption className="max-w-[76ch] text-12 text-text-muted">
        Ratings by Bradley and Terry, 0 is the mean of all. A lead of 1 means preferred in 73 of 100 rounds
        that have a preference, a lead of 2 in 88. No difference counts as half a win for each.
      </figcaption>
    </figure>
  );
}

const ratingText = (value: number): string => withMinus(value, (size) => size.toFixed(2));

interface RankingRowProps {
  standing: Standing;
  side: Side | undefined;
  /** Rating at the right end of the scale. */
  most: number;
}

function RankingRow({ standing, side, most }: RankingRowProps) {
  const { id, rating, low, high, wins, ties, losses } = standing;
  const name = useVoiceName(side && voiceOf(side));
  const percent = (value: number): string => `${(50 + (50 * value) / most).toFixed(2)}%`;
  return (
    <tr data-voice={hueOf(id)} className="border-t border-border">
      <th scope="row" className={cx(CELL, 'text-left font-normal')}>
        <span className="mr-2 font-semibold text-voice">{nameOf(id)}</span>
        <span className="mr-2 font-medium">{name}</span>
        <span className="font-mono text-12 text-text-muted max-wide:block">{side?.endpoint}</span>
      </th>
      <td className="w-full min-w-40 px-3">
        <div aria-hidden className="relative h-6">
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
      </td>
      <td className={NUMBER}>{ratingText(rating)}</td>
      <td className={cx(NUMBER, 'text-text-muted')}>
        {ratingText(low)} to {ratingText(high)}
      </td>
      <td className={NUMBER}>{wins}</td>
      <td className={NUMBER}>{ties}</td>
      <td className={NUMBER}>{losses}</td>
    </tr>
  );
}

/** The scores of each pair. */
const Matches = ({ record: { heard }, ids }: ScoresProps) => (
  <ScrollRegion label="Pairs" className="overflow-x-auto">
    <table aria-label="Pairs" className="text-12">
      <thead>
        <tr>
          <th scope="col" className={cx(HEAD, 'text-left')}>
            Won, no difference, lost
          </th>
          {ids.map((id) => (
            <th key={id} scope="col" className={cx(HEAD, 'text-right')}>
              against {nameOf(id)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {ids.map((id) => (
          <tr key={id} data-voice={hueOf(id)} className="border-t border-border">
            <th scope="row" className={cx(CELL, 'text-left font-semibold text-voice')}>
              {nameOf(id)}
            </th>
            {ids.map((other) => {
              const { wins, ties, losses } = scoreOf(heard, id, other);
              return (
                <td key={other} className={NUMBER}>
                  {wins + ties + losses === 0 ? '–' : `${wins}, ${ties}, ${losses}`}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  </ScrollRegion>
);

const Rounds = ({ record: { heard } }: { record: TournamentRecord }) => (
  <ScrollRegion label="Rounds" className="overflow-x-auto">
    <table aria-label="Rounds" className="w-full text-12">
      <thead>
        <tr>
          {ROUND_HEADS.map((title, at) => (
            <th key={title} scope="col" className={cx(HEAD, at < 4 ? 'text-left' : 'text-right')}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {heard.map((round) => {
          const { text, textNumber, x, y, plays, turns } = round;
          const preferred = preferredIn(round);
          return (
            <tr key={`${textNumber} ${x} ${y}`} className="border-t border-border">
              <td className="h-9 max-w-80 min-w-40 truncate px-3">{text}</td>
              <td className={CELL}>{nameOf(x)}</td>
              <td className={CELL}>{nameOf(y)}</td>
              <td className={cx(CELL, 'font-medium')}>
                {preferred === null ? 'no difference' : nameOf(preferred)}
              </td>
              <td className={NUMBER}>
                {plays.x}, {plays.y}
              </td>
              <td className={NUMBER}>
                {waitText(turns.x)}, {waitText(turns.y)}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  </ScrollRegion>
);

const waitText = (turn: TurnView | null): string => milliseconds(turn ? measuresOf(turn).waitMs : null);

function loudnessText({ loudnessMatched, heard }: TournamentRecord): string {
  if (!loudnessMatched) return 'Loudness was not matched: a choice may be for loudness alone.';
  const least = new Map<string, number>();
  for (const round of heard) {
    const gains = matchingGains(round.turns);
    for (const label of LABELS) least.set(round[label], Math.min(gains[label], least.get(round[label]) ?? 1));
  }
  const parts = [...least]
    .filter(([, gain]) => gain < 1)
    .map(([id, gain]) => `${nameOf(id)} by up to ${reductionText(gain)}`)
    .sort();
  return `Loudness was matched by ITU-R BS.1770: ${parts.length === 0 ? 'nothing had to be turned down' : `${parts.join(', ')} turned down`}.`;
}
