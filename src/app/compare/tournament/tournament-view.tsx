import { Play, Plus, Trash2 } from 'lucide-react';
import { useId } from 'react';
import { count, counted } from '#lib/format.ts';
import { useSettings } from '../../stores/settings-store.ts';
import { CannotSend } from '../../studio/composer/text-status.tsx';
import { Button } from '../../ui/button.tsx';
import { TitledField } from '../../ui/fields/rows.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageFoot } from '../../ui/page.tsx';
import {
  type Configurations,
  configsNow,
  setConfigurations,
  useCompare,
  useConfigurations,
  useObstacle,
  useSideVoices,
} from '../compare-store.ts';
import { useComparisons, useTournament } from '../comparisons.ts';
import { CONFIGURATION_IDS, nameOf, SIDES, withAnotherVoice } from '../side.ts';
import { SideCards } from '../side-card.tsx';
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
  const typed = useCompare((state) => state.texts);
  const configurations = useConfigurations();
  const muted = useSettings((state) => state.muted || state.volume === 0);
  const obstacle = useObstacle(configurations);
  const texts = textsOf(typed);
  const configured = Object.keys(configurations).length;
  const rounds = ((configured * (configured - 1)) / 2) * texts.length;
  const begin = () => {
    const configs = configsNow(configurations);
    const [seed = 0] = crypto.getRandomValues(new Int32Array(1));
    if (configs) tournament.begin({ configurations, configs, texts, seed });
  };
  return (
    <section aria-label="Plan of the tournament" className="flex flex-col gap-4">
      <ConfigurationList configurations={configurations} />
      <TitledField
        title="Texts, one a line"
        htmlFor={`${id}-texts`}
        trailing={`up to ${counted(rounds, 'round')}`}
      >
        <textarea
          id={`${id}-texts`}
          aria-label="Texts, one a line"
          dir="auto"
          spellCheck={false}
          value={typed}
          onChange={(event) => useCompare.setState({ texts: event.target.value })}
          className="field-sizing-content block max-h-64 min-h-28 w-full resize-none overflow-y-auto rounded-panel border border-border bg-surface-raised px-4 py-3 text-14"
        />
      </TitledField>
      <p className="max-w-[72ch] text-13 text-text-muted">
        In each round two of them speak one text as X and Y, by chance and at equal loudness (BS.1770). Both
        are there before either is played, so no wait gives one away. Names, figures and ratings appear at the
        end: stop when you like. Each speaks each text at most once:{' '}
        {counted(configured * texts.length, 'turn')} and {count(configured * texts.join('').length)}{' '}
        characters in all.
      </p>
      {obstacle && <CannotSend words={obstacle} />}
      {muted && (
        <Notice severity="warning" title="Sound is muted">
          Turn it on in the bar, or nothing will be heard.
        </Notice>
      )}
      <PageFoot>
        <Button
          variant="filled"
          icon={Play}
          onClick={begin}
          disabledReason={obstacle ?? (texts.length === 0 ? 'There is no text' : null)}
        >
          Begin tournament
        </Button>
      </PageFoot>
    </section>
  );
}

function ConfigurationList({ configurations }: { configurations: Configurations }) {
  const list = Object.values(configurations);
  const last = list.at(-1) ?? configurations.b;
  const { items } = useSideVoices(last);
  return (
    <>
      <SideCards
        sides={configurations}
        tools={(id) => (
          <IconButton
            size="small"
            icon={Trash2}
            label={`Remove ${nameOf(id)}`}
            disabled={list.length === SIDES.length}
            onClick={() => setConfigurations(list.toSpliced(CONFIGURATION_IDS.indexOf(id), 1))}
          />
        )}
      />
      <Button
        className="self-start"
        icon={Plus}
        disabledReason={
          list.length === CONFIGURATION_IDS.length ? `${CONFIGURATION_IDS.length} are the most` : null
        }
        onClick={() => setConfigurations([...list, withAnotherVoice(last, items)])}
      >
        Add configuration
      </Button>
    </>
  );
}
