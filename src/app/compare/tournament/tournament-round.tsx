import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import { Eye, LoaderCircle, Play, SkipForward, Square, Volume2, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { counted } from '#lib/format.ts';
import { Button, Kbd } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Notice } from '../../ui/notice.tsx';
import { useComparisons, useTournament } from '../comparisons.ts';
import { roundActionOf } from './round-keys.ts';
import { type Choice, LABELS, type Label } from './rounds.ts';
import { isSettled } from './standings.ts';
import type { TournamentState } from './tournament.ts';

const CHOICES: readonly { value: Choice; label: string }[] = [
  { value: 'x', label: 'X is better' },
  { value: 'none', label: 'No difference' },
  { value: 'y', label: 'Y is better' },
];

/** Elements in which a letter is input and not a command. */
const TYPING = 'input:not([type="radio"]), textarea, [role="listbox"], [role="slider"]';

function useRoundKeys(): void {
  const { tournament } = useComparisons();
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent) => {
      const target = event.target instanceof Element ? event.target : null;
      const action = roundActionOf(event);
      if (action === null || target?.closest(TYPING) || document.querySelector('[data-modal]')) return;
      if (action === 'stop') tournament.stopRepeat();
      else if (action === 'next') tournament.next();
      else if (action === 'reveal') {
        if (tournament.state.phase === 'chosen') tournament.reveal();
      } else tournament.play(action.play);
      event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [tournament]);
}

/** Returns the announcement of a phase. It must not reveal which configuration is X. */
function announcement(phase: TournamentState['phase'], round: string, isHeard: boolean): string {
  switch (phase) {
    case 'preparing':
      return `${round}. Both are speaking the text, unheard.`;
    case 'listening':
      return isHeard
        ? 'Both were played. Arrow keys choose, Enter confirms.'
        : `${round} is ready. Press 1 to play X and 2 to play Y.`;
    case 'chosen':
      return 'Your choice is kept. Press N for the next round, or R to reveal everything.';
    default:
      return '';
  }
}

export function TournamentRound() {
  const { tournament } = useComparisons();
  const { phase, round, plays, playing, record } = useTournament((state) => state);
  useRoundKeys();
  const number = (record?.heard.length ?? 0) + (phase === 'chosen' ? 0 : 1);
  const name = `Round ${number} of ${record?.roundsPlanned}`;
  const isHeard = plays.x > 0 && plays.y > 0;
  const isReady = phase === 'listening' || phase === 'chosen';
  return (
    <section
      aria-labelledby="tournament-round"
      className="mx-auto flex w-full max-w-[720px] flex-col gap-5 rounded-panel border border-border bg-surface p-5 wide:p-8"
    >
      <header className="flex items-start justify-between gap-3">
        <div>
          <h3 id="tournament-round" className="text-14 font-semibold">
            {name}
          </h3>
          <p aria-live="polite" className="mt-0.5 text-12 text-text-muted">
            {announcement(phase, name, isHeard)}
          </p>
        </div>
        <Button size="small" variant="ghost" icon={X} onClick={() => tournament.quit()}>
          Quit
        </Button>
      </header>
      <p className="text-24 text-balance">{round?.text}</p>
      {phase === 'stuck' ? (
        <Notice
          severity="error"
          title="One of the two could not be spoken"
          action={{ label: 'Try again', onPress: () => tournament.retry() }}
          remedy="Try again, or reveal everything to read why."
        >
          The reason stays hidden, because it might reveal which of them it was.
        </Notice>
      ) : (
        <div className="grid grid-cols-2 gap-3">
          {LABELS.map((label) => (
            <PlayCard
              key={label}
              label={label}
              isReady={isReady}
              isPlaying={playing === label}
              plays={plays[label]}
            />
          ))}
        </div>
      )}
      {phase === 'chosen' || phase === 'stuck' ? (
        <AfterChoice />
      ) : (
        <ChoiceForm key={number} isHeard={isHeard} />
      )}
    </section>
  );
}

interface PlayCardProps {
  label: Label;
  isReady: boolean;
  isPlaying: boolean;
  plays: number;
}

function PlayCard({ label, isReady, isPlaying, plays }: PlayCardProps) {
  const { tournament } = useComparisons();
  const name = label.toUpperCase();
  const Icon = !isReady ? LoaderCircle : isPlaying ? Volume2 : Play;
  return (
    <button
      type="button"
      aria-label={isPlaying ? `Stop ${name}` : `Play ${name}`}
      aria-keyshortcuts={label === 'x' ? '1' : '2'}
      aria-disabled={!isReady || undefined}
      onClick={() => (isPlaying ? tournament.stopRepeat() : tournament.play(label))}
      className={cx(
        'flex min-h-28 cursor-default flex-col items-center justify-center gap-1.5 rounded-panel border aria-disabled:text-text-subtle',
        isPlaying ? 'border-text bg-selected' : 'border-border-strong hover:bg-hover',
      )}
    >
      <span className="flex items-center gap-2.5 text-28 font-semibold">
        <Icon className="size-5" />
        {name}
      </span>
      <span className="text-12 text-text-muted">
        {!isReady
          ? 'preparing'
          : isPlaying
            ? 'playing'
            : plays === 0
              ? 'not played yet'
              : `played ${counted(plays, 'time')}`}
      </span>
      <Kbd keys={label === 'x' ? '1' : '2'} className="text-text-subtle touch:hidden" />
    </button>
  );
}

function ChoiceForm({ isHeard }: { isHeard: boolean }) {
  const { tournament } = useComparisons();
  const phase = useTournament((state) => state.phase);
  const [choice, setChoice] = useState<Choice | null>(null);
  const group = useRef<HTMLDivElement>(null);
  // The choice takes the focus, so that arrow keys work without Tab.
  useEffect(() => {
    if (phase === 'listening') group.current?.querySelector<HTMLElement>('[role="radio"]')?.focus();
  }, [phase]);
  const reason =
    phase !== 'listening'
      ? 'Both are being prepared'
      : !isHeard
        ? 'Play both first'
        : choice === null
          ? 'Choose one of the three'
          : null;
  const confirm = () => {
    if (reason === null && choice !== null) tournament.choose(choice);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    event.preventDefault();
    confirm();
  };
  return (
    <div className="flex flex-col gap-4">
      <RadioGroup<Choice | null>
        ref={group}
        aria-label="Your choice"
        value={choice}
        onValueChange={setChoice}
        onKeyDown={press}
        className="grid grid-cols-1 gap-2 wide:grid-cols-3"
      >
        {CHOICES.map(({ value, label }) => (
          <Radio.Root
            key={value}
            value={value}
            className="flex h-11 cursor-default items-center justify-center rounded-control border border-border-strong px-3 text-13 font-medium text-text-muted select-none hover:bg-hover data-checked:border-text data-checked:bg-selected data-checked:text-text"
          >
            {label}
          </Radio.Root>
        ))}
      </RadioGroup>
      <div className="flex flex-wrap items-center gap-3">
        <Button variant="filled" keys="Enter" disabledReason={reason} onClick={confirm}>
          Confirm choice
        </Button>
        <span className="text-12 text-text-muted">{reason ?? 'What it was stays hidden until the end.'}</span>
      </div>
    </div>
  );
}

function AfterChoice() {
  const { tournament } = useComparisons();
  const phase = useTournament((state) => state.phase);
  const record = useTournament((state) => state.record);
  const settled = record && isSettled(Object.keys(record.configurations), record.heard);
  const next = useRef<HTMLButtonElement>(null);
  useEffect(() => next.current?.focus(), []);
  return (
    <div className="flex flex-wrap items-center gap-3">
      {phase === 'chosen' && (
        <Button ref={next} variant="filled" icon={SkipForward} keys="N" onClick={() => tournament.next()}>
          Next round
        </Button>
      )}
      <Button
        icon={phase === 'stuck' ? Square : Eye}
        {...(phase === 'chosen' ? { keys: 'R' } : {})}
        onClick={() => tournament.reveal()}
      >
        Reveal everything
      </Button>
      <span className="text-12 text-text-muted">
        {counted(record?.heard.length ?? 0, 'choice')} so far.{' '}
        {settled ? 'The first place is settled: you may stop.' : 'More rounds may change the first place.'}{' '}
        Revealing ends the tournament.
      </span>
    </div>
  );
}
