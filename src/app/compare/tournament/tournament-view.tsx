import { Copy, Eye, Play, Plus, Trash2 } from 'lucide-react';
import { useId } from 'react';
import { deepEqual } from '#lib/deep-equal.ts';
import { count, counted } from '#lib/format.ts';
import { useSettings } from '../../stores/settings-store.ts';
import { Button } from '../../ui/button.tsx';
import { FieldLabel } from '../../ui/fields/field-label.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Switch } from '../../ui/switch.tsx';
import {
  configsNow,
  setConfigurations,
  useCompare,
  useConfigurations,
  useObstacle,
  useSideVoices,
} from '../compare-store.ts';
import { useComparisons, useTournament } from '../comparisons.ts';
import { CONFIGURATION_IDS, nameOf, SIDES, type Side, withAnotherVoice } from '../side.ts';
import { SideCard } from '../side-card.tsx';
import { textsOf } from './rounds.ts';
import { TournamentResult } from './tournament-result.tsx';
import { TournamentRound } from './tournament-round.tsx';

export function TournamentView() {
  const phase = useTournament((state) => state.phase);
  if (phase === 'setUp') return <SetUp />;
  return phase === 'revealed' ? <TournamentResult /> : <TournamentRound />;
}

function SetUp() {
  const id = useId();
  const { tournament } = useComparisons();
  const { texts: typed, matchLoudness } = useCompare();
  const configurations = useConfigurations();
  const muted = useSettings((state) => state.muted || state.volume === 0);
  const obstacle = useObstacle(configurations);
  const texts = textsOf(typed);
  const ids = Object.keys(configurations);
  const rounds = ((ids.length * (ids.length - 1)) / 2) * texts.length;
  const begin = () => {
    const configs = configsNow(configurations);
    const [seed = 0] = crypto.getRandomValues(new Int32Array(1));
    if (configs) tournament.begin({ configurations, configs, texts, seed, matchLoudness });
  };
  return (
    <section aria-label="Plan of the tournament" className="flex flex-col gap-4">
      <Configurations configurations={configurations} />
      <div className="flex flex-col gap-1.5">
        <FieldLabel
          title="Texts, one a line"
          htmlFor={`${id}-texts`}
          trailing={`up to ${counted(rounds, 'round')}`}
        />
        <textarea
          id={`${id}-texts`}
          aria-label="Texts, one a line"
          dir="auto"
          spellCheck={false}
          value={typed}
          onChange={(event) => useCompare.setState({ texts: event.target.value })}
          className="field-sizing-content block max-h-64 min-h-28 w-full resize-none overflow-y-auto rounded-panel border border-border bg-surface-raised px-4 py-3 text-14"
        />
      </div>
      <div className="flex flex-col gap-1">
        <Switch checked={matchLoudness} onChange={(next) => useCompare.setState({ matchLoudness: next })}>
          Match loudness
        </Switch>
        <p className="max-w-[72ch] text-12 text-text-muted">
          {matchLoudness
            ? 'In each round the louder one is turned down until both have the same loudness by ITU-R BS.1770, which weights frequencies as the ear does and does not count pauses.'
            : 'Loudness is not matched. The louder of two voices is mostly taken for the better one, so a choice may be for loudness alone.'}
        </p>
      </div>
      <ol className="flex max-w-[72ch] list-decimal flex-col gap-1 pl-5 text-13 text-text-muted">
        <li>
          In each round two of them speak one text as X and Y. Chance decides which is which and the order,
          and each is X in half of its rounds. Both are there before either is played, so no wait gives one
          away.
        </li>
        <li>
          Play them as often as you like, and choose X, Y, or no difference. Once all pairs were heard, those
          whose order is least certain come next.
        </li>
        <li>
          Stop when you like; the page says when the first place is settled. Names, figures and ratings appear
          then.
        </li>
        <li>
          Each configuration speaks each text at most once: {counted(ids.length * texts.length, 'turn')} and{' '}
          {count(ids.length * texts.join('').length)} characters in all.
        </li>
      </ol>
      {obstacle && (
        <Notice severity="warning" title="It cannot be spoken yet">
          {obstacle}
        </Notice>
      )}
      {muted && (
        <Notice severity="warning" title="Sound is muted">
          Turn it on in the bar, or nothing will be heard.
        </Notice>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          variant="filled"
          icon={Play}
          onClick={begin}
          disabledReason={
            obstacle ?? sameText(configurations) ?? (texts.length === 0 ? 'There is no text' : null)
          }
        >
          Begin tournament
        </Button>
        <span className="flex items-center gap-1.5 text-12 text-text-subtle">
          <Eye className="size-3.5" />
          The set-up above is hidden meanwhile.
        </span>
      </div>
    </section>
  );
}

function Configurations({ configurations }: { configurations: Readonly<Record<string, Side>> }) {
  const entries = Object.entries(configurations);
  const list = Object.values(configurations);
  const [first, last] = [entries[0] ?? null, list.at(-1)];
  const isFull = list.length === CONFIGURATION_IDS.length;
  const fullReason = isFull ? `${CONFIGURATION_IDS.length} are the most` : null;
  return (
    <>
      <div className="grid gap-4 wide:grid-cols-2">
        {entries.map(([id, side], at) => (
          <SideCard key={id} id={id} side={side} other={at === 0 ? null : first}>
            <Button
              size="small"
              icon={Copy}
              disabledReason={fullReason}
              onClick={() => setConfigurations(list.toSpliced(at + 1, 0, side))}
            >
              Duplicate {nameOf(id)}
            </Button>
            <IconButton
              size="small"
              icon={Trash2}
              label={`Remove ${nameOf(id)}`}
              disabled={list.length === SIDES.length}
              onClick={() => setConfigurations(list.toSpliced(at, 1))}
            />
          </SideCard>
        ))}
      </div>
      {last && <AddButton list={list} last={last} disabledReason={fullReason} />}
    </>
  );
}

interface AddButtonProps {
  list: readonly Side[];
  last: Side;
  disabledReason: string | null;
}

/** Adds the last configuration with its next voice. */
function AddButton({ list, last, disabledReason }: AddButtonProps) {
  const { voices } = useSideVoices(last);
  return (
    <Button
      className="self-start"
      icon={Plus}
      disabledReason={disabledReason}
      onClick={() => setConfigurations([...list, withAnotherVoice(last, voices.items)])}
    >
      Add configuration
    </Button>
  );
}

/** Returns which two are the same, and what to do; null where all differ. */
function sameText(configurations: Readonly<Record<string, Side>>): string | null {
  const entries = Object.entries(configurations);
  for (const [at, [id, side]] of entries.entries()) {
    const same = entries.slice(at + 1).find(([, other]) => deepEqual(side, other));
    if (same)
      return `${nameOf(id)} and ${nameOf(same[0])} are the same: give one of them another voice or setting`;
  }
  return null;
}
