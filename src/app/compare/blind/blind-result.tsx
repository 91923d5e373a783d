import { Download, RotateCcw } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { milliseconds } from '#lib/format.ts';
import { measuresOf } from '#session/measures/turn-measures.ts';
import type { TurnView } from '#session/views.ts';
import { saveText } from '../../browser/save-file.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Notice } from '../../ui/notice.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { useVoiceName } from '../../wording/voice-name.ts';
import { useBlind, useComparisons } from '../comparisons.ts';
import { nameOf, SIDES, type Side, type SideId, voiceOf } from '../side.ts';
import {
  matchingGains,
  preferredIn,
  reductionText,
  sideOf,
  type Tally,
  tallyOf,
  tallySentence,
  tallyText,
} from './trial.ts';
import { type TrialRecord, trialCsv, trialJson } from './trial-files.ts';

const FILE = 'voicewire-blind-comparison';
const HEAD = 'h-8 px-3 font-medium text-text-subtle';
const HEADS = ['Text', 'X was', 'Y was', 'Chosen', 'Played X, Y', 'Wait of A, of B'];
const CELL = 'h-9 px-3 whitespace-nowrap';

export function BlindResult() {
  const { blind } = useComparisons();
  const record = useBlind((state) => state.record);
  const failure = useBlind((state) => state.failure);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  if (!record) return null;
  const tally = tallyOf(record.trial, record.answers);
  return (
    <section
      aria-labelledby="blind-result"
      className="flex flex-col gap-5 rounded-panel border border-border bg-surface p-4 wide:p-6"
    >
      <header className="flex flex-col gap-1">
        <h3
          ref={title}
          id="blind-result"
          tabIndex={-1}
          className="text-20 font-semibold tracking-[-0.01em] outline-none"
        >
          {tallyText(tally)}
        </h3>
        <p className="max-w-[76ch] text-13 text-text-muted">{tallySentence(tally)}</p>
      </header>
      {failure && (
        <Notice severity="error" title="A text could not be spoken">
          {failure}
        </Notice>
      )}
      <div className="grid gap-3 wide:grid-cols-2">
        {SIDES.map((side, at) => (
          <SideCount key={side} id={side} hue={at + 1} side={record.sides[side]} tally={tally} />
        ))}
      </div>
      {record.answers.length > 0 && <Rounds record={record} />}
      <p className="max-w-[76ch] text-12 text-text-muted">{loudnessText(record)}</p>
      <div className="flex flex-wrap gap-2">
        <Button variant="filled" icon={RotateCcw} onClick={() => blind.quit()}>
          Another comparison
        </Button>
        <Button
          icon={Download}
          onClick={() => saveText(trialJson(record), `${FILE}.json`, 'application/json')}
        >
          Save JSON
        </Button>
        <Button icon={Download} onClick={() => saveText(trialCsv(record), `${FILE}.csv`, 'text/csv')}>
          Save CSV
        </Button>
      </div>
    </section>
  );
}

function SideCount({ id, hue, side, tally }: { id: SideId; hue: number; side: Side; tally: Tally }) {
  const name = useVoiceName(voiceOf(side));
  const share = tally[id] / Math.max(1, tally.a + tally.b + tally.none);
  return (
    <div data-voice={hue} className="flex flex-col gap-2 rounded-control bg-voice-tint px-4 py-3">
      <p className="flex items-baseline gap-2 text-13">
        <span className="font-semibold text-voice">{nameOf(id)}</span>
        <span className="font-medium">{name}</span>
        <span className="truncate font-mono text-12 text-text-muted">{side.endpoint}</span>
        <span className="ml-auto font-mono text-16">{tally[id]}</span>
      </p>
      <div aria-hidden className="h-1.5 overflow-hidden rounded-mark bg-surface">
        <div className="h-full bg-voice" style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}

function Rounds({ record }: { record: TrialRecord }) {
  const { trial, answers, turns } = record;
  return (
    <ScrollRegion label="Rounds" className="overflow-x-auto">
      <table aria-label="Rounds" className="w-full text-12">
        <thead>
          <tr>
            {HEADS.map((title, at) => (
              <th key={title} scope="col" className={cx(HEAD, at < 4 ? 'text-left' : 'text-right')}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {answers.map(({ choice, plays }, at) => {
            const round = trial.rounds[at];
            if (!round) return null;
            const preferred = preferredIn(round, choice);
            return (
              <tr key={round.textNumber} className="border-t border-border">
                <td className="h-9 max-w-80 min-w-40 truncate px-3">{round.text}</td>
                <td className={CELL}>{nameOf(sideOf(round, 'x'))}</td>
                <td className={CELL}>{nameOf(sideOf(round, 'y'))}</td>
                <td className={cx(CELL, 'font-medium')}>
                  {preferred === null ? 'no preference' : nameOf(preferred)}
                </td>
                <td className={cx(CELL, 'text-right font-mono')}>
                  {plays.x}, {plays.y}
                </td>
                <td className={cx(CELL, 'text-right font-mono')}>
                  {waitText(turns[at]?.a)}, {waitText(turns[at]?.b)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

const waitText = (turn: TurnView | null | undefined): string =>
  milliseconds(turn ? measuresOf(turn).waitMs : null);

function loudnessText({ loudnessMatched, turns }: TrialRecord): string {
  if (!loudnessMatched) return 'Loudness was not matched: a choice may be for loudness alone.';
  const least = (side: SideId): number => Math.min(1, ...turns.map((round) => matchingGains(round)[side]));
  const parts = SIDES.filter((side) => least(side) < 1).map(
    (side) => `${nameOf(side)} by up to ${reductionText(least(side))}`,
  );
  return `Loudness was matched by ITU-R BS.1770: ${parts.length === 0 ? 'nothing had to be turned down' : `${parts.join(', ')} turned down`}.`;
}
