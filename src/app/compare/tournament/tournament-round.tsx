import { Eye, LoaderCircle, Play, SkipForward, Volume2 } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { counted } from '#lib/format.ts';
import { isTyping } from '../../browser/shortcuts.ts';
import { Button, Kbd } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Notice } from '../../ui/notice.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { useComparisons, useTournament } from '../comparisons.ts';
import { SIDES } from '../side.ts';
import { type Choice, LABELS, type Label } from './rounds.ts';

const CHOICES: readonly { value: Choice; label: string }[] = [
  { value: 'x', label: 'X is better' },
  { value: 'none', label: 'No difference' },
  { value: 'y', label: 'Y is better' },
];

const PLAY_KEYS: Readonly<Record<Label, string>> = { x: '1', y: '2' };

function useRoundKeys(): void {
  const { tournament } = useComparisons();
  useEffect(() => {
    const press = ({ key, target, repeat, ctrlKey, metaKey, altKey }: globalThis.KeyboardEvent) => {
      const label = LABELS.find((one) => PLAY_KEYS[one] === key);
      const isChoosing = target instanceof Element && target.closest('[role="listbox"]');
      if (!label || repeat || ctrlKey || metaKey || altKey || isChoosing || isTyping(target)) return;
      if (!document.querySelector('[data-modal]')) tournament.play(label);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [tournament]);
}

export function TournamentRound() {
  const { tournament } = useComparisons();
  const { phase, round, plays, playing, record } = useTournament((state) => state);
  useRoundKeys();
  if (!record) return null;
  const answers = record.heard.length;
  const name = `Round ${answers + 1} of ${record.roundsPlanned}`;
  const isHeard = plays.x > 0 && plays.y > 0;
  const canLeaveOut = Object.keys(record.configurations).length > SIDES.length;
  return (
    <section
      aria-labelledby="tournament-round"
      className="mx-auto flex w-full max-w-[720px] flex-col gap-5 rounded-panel border border-border bg-surface p-5 wide:p-8"
    >
      <header>
        <h3 id="tournament-round" className="text-14 font-semibold">
          {name}
        </h3>
        <p aria-live="polite" className="mt-0.5 text-12 text-text-muted">
          {phase === 'preparing'
            ? `${name}. Both are speaking the text, unheard.`
            : phase === 'stuck'
              ? `${name} cannot be heard.`
              : isHeard
                ? 'Both were played. Choose, and confirm.'
                : `${name} is ready. Play X and Y, then choose.`}
        </p>
      </header>
      <p className="text-24 text-balance">{round?.text}</p>
      {phase === 'stuck' ? (
        <Notice
          severity="error"
          title="One of the two could not be spoken"
          action={{ label: 'Try again', onPress: () => tournament.retry() }}
          remedy={
            canLeaveOut
              ? 'Try again, or go on without that one. The result says why.'
              : 'Try again, or reveal everything to read why.'
          }
        >
          The reason stays hidden, because it might reveal which of them it was.
        </Notice>
      ) : (
        <>
          <div className="grid grid-cols-2 gap-3">
            {LABELS.map((label) => (
              <PlayCard
                key={label}
                label={label}
                isReady={phase === 'listening'}
                isPlaying={playing === label}
                plays={plays[label]}
              />
            ))}
          </div>
          <ChoiceForm key={name} isHeard={isHeard} />
        </>
      )}
      <footer className="flex flex-wrap items-center gap-3 border-t border-border pt-5">
        <p className="flex-1 basis-full text-12 text-text-muted roomy:basis-40">
          {counted(answers, 'choice')} so far. More rounds make the intervals narrower.
        </p>
        {phase === 'stuck' && canLeaveOut && (
          <Button icon={SkipForward} onClick={() => tournament.leaveOut()}>
            Leave it out
          </Button>
        )}
        <Button icon={Eye} onClick={() => tournament.reveal()}>
          Reveal everything
        </Button>
      </footer>
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
      aria-keyshortcuts={PLAY_KEYS[label]}
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
      <Kbd keys={PLAY_KEYS[label]} className="text-text-subtle touch:hidden" />
    </button>
  );
}

function ChoiceForm({ isHeard }: { isHeard: boolean }) {
  const { tournament } = useComparisons();
  const phase = useTournament((state) => state.phase);
  const [choice, setChoice] = useState<Choice | null>(null);
  const form = useRef<HTMLFieldSetElement>(null);
  // The choice takes the focus, so that arrow keys work without Tab.
  useEffect(() => {
    if (phase === 'listening') form.current?.querySelector<HTMLElement>('input[type="radio"]')?.focus();
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
    <fieldset ref={form} onKeyDown={press} className="flex flex-col gap-4">
      <Segmented fill label="Your choice" options={CHOICES} value={choice} onChange={setChoice} />
      <div className="flex flex-wrap items-center gap-3">
        <Button variant="filled" keys="Enter" disabledReason={reason} onClick={confirm}>
          Confirm choice
        </Button>
        <span className="text-12 text-text-muted">{reason ?? 'What it was stays hidden until the end.'}</span>
      </div>
    </fieldset>
  );
}
