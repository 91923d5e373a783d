import { ChevronUp, Play, Repeat, SkipBack, SkipForward, Square } from 'lucide-react';
import { useShallow } from 'zustand/react/shallow';
import { measuresOf } from '#session/measures/turn-measures.ts';
import type { TurnView } from '#session/views.ts';
import { isUnderWay } from '#trace/turn-state.ts';
import { useSession } from '../session-client/provider.tsx';
import { type SessionState, selectNewestStart } from '../session-client/session-state.ts';
import type { RunSpeech } from '../session-client/speech.ts';
import { SpeakAndCancel } from '../studio/composer/controls.tsx';
import { WaitStrip } from '../studio/measures/wait-strip.tsx';
import { MicrophoneButton } from '../studio/microphone/microphone-button.tsx';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { WaitTime } from '../ui/elapsed.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { isRunning } from './playlist-run.ts';
import { selectPlaylist, usePlaylists } from './playlist-store.ts';
import { toggleWait, usePlaylistRunner, usePresenterView, useRunState } from './presenter-state.ts';

/** The controls of the run, and the wait of the item. */
export function PresenterFoot() {
  const playlist = usePlaylists(selectPlaylist);
  const isWaitOpen = usePresenterView((state) => state.isWaitOpen);
  return (
    <footer className="@container shrink-0 px-3 wide:px-8">
      {isWaitOpen && <Waterfall />}
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
        <div className="flex min-h-11 min-w-0 flex-wrap items-center gap-x-4 gap-y-2">
          <span className="flex items-center gap-2">
            {playlist ? <RunControls /> : <SpeakAndCancel keys="Space" className="h-11 px-4" />}
            <MicrophoneButton />
          </span>
          {playlist && <Place />}
        </div>
        <WaitFigure isOpen={isWaitOpen} />
      </div>
    </footer>
  );
}

/** Returns the first turn of the item, because the listener waits for it; without a playlist that of the newest press. */
const figureTurn =
  (speech: RunSpeech | null, hasPlaylist: boolean) =>
  (state: SessionState): TurnView | undefined => {
    if (speech) return speech.turns(state)[0];
    return hasPlaylist ? undefined : selectNewestStart(state);
  };

/** The parts of the wait. */
function Waterfall() {
  const speech = useRunState((state) => state.speech);
  const hasPlaylist = usePlaylists((state) => selectPlaylist(state) !== null);
  const turn = useSession(figureTurn(speech, hasPlaylist));
  return (
    <div id="presenter-wait" className="mb-3 rounded-panel border border-border bg-surface *:border-b-0">
      {turn ? (
        <WaitStrip turn={turn} />
      ) : (
        <p className="p-4 text-12 text-text-subtle">The parts of the wait appear here with the first turn.</p>
      )}
    </div>
  );
}

function RunControls() {
  const runner = usePlaylistRunner();
  const run = useRunState((state) => state.run);
  const count = usePlaylists((state) => selectPlaylist(state)?.items.length ?? 0);
  const loop = usePlaylists((state) => selectPlaylist(state)?.loop ?? false);
  const runs = isRunning(run);
  const empty = count === 0 ? 'The playlist has no items yet.' : null;
  const last = run.phase === 'speaking' && run.at === count - 1 && !loop ? 'This is the last item.' : null;
  return (
    <>
      <IconButton
        label="Previous item"
        icon={SkipBack}
        disabled={count === 0}
        onClick={() => runner.do({ type: 'back' })}
        className="size-11"
      />
      <Button
        icon={runs ? SkipForward : Play}
        variant={runs ? 'outline' : 'filled'}
        keys="Space"
        onClick={() => runner.advance()}
        disabledReason={empty ?? last}
        className="h-11 px-4"
      >
        {runs ? 'Next' : 'Start'}
      </Button>
      <Button
        icon={Square}
        variant={runs ? 'filled' : 'outline'}
        keys="Esc"
        onClick={() => runner.stop()}
        disabledReason={runs ? null : 'Nothing is being spoken.'}
        className="h-11 px-4"
      >
        Stop
      </Button>
    </>
  );
}

/** The place in the playlist. */
function Place() {
  const run = useRunState((state) => state.run);
  const problem = useRunState((state) => state.problem);
  const playlist = usePlaylists(selectPlaylist);
  const item = playlist?.items[run.at];
  if (!playlist || !item) return null;
  return (
    <p className="flex min-w-0 items-baseline gap-2 text-13 text-text-muted">
      <span className="font-mono text-12 whitespace-nowrap text-text-subtle">
        {run.at + 1} / {playlist.items.length}
      </span>
      <span dir="auto" className="max-w-72 truncate font-medium text-text">
        {item.title}
      </span>
      {playlist.loop && (
        <Repeat aria-label="in a loop" className="size-3.5 shrink-0 self-center text-text-subtle" />
      )}
      <span role="status" className="whitespace-nowrap text-text-subtle max-wide:sr-only">
        {run.phase === 'over' ? 'the end' : run.phase === 'pausing' ? 'pause' : ''}
      </span>
      {problem !== null && (
        <span role="alert" className="text-failed">
          {problem}
        </span>
      )}
    </p>
  );
}

function WaitFigure({ isOpen }: { isOpen: boolean }) {
  const speech = useRunState((state) => state.speech);
  const hasPlaylist = usePlaylists((state) => selectPlaylist(state) !== null);
  // A turn changes with every report, its wait once.
  const { waitMs, waitsSinceMs, isThere } = useSession(
    useShallow((state: SessionState) => {
      const turn = figureTurn(speech, hasPlaylist)(state);
      const wait = turn ? measuresOf(turn).waitMs : null;
      return {
        isThere: turn !== undefined,
        waitMs: wait,
        waitsSinceMs: turn && wait === null && isUnderWay(turn) ? turn.firstTextMs : null,
      };
    }),
  );
  if (!isThere) return null;
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      aria-controls={isOpen ? 'presenter-wait' : undefined}
      aria-keyshortcuts="W"
      onClick={toggleWait}
      className="-mr-2 ml-auto flex min-h-11 cursor-default items-baseline gap-3 rounded-control px-2 text-right hover:bg-hover"
    >
      <span className="text-13 text-text-muted">first text to first audible</span>
      <span
        data-figure="wait"
        className={cx(
          'text-presenter min-w-[3.6em] font-mono leading-none! font-medium whitespace-nowrap',
          waitsSinceMs !== null ? 'text-waiting' : waitMs === null ? 'text-text-subtle' : 'text-text',
        )}
      >
        <WaitTime waitMs={waitMs} sinceMs={waitsSinceMs} />
      </span>
      <ChevronUp
        aria-hidden
        className={cx(
          'size-4 self-center text-text-subtle transition-transform duration-100',
          isOpen && 'rotate-180',
        )}
      />
    </button>
  );
}
