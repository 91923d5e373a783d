import { MessageCircleQuestion } from 'lucide-react';
import { useMemo } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { count, counted, milliseconds } from '#lib/format.ts';
import { measureOf } from '#session/measures/definitions.ts';
import type { AnswerView, TurnView } from '#session/views.ts';
import { useSession, useSessionClient } from '../../session-client/provider.tsx';
import { isPending } from '../../session-client/session-state.ts';
import { Defined } from '../../ui/defined.tsx';
import { Popover, PopoverTitle } from '../../ui/popups/popover.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { DEFINITIONS } from '../../wording/definitions.ts';
import { heardOf, isSpokenWhole, turnsOfAnswer } from './heard-text.ts';

/** Tokens that the list shows. The timeline shows all of them. */
const LISTED = 500;

/** The question to a live model, above its answer. */
export const Question = ({ answer }: { answer: AnswerView }) => (
  <p dir="auto" className="flex gap-2 text-14 text-text-muted wide:in-data-demo:text-20">
    <MessageCircleQuestion aria-hidden className="mt-1 size-3.5 shrink-0 text-text-subtle" />
    <span className="line-clamp-6 min-w-0 break-words whitespace-pre-wrap">
      <span className="sr-only">Question: </span>
      {answer.question}
    </span>
  </p>
);

interface AnswerFiguresProps {
  turn: TurnView;
  answer: AnswerView;
}

/** Figures of a live model's answer. After a barge-in, they include the text that was heard and discarded. */
export function AnswerFigures({ turn, answer }: AnswerFiguresProps) {
  const { askedMs, firstTokenMs, tokens, model } = answer;
  if (firstTokenMs === null) return null;
  return (
    <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1 text-12 text-text-subtle in-data-demo:hidden">
      <span className="max-w-48 truncate font-mono">{model}</span>
      <Defined definition={measureOf('modelFirstTokenMs').definition}>
        first token <span className="font-mono text-text-muted">{milliseconds(firstTokenMs - askedMs)}</span>
      </Defined>
      <Popover
        align="start"
        className="w-72"
        trigger={
          <button
            type="button"
            className="rounded-inner underline decoration-text-subtle decoration-dotted underline-offset-3 hover:text-text touch:min-h-11"
          >
            {counted(tokens, 'token')}
          </button>
        }
      >
        <Tokens turn={turn} answer={answer} />
      </Popover>
      <HeardShare answer={answer} />
    </p>
  );
}

function HeardShare({ answer }: { answer: AnswerView }) {
  const client = useSessionClient();
  const { turn, endedMs, characters } = answer;
  const turns = useSession(useShallow((state) => (turn === null ? [] : turnsOfAnswer(state, turn))));
  const heard = useMemo(
    () =>
      // The text that was heard is trimmed, so that its length alone does not show that nothing is missing.
      endedMs === null || turns.every(isSpokenWhole) || turns.some(isPending)
        ? null
        : heardOf(client, turns).length,
    [client, turns, endedMs],
  );
  if (heard === null || heard >= characters) return null;
  return (
    <Defined definition={DEFINITIONS.answerHeard}>
      heard <span className="font-mono text-text-muted">{count(heard)}</span> of{' '}
      <span className="font-mono text-text-muted">{count(characters)}</span> characters,{' '}
      <span className="font-mono text-text-muted">{count(characters - heard)}</span> discarded
    </Defined>
  );
}

function Tokens({ turn, answer }: AnswerFiguresProps) {
  const { marks } = useSessionClient();
  const { askedMs, lastTokenMs } = answer;
  const tokens = marks.between(turn.context, 'token', askedMs, lastTokenMs ?? askedMs);
  return (
    <>
      <PopoverTitle className="mb-2 text-13 font-semibold">Tokens, since the question</PopoverTitle>
      <ScrollRegion label="Tokens" className="max-h-64 overflow-y-auto">
        <ol className="flex flex-col gap-0.5 font-mono text-12">
          {tokens.slice(0, LISTED).map(({ atMs, text = '' }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: tokens are only added at the end
            <li key={at} className="grid grid-cols-[72px_minmax(0,1fr)] gap-2">
              <span className="text-right text-text-subtle">{milliseconds(atMs - askedMs)}</span>
              <span className="break-words whitespace-pre-wrap">{text}</span>
            </li>
          ))}
        </ol>
        {tokens.length > LISTED && (
          <p className="mt-1 text-12 text-text-subtle">and {count(tokens.length - LISTED)} more</p>
        )}
      </ScrollRegion>
    </>
  );
}
