import { Settings2 } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import { count } from '#lib/format.ts';
import { measureText } from '#session/measures/measure-text.ts';
import type { TurnView } from '#session/views.ts';
import { useSessionClient } from '../../session-client/provider.tsx';
import { isPending } from '../../session-client/session-state.ts';
import { useSettings } from '../../stores/settings-store.ts';
import { TranscriptionDialog } from '../../transcription/transcription-dialog.tsx';
import { selectCanTranscribe } from '../../transcription/transcription-target.ts';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { NoteLine } from '../../ui/notice.tsx';
import { selectionOf } from './selected-text.ts';
import { checkKey, checksOf, checkTurn, isCheckedByItself } from './turn-checks.ts';
import type { WordMarks } from './turn-text.tsx';
import { useParts } from './use-parts.ts';
import { type WordDifference, wordDifferences } from './word-differences.ts';

const MAX_LISTED = 50;
/** Heard before a difference when it is pressed. */
const LEAD_SECONDS = 0.5;

const useCheck = (turn: number) => {
  const client = useSessionClient();
  return useStore(checksOf(client), (checks) => checks.get(checkKey(client, turn)));
};

/** Checks the words of a turn on a press, and by itself where the switch says so. */
export function CheckButton({ turn }: { turn: TurnView }) {
  const client = useSessionClient();
  const check = useCheck(turn.id);
  const canTranscribe = useSettings(selectCanTranscribe);
  const [isOpen, setOpen] = useState(false);
  const isDue =
    canTranscribe && !check && client.sender === client && !isPending(turn) && isCheckedByItself(turn);
  useEffect(() => {
    if (isDue) void checkTurn(client, turn);
  }, [isDue, client, turn]);
  if (check) return null;
  const close = () => {
    setOpen(false);
    if (selectCanTranscribe(useSettings.getState())) void checkTurn(client, turn);
  };
  return (
    <>
      <button
        type="button"
        onClick={() => (canTranscribe ? void checkTurn(client, turn) : setOpen(true))}
        className="rounded-inner underline-offset-3 hover:text-text hover:underline touch:min-h-11"
      >
        Check words
      </button>
      {isOpen && <TranscriptionDialog onClose={close} />}
    </>
  );
}

interface CheckedLineProps {
  turn: TurnView;
  /** Called with the words of the text that were not heard. */
  onMarks: (marks: WordMarks) => void;
}

/** The outcome of the check, below the text of its turn; nothing before one. */
export function CheckedLine({ turn, onMarks }: CheckedLineProps) {
  const client = useSessionClient();
  const check = useCheck(turn.id);
  const parts = useParts(turn);
  const [isOpen, setOpen] = useState(false);
  const differences = useMemo(
    () => (check && check !== 'running' && 'aligned' in check ? wordDifferences(check, turn, parts) : []),
    [check, turn, parts],
  );
  useEffect(() => {
    const marks = differences.flatMap(({ kind, word }) =>
      kind === 'added' || word === null ? [] : [[word, kind] as const],
    );
    onMarks(new Map(marks));
  }, [differences, onMarks]);
  if (!check) return null;
  const play = ({ word, sample }: WordDifference) => {
    if (word !== null) client.selection.select(selectionOf(word, turn.id, parts), 'heardWords');
    const lead = LEAD_SECONDS * (turn.sampleRate ?? 0);
    if (sample !== null && turn.repeatable) client.repeatTurn(turn.id, Math.max(0, sample - lead));
  };
  return (
    <section
      aria-label="Words heard"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-l border-border-strong pl-3 text-13 in-data-demo:hidden"
    >
      {check === 'running' ? (
        <p role="status" className="text-12 text-text-muted">
          Checking the words …
        </p>
      ) : 'title' in check ? (
        <>
          <NoteLine role="alert">{`${check.title}. ${check.detail} ${check.remedy}`}</NoteLine>
          <Button size="small" onClick={() => void checkTurn(client, turn)}>
            Check again
          </Button>
        </>
      ) : (
        <>
          <p className="text-12 text-text-muted">
            <span className="font-mono text-text">WER {measureText({ unit: '%' }, check.errorRate)}</span>{' '}
            {summary(differences)}
          </p>
          {differences.slice(0, MAX_LISTED).map((difference, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list of a check never changes
            <Difference key={at} difference={difference} onPlay={() => play(difference)} />
          ))}
          {differences.length > MAX_LISTED && `and ${count(differences.length - MAX_LISTED)} more`}
        </>
      )}
      {check !== 'running' && (
        <IconButton
          label="Set up the check of words"
          icon={Settings2}
          size="small"
          aria-haspopup="dialog"
          onClick={() => setOpen(true)}
        />
      )}
      {isOpen && <TranscriptionDialog onClose={() => setOpen(false)} />}
    </section>
  );
}

function summary(differences: readonly WordDifference[]): string {
  if (differences.length === 0) return 'every word was heard';
  return (['missing', 'wrong', 'added'] as const)
    .map((kind) => [differences.filter((one) => one.kind === kind).length, kind] as const)
    .flatMap(([number, kind]) => (number === 0 ? [] : `${count(number)} ${kind}`))
    .join(', ');
}

function Difference({ difference, onPlay }: { difference: WordDifference; onPlay: () => void }) {
  const { kind, expected, heard } = difference;
  return (
    <button
      type="button"
      onClick={onPlay}
      title="Play from half a second before"
      className="inline-flex max-w-full items-baseline gap-1.5 rounded-inner px-1 hover:bg-hover touch:min-h-11"
    >
      <span className="text-12 text-text-subtle">{kind}</span>
      {expected !== '' && <del className="truncate">{expected}</del>}
      {kind === 'wrong' && <span className="text-12 text-text-subtle">heard</span>}
      {heard !== '' && <ins className="truncate underline-offset-3">{heard}</ins>}
    </button>
  );
}
