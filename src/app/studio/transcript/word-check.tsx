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
import { cx } from '../../ui/cx.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { NoteLine } from '../../ui/notice.tsx';
import { selectionOf } from './selected-text.ts';
import { checkKey, checksOf, checkTurn } from './turn-checks.ts';
import type { WordMarks } from './turn-text.tsx';
import { type WordDifference, wordDifferences } from './word-differences.ts';
import { partsOf } from './words.ts';

const MAX_LISTED = 50;
/** Heard before a difference when it is pressed. */
const LEAD_SECONDS = 0.5;

const LINK = 'rounded-inner underline-offset-3 hover:text-text hover:underline touch:min-h-11';

interface WordCheckProps {
  turn: TurnView;
  /** Called with the words of the text that were not heard. */
  onMarks: (marks: WordMarks) => void;
}

/** Checks the words of a turn on a press, or by itself where the switch says so. Shows the outcome below the text. */
export function WordCheck({ turn, onMarks }: WordCheckProps) {
  const client = useSessionClient();
  const check = useStore(checksOf(client), (checks) => checks.get(checkKey(client, turn.id)));
  const [isOpen, setOpen] = useState(false);
  const differences = useMemo(
    () => (check && check !== 'running' && 'aligned' in check ? wordDifferences(check, turn) : []),
    [check, turn],
  );
  useEffect(() => {
    const marks = differences.flatMap(({ kind, word }) =>
      kind === 'added' || word === null ? [] : [[word, kind] as const],
    );
    onMarks(new Map(marks));
  }, [differences, onMarks]);
  const canTranscribe = useSettings(selectCanTranscribe);
  const isAutomatic = useSettings((state) => state.transcription.afterEveryTurn) && client.sender === client;
  const isDue = !check && canTranscribe && isAutomatic && !isPending(turn);
  useEffect(() => {
    if (isDue) void checkTurn(client, turn);
  }, [isDue, client, turn]);
  const close = () => {
    setOpen(false);
    if (!check && selectCanTranscribe(useSettings.getState())) void checkTurn(client, turn);
  };
  const play = ({ word, sample }: WordDifference) => {
    if (word !== null) client.selection.select(selectionOf(word, turn.id, partsOf(turn)), 'heardWords');
    const lead = LEAD_SECONDS * (turn.sampleRate ?? 0);
    if (sample !== null && turn.repeatable) client.repeatTurn(turn.id, Math.max(0, sample - lead));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form
    <div
      role="group"
      aria-label="Words heard"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 text-13 text-text-muted in-data-demo:hidden"
    >
      {!check ? (
        <button
          type="button"
          onClick={() => (canTranscribe ? void checkTurn(client, turn) : setOpen(true))}
          className={cx('text-12 text-text-subtle', LINK)}
        >
          Check the words
        </button>
      ) : check === 'running' ? (
        <p role="status" className="text-12 text-text-muted">
          Checking the words …
        </p>
      ) : 'title' in check ? (
        <>
          <NoteLine role="alert">{`${check.title}. ${check.detail} ${check.remedy}`}</NoteLine>
          <button type="button" onClick={() => void checkTurn(client, turn)} className={cx('text-12', LINK)}>
            Check again
          </button>
        </>
      ) : (
        <>
          <p className="text-12 text-text-muted">
            <span className="mr-2 font-mono text-text">
              WER {measureText({ unit: '%' }, check.errorRate)}
            </span>
            {summary(differences)}
          </p>
          {differences.slice(0, MAX_LISTED).map((difference, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list of a check never changes
            <Difference key={at} difference={difference} onPlay={() => play(difference)} />
          ))}
          {differences.length > MAX_LISTED && `and ${count(differences.length - MAX_LISTED)} more`}
        </>
      )}
      {check && check !== 'running' && (
        <IconButton
          label="Set up the check of words"
          icon={Settings2}
          size="small"
          aria-haspopup="dialog"
          onClick={() => setOpen(true)}
        />
      )}
      {isOpen && <TranscriptionDialog onClose={close} />}
    </div>
  );
}

const summary = (differences: readonly WordDifference[]): string =>
  differences.length === 0
    ? 'every word was heard'
    : (['missing', 'wrong', 'added'] as const)
        .map((kind) => `${count(differences.filter((one) => one.kind === kind).length)} ${kind}`)
        .filter((words) => !words.startsWith('0 '))
        .join(', ');

function Difference({ difference, onPlay }: { difference: WordDifference; onPlay: () => void }) {
  const { kind, expected, heard } = difference;
  return (
    <button
      type="button"
      onClick={onPlay}
      title="Play from half a second before"
      className="inline-flex max-w-full items-center gap-1.5 rounded-inner px-1 hover:bg-hover touch:min-h-11"
    >
      <span className="text-12 text-text-subtle">{kind}</span>
      {expected !== '' && <del className="truncate">{expected}</del>}
      {kind === 'wrong' && <span className="text-12 text-text-subtle">heard</span>}
      {heard !== '' && <ins className="truncate underline-offset-3">{heard}</ins>}
    </button>
  );
}
