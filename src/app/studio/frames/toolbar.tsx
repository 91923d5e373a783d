import { ChevronDown, CircleCheck, FoldVertical, History, ListFilter, LoaderCircle } from 'lucide-react';
import { ExportButton } from '../../recordings/files/export-button.tsx';
import { ReplayButton } from '../../recordings/replay-button.tsx';
import { selectShowsCalls, useRecordings } from '../../recordings-client/recordings-store.ts';
import { openDialog } from '../../stores/view-store.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { ChoiceMenu } from '../../ui/popups/menu.tsx';
import type { ChoiceMenuProps } from '../../ui/popups/menu-parts.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Select } from '../../ui/select.tsx';
import { checkWords, isBehind, wantedGroups } from './findings/finding-count.ts';
import { LOOKS } from './findings/severity.ts';
import { SearchField } from './search-field.tsx';
import { SendButton } from './send/send-dialog.tsx';
import { useFrames } from './view/frames-store.ts';

const ALL_TURNS = 0;
/** A longer list is no usable choice. */
const TURNS_OFFERED = 100;

export function Toolbar({ onLeaveSearch }: { onLeaveSearch: () => void }) {
  const direction = useFrames((state) => state.direction);
  const kinds = useFrames((state) => state.kinds);
  const contexts = useFrames((state) => state.contexts);
  const turn = useFrames((state) => state.turn);
  const problemsOnly = useFrames((state) => state.problemsOnly);
  const fold = useFrames((state) => state.fold);
  const facets = useRecordings((state) => state.shown.facets);
  const word = useRecordings(selectShowsCalls) ? 'Call' : 'Turn';
  const set = useFrames.setState;
  const turns = Array.from(
    { length: Math.min(facets.lastTurn, TURNS_OFFERED) },
    (_, i) => facets.lastTurn - i,
  );
  if (turn !== null && !turns.includes(turn)) turns.push(turn);
  return (
    <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-b border-border px-2 py-1">
      <SearchField onLeave={onLeaveSearch} />
      {/* In a narrow panel, the filters have a row that scrolls, and what is not a filter is beside the search. */}
      <div className="relative flex min-w-0 flex-1 items-center gap-2 @max-[1080px]:order-1 @max-[1080px]:basis-full @max-[1080px]:overflow-x-auto">
        <Segmented
          label="Direction"
          size="small"
          value={direction}
          onChange={(next) => set({ direction: next })}
          options={[
            { value: 'all', label: 'All' },
            { value: 'out', label: 'Sent' },
            { value: 'in', label: 'Received' },
            { value: 'player', label: 'Player' },
          ]}
        />
        <div className="ml-auto flex items-center gap-1 @min-[1080px]:flex-wrap @min-[1080px]:justify-end">
          <FindingsButton />
          <Button
            variant="ghost"
            size="small"
            icon={ListFilter}
            aria-pressed={problemsOnly}
            onClick={() => set({ problemsOnly: !problemsOnly })}
          >
            Problems only
          </Button>
          {(facets.lastTurn > 1 || turn !== null) && (
            <Select
              label={word}
              quiet
              size="small"
              value={turn ?? ALL_TURNS}
              onChange={(next) => set({ turn: next === ALL_TURNS ? null : next })}
              options={[
                { value: ALL_TURNS, label: `All ${word.toLowerCase()}s` },
                ...turns.map((value) => ({ value, label: `${word} ${value}` })),
              ]}
            />
          )}
          {(facets.contexts.length > 0 || contexts) && (
            <Choice
              name="Contexts"
              options={facets.contexts}
              chosen={contexts}
              onChange={(next) => set({ contexts: next })}
            />
          )}
          <Choice
            name="Kinds"
            options={facets.kinds}
            chosen={kinds}
            onChange={(next) => set({ kinds: next })}
          />
          <IconButton
            size="small"
            icon={FoldVertical}
            label="Fold runs of audio"
            aria-pressed={fold}
            onClick={() => set({ fold: !fold })}
          />
        </div>
      </div>
      <div className="ml-auto flex items-center gap-1">
        <ReplayButton />
        <SendButton />
        <ExportButton />
        <Button
          variant="ghost"
          size="small"
          icon={History}
          aria-haspopup="dialog"
          onClick={() => openDialog('recordings')}
        >
          <span className="@max-[480px]:sr-only">Recordings</span>
        </Button>
      </div>
    </div>
  );
}

type ChoiceProps = Pick<ChoiceMenuProps, 'chosen' | 'onChange'> & {
  name: string;
  options: readonly string[];
};

function Choice({ name, options, chosen, onChange }: ChoiceProps) {
  // A chosen value stays in the list, so that it can be cleared in a recording without it.
  const offered = [...new Set([...options, ...(chosen ?? [])])];
  return (
    <ChoiceMenu
      trigger={
        <Button variant="ghost" size="small">
          {name}
          {chosen && <span className="font-mono font-normal">{chosen.length}</span>}
          <ChevronDown className="size-3.5" />
        </Button>
      }
      options={offered.map((value) => ({ value, label: <span className="font-mono text-12">{value}</span> }))}
      chosen={chosen}
      onChange={onChange}
    />
  );
}

function FindingsButton() {
  const isOpen = useFrames((state) => state.isFindingsOpen);
  const withAdvice = useFrames((state) => state.withAdvice);
  // Selects the words only, because the check reports many times a second.
  const words = useRecordings(({ check, shown }) => checkWords(check, shown.isGrowing, withAdvice));
  const worst = useRecordings(({ check }) => wantedGroups(check.groups, withAdvice)[0]?.rule.severity);
  const isWaiting = useRecordings(({ check, shown }) => isBehind(check, shown.isGrowing));
  const look = worst && LOOKS[worst];
  const Icon = look?.icon ?? (isWaiting ? LoaderCircle : CircleCheck);
  return (
    <Button
      variant="ghost"
      size="small"
      aria-pressed={isOpen}
      onClick={() => useFrames.setState({ isFindingsOpen: !isOpen })}
    >
      <Icon className={cx('size-3.5', look?.text)} />
      {words}
    </Button>
  );
}
