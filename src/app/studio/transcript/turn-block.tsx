import { Square } from 'lucide-react';
import { memo } from 'react';
import { counted, milliseconds, money, seconds } from '#lib/format.ts';
import { underrunMsOf } from '#session/measures/turn-measures.ts';
import type { TurnView } from '#session/views.ts';
import { contextIdOf } from '#text/script.ts';
import { isUnderWay } from '#trace/turn-state.ts';
import { wordSourceOf } from '#trace/words/word-timings.ts';
import {
  type SpeakerLook,
  useCast,
  useIsScene,
  useSession,
  useSessionClient,
  useSpeaker,
  useTurn,
} from '../../session-client/provider.tsx';
import { selectIsOfClient, selectIsUnheard, trackOf } from '../../session-client/session-state.ts';
import { useScene } from '../../stores/scene-store.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Defined } from '../../ui/defined.tsx';
import { Elapsed } from '../../ui/elapsed.tsx';
import { later } from '../../ui/later.tsx';
import { voiceHue } from '../../ui/voice-hue.ts';
import { DEFINITIONS } from '../../wording/definitions.ts';
import { useVoiceName } from '../../wording/voice-name.ts';
import { AnswerFigures, Question } from './answer-lines.tsx';
import { HeardTexts } from './heard-texts.tsx';
import { Problems, ProblemsHead, useProblems } from './problems.tsx';
import { speakAgain } from './speak-again.ts';
import { turnStatus } from './turn-status.ts';
import { TEXT_SIZES, type TurnSize, TurnText } from './turn-text.tsx';
import { WordSourceNote } from './word-source.tsx';

const WordCheck = later({ name: 'The check of the words', when: 'shown' }, () =>
  import('./word-check.tsx').then((module) => module.WordCheck),
);

interface TurnBlockProps {
  id: number;
  /** Number on the page, counted from 1. */
  number: number;
  /** The current turn, which has large type and the colour of its voice. */
  large: boolean;
}

/** One turn of the transcript: speaker, status, charge, text and problems. */
export const TurnBlock = memo(function TurnBlock({ id, number, large }: TurnBlockProps) {
  const client = useSessionClient();
  const turn = useTurn(id);
  const problems = useProblems(id);
  const speaker = useSpeaker(turn?.context ?? '');
  const isUnheard = useSession(selectIsUnheard);
  const isOfClient = useSession(selectIsOfClient);
  if (!turn) return null;
  const size: TurnSize = speaker ? 'line' : large ? 'now' : 'past';
  const repeatable = turn.repeatable && !isUnderWay(turn) && !isUnheard;
  return (
    <article
      aria-label={speaker ? `Turn ${number}, ${speaker.name}` : `Turn ${number}`}
      data-turn={id}
      data-turn-size={large ? 'now' : 'past'}
      data-cut={turn.state === 'cancelled' || turn.silencedMs !== null || undefined}
      data-voice={speaker?.hue ?? voiceHue(turn.voice ?? 0)}
      className={cx(
        'grid shrink-0 scroll-mb-8 grid-cols-[minmax(0,1fr)] gap-x-4 gap-y-1.5 wide:grid-cols-[120px_minmax(0,1fr)] wide:in-data-demo:grid-cols-[minmax(0,1fr)]',
        // The presenter shows the turn that is heard, and the one before it.
        !large && !speaker && 'in-data-demo:not-[:has(+_[data-turn-size=now])]:hidden',
      )}
    >
      <Gutter turn={turn} number={number} size={size} speaker={speaker} />
      <div className="flex min-w-0 flex-col gap-3">
        {turn.answer?.turn === id && <Question answer={turn.answer} />}
        {turn.text === '' && turn.chunks.length === 0 ? (
          <p className={cx('text-text-subtle', TEXT_SIZES[size])}>
            {turn.answer?.state === 'asked' ? 'The model has not answered yet' : 'No text yet'}
          </p>
        ) : (
          <TurnText
            turn={turn}
            size={size}
            onRepeat={repeatable ? (sample) => client.repeatTurn(id, sample) : null}
          />
        )}
        {turn.bargeIn?.heard != null && (
          <HeardTexts turn={turn} server={turn.bargeIn.heard} isOfClient={isOfClient} />
        )}
        {turn.state === 'ended' && turn.repeatable && <WordCheck turn={turn} />}
        {turn.answer?.turn === id && <AnswerFigures turn={turn} answer={turn.answer} />}
        <ProblemsHead problems={problems} />
        <Problems problems={problems} />
        {(turn.state === 'lost' || turn.state === 'failed') && turn.text !== '' && !isOfClient && (
          <SpeakAgain turn={turn} />
        )}
      </div>
    </article>
  );
});

function SpeakAgain({ turn }: { turn: TurnView }) {
  const client = useSessionClient();
  const isScene = useIsScene();
  const cast = useCast();
  const again = speakAgain(turn, isScene ? new Set(cast.map(({ name }) => contextIdOf(name))) : null);
  return (
    <div className="flex flex-wrap items-center gap-3 text-12 text-text-muted">
      <Button
        size="small"
        disabledReason={'reason' in again ? again.reason : null}
        onClick={() => {
          if ('text' in again) client.send({ type: 'speak', text: again.text });
          else if ('line' in again) {
            const { closeAfter } = useScene.getState();
            client.send({ type: 'perform', lines: [again.line], source: { kind: 'whole' }, closeAfter });
          }
        }}
      >
        Speak again
      </Button>
      {turn.cutChars === 0 && 'The text of this turn is kept.'}
    </div>
  );
}

interface GutterProps {
  turn: TurnView;
  number: number;
  size: TurnSize;
  speaker: SpeakerLook | null;
}

function Gutter({ turn, number, size, speaker }: GutterProps) {
  const large = size === 'now';
  return (
    <div
      className={cx(
        'flex flex-wrap items-center gap-x-3 gap-y-1 text-12 text-text-subtle wide:flex-col wide:items-start wide:gap-1.5',
        // From the back row only names can be read.
        speaker ? 'in-data-demo:*:not-[h2]:hidden' : 'in-data-demo:hidden',
        large ? 'wide:pt-3' : size === 'line' ? 'wide:gap-0.5 wide:pt-1.5' : 'wide:gap-0.5 wide:pt-0.5',
      )}
    >
      <h2
        className={
          speaker
            ? 'max-w-full truncate text-13 font-medium text-voice in-data-demo:text-20'
            : 'font-medium text-text-muted'
        }
      >
        {speaker ? speaker.name : `Turn ${number}`}
      </h2>
      {large && <Voice id={turn.voice} />}
      <Status turn={turn} large={large} />
      {turn.turnTaking && (
        <Defined definition={DEFINITIONS.turnTaking}>
          <span className="block text-left whitespace-nowrap">gap {milliseconds(turn.turnTaking.gapMs)}</span>
          {turn.turnTaking.savedMs >= 1 && (
            <span className="block text-left whitespace-nowrap">
              {milliseconds(turn.turnTaking.savedMs)} saved
            </span>
          )}
        </Defined>
      )}
      <Figures turn={turn} />
    </div>
  );
}

function Voice({ id }: { id: string | number | null }) {
  const name = useVoiceName(id);
  if (id === null) return null;
  return (
    <span className="inline-flex max-w-full items-center gap-1.5">
      <span
        aria-hidden
        className="grid size-[18px] shrink-0 place-items-center rounded-inner bg-voice-tint text-12 leading-none font-semibold text-voice"
      >
        {[...name][0]?.toUpperCase()}
      </span>
      <span title={name} className="truncate font-medium text-voice">
        {name}
      </span>
    </span>
  );
}

function Status({ turn, large }: { turn: TurnView; large: boolean }) {
  const client = useSessionClient();
  // Selects only what decides the status, because the playhead moves with every frame.
  const state = useSession(({ player }) =>
    player.state === 'detached' ? player.state : trackOf(player, turn.context).state,
  );
  const under = useSession(({ player }) => trackOf(player, turn.context).turn);
  const repeating = useSession((session) => session.player.repeating);
  const isUnheard = useSession(selectIsUnheard);
  const status = turnStatus(turn, { state, turn: under, repeating }, isUnheard);
  if (!large && (status.word === 'Spoken' || status.word === 'Received')) return null;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
      <Badge tone={status.tone} icon={status.icon}>
        {status.word}
      </Badge>
      {status.waiting && (
        <span className="text-text-subtle">
          <span className="sr-only">for {status.waiting.for}, </span>
          <Elapsed sinceMs={status.waiting.sinceMs} />
        </span>
      )}
      {status.word === 'Replaying' && (
        <button
          type="button"
          onClick={() => client.stopRepeat()}
          className="inline-flex items-center gap-1 rounded-inner px-1 text-text-muted hover:bg-hover hover:text-text touch:min-h-11"
        >
          <Square aria-hidden className="size-3" strokeWidth={1.75} />
          Stop
        </button>
      )}
    </span>
  );
}

function Figures({ turn }: { turn: TurnView }) {
  const { length: underruns } = turn.underruns;
  const silenceMs = underrunMsOf(turn);
  // Most servers send the word times of a chunk before its end. A note of other times until then would only flash.
  const timed = turn.chunks.filter(({ words, wordSource, completedMs }) =>
    wordSource === 'server' ? words?.length : completedMs !== null || !isUnderWay(turn),
  );
  return (
    <>
      {typeof turn.usage === 'object' && (
        <span className="flex flex-wrap gap-x-2 whitespace-nowrap">
          {turn.usage.audioSeconds !== null && <span>{seconds(turn.usage.audioSeconds)}</span>}
          {turn.billing !== 'none' && (
            <span>
              {turn.usage.costCents === null
                ? 'cost unknown'
                : money(turn.usage.costCents, turn.usage.currency)}
            </span>
          )}
        </span>
      )}
      {turn.usage === 'unreported' && turn.billing !== 'none' && <span>usage unknown</span>}
      {timed.length > 0 && <WordSourceNote source={wordSourceOf(timed)} />}
      {turn.reconnectMs !== null && (
        <Defined definition={DEFINITIONS.reconnect}>
          <span className="whitespace-nowrap">reconnected {milliseconds(turn.reconnectMs)}</span>
        </Defined>
      )}
      {underruns > 0 && (
        <span className="text-waiting">
          {underruns === 1 ? 'underrun' : `${underruns} underruns`}{' '}
          {turn.underruns.at(-1)?.lengthMs === null ? 'so far' : milliseconds(silenceMs)}
        </span>
      )}
      {turn.lateFrames > 0 && <span>{counted(turn.lateFrames, 'late frame')}</span>}
    </>
  );
}
