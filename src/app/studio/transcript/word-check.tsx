import { QueryClient, useQuery } from '@tanstack/react-query';
import { Settings2 } from 'lucide-react';
import { useState } from 'react';
import { count } from '#lib/format.ts';
import { measureText } from '#session/measures/measure-text.ts';
import type { TurnView } from '#session/views.ts';
import { useSessionClient } from '../../session-client/provider.tsx';
import { ApiServerDialog } from '../../settings/api-server-dialog.tsx';
import { addressProblem } from '../../stores/server-address.ts';
import { useSettings } from '../../stores/settings-store.ts';
import { checkSpeech } from '../../transcription/check-speech.ts';
import { cx } from '../../ui/cx.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { NoteLine } from '../../ui/notice.tsx';
import { selectionOf } from './selected-text.ts';
import { partsOf, wordAt } from './words.ts';

const MAX_LISTED = 50;
/** Heard before a difference when it is pressed. */
const LEAD_SECONDS = 0.5;
/** Results of turns out of view are kept for this long. */
const KEPT_MS = 3_600_000;

const ROW = 'flex flex-wrap items-center gap-x-3 gap-y-1';
const LINK = 'rounded-inner underline-offset-3 hover:text-text hover:underline touch:min-h-11';

const checks = new QueryClient();

/** Checks the words of a turn on a press, and shows the outcome below the text. */
export function WordCheck({ turn }: { turn: TurnView }) {
  const client = useSessionClient();
  const [isOpen, setOpen] = useState(false);
  const { data, isFetching, refetch } = useQuery(
    {
      // A turn of a replay has these in every run of it.
      queryKey: [turn.id, turn.firstTextMs, turn.samples, turn.text],
      queryFn: () => checkSpeech(client, [turn], turn.text, useSettings.getState().transcription),
      enabled: false,
      gcTime: KEPT_MS,
      // The server may be on this machine.
      networkMode: 'always',
    },
    checks,
  );
  const check = isFetching ? undefined : data;
  const canAsk = () => {
    const { base, model } = useSettings.getState().transcription;
    return model.trim() !== '' && addressProblem(base, 'http') === null;
  };
  const close = () => {
    setOpen(false);
    if (!check && canAsk()) void refetch();
  };
  const play = (offset: number) => {
    const word = wordAt(turn, offset);
    if (!word) return;
    client.selection.select(selectionOf(word.index, turn.id, partsOf(turn)), 'heardWords');
    const sample = word.startSample - LEAD_SECONDS * (turn.sampleRate ?? 0);
    if (turn.repeatable && Number.isFinite(sample)) client.repeatTurn(turn.id, Math.max(0, sample));
  };
  return (
    <div className={cx(ROW, 'text-13 text-text-muted in-data-demo:hidden')}>
      {isFetching && (
        <p role="status" className="text-12">
          Checking the words …
        </p>
      )}
      {check && 'title' in check && (
        <NoteLine role="alert">{`${check.title}. ${check.detail} ${check.remedy}`}</NoteLine>
      )}
      {check && 'errorRate' in check && (
        <>
          <p className="text-12">
            <span className="mr-2 font-mono text-text">
              WER {measureText({ unit: '%' }, check.errorRate)}
            </span>
            {check.differences.length === 0 && 'every word was heard'}
          </p>
          {check.differences.length > 0 && (
            <ul aria-label="Words heard differently" className={cx(ROW, '-ml-1')}>
              {[...check.differences.slice(0, MAX_LISTED).entries()].map(
                ([at, { kind, expected, heard, offset }]) => (
                  <li key={at} className="max-w-full">
                    <button
                      type="button"
                      onClick={() => play(offset)}
                      title="Play from half a second before"
                      className="inline-flex max-w-full items-center gap-1.5 rounded-inner px-1 hover:bg-hover touch:min-h-11"
                    >
                      <span className="text-12 text-text-subtle">{kind}</span>
                      {expected !== '' && <del className="truncate">{expected}</del>}
                      {kind === 'wrong' && <span className="text-12 text-text-subtle">heard</span>}
                      {heard !== '' && <ins className="truncate underline-offset-3">{heard}</ins>}
                    </button>
                  </li>
                ),
              )}
              {check.differences.length > MAX_LISTED && (
                <li>and {count(check.differences.length - MAX_LISTED)} more</li>
              )}
            </ul>
          )}
        </>
      )}
      {!isFetching && (
        <button
          type="button"
          onClick={() => (canAsk() ? void refetch() : setOpen(true))}
          className={cx('text-12 text-text-subtle', LINK)}
        >
          {check ? 'Check again' : 'Check the words'}
        </button>
      )}
      {check && (
        <IconButton
          label="Set up the check of words"
          icon={Settings2}
          size="small"
          aria-haspopup="dialog"
          onClick={() => setOpen(true)}
        />
      )}
      {isOpen && <ApiServerDialog use="transcription" onClose={close} />}
    </div>
  );
}
