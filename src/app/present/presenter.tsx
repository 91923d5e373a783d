import { LayoutList, Maximize, Minimize } from 'lucide-react';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { counted } from '#lib/format.ts';
import { shortcutOf } from '../browser/shortcuts.ts';
import { recordingsLink } from '../recordings-client/recordings-link.ts';
import { useSession, useStudioSessions } from '../session-client/provider.tsx';
import { ListeningButton } from '../shell/bar/listening-button.tsx';
import { Logo } from '../shell/bar/logo.tsx';
import { ThemeToggle } from '../shell/bar/theme-toggle.tsx';
import { Volume } from '../shell/bar/volume.tsx';
import { keyPlaceOf } from '../shell/use-shortcuts.ts';
import { scriptOf, useScene } from '../stores/scene-store.ts';
import { selectDraft, selectEndpoint, useSettings } from '../stores/settings-store.ts';
import { setDemo } from '../stores/view-store.ts';
import { ConnectionProblems } from '../studio/composer/connection-problems.tsx';
import { setWriting } from '../studio/microphone/microphone.ts';
import { MicrophoneNews } from '../studio/microphone/microphone-news.tsx';
import { Transcript } from '../studio/transcript/transcript.tsx';
import { Button, Kbd } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { inBoundary } from '../ui/panel-boundary.tsx';
import { PlaylistPanel } from './playlist-panel.tsx';
import { isRunning } from './playlist-run.ts';
import { PlaylistRunner } from './playlist-runner.ts';
import { selectPlaylist, usePlaylists } from './playlist-store.ts';
import {
  CAN_FILL_SCREEN,
  leaveFullScreen,
  toggleFullScreen,
  useFullScreen,
  usePointerRests,
  useWakeLock,
} from './presence.ts';
import { PresenterFoot } from './presenter-foot.tsx';
import { presenterKeyOf } from './presenter-keys.ts';
import {
  RunnerContext,
  togglePlaylist,
  toggleWait,
  usePlaylistRunner,
  usePresenterView,
  useRunState,
} from './presenter-state.ts';
import { type PresenterVoices, usePresenterVoices, VoiceCards } from './voice-cards.tsx';
import { VoicePicture } from './voice-picture.tsx';

/** The presenter: large words, the sound as a picture and a playlist, for showing to others. Set-up and dock are hidden. */
export function Presenter() {
  const sessions = useStudioSessions();
  const runner = useMemo(() => new PlaylistRunner(sessions), [sessions]);
  useEffect(() => runner.open(), [runner]);
  useEffect(() => {
    // The presenter has no text box for what a person says.
    setWriting(false, () => {});
    // A playlist may replay them.
    recordingsLink.order(({ refresh }) => refresh());
    return leaveFullScreen;
  }, []);
  return (
    <RunnerContext value={runner}>
      <Screen />
    </RunnerContext>
  );
}

function Screen() {
  const voices = usePresenterVoices();
  usePresenterKeys(voices);
  const main = useRef<HTMLElement>(null);
  const isPlaylistOpen = usePresenterView((state) => state.isPlaylistOpen);
  useWakeLock(useRunState(({ run }) => isRunning(run)));
  const isPointerHidden = usePointerRests(useFullScreen());
  useEffect(() => {
    // Space goes on, also after a press on a button of the presenter, which would have the focus.
    const released = ({ target }: PointerEvent) => {
      const button = target instanceof Element ? target.closest('[data-demo] button') : null;
      if (button && !button.closest('[data-playlist]')) main.current?.focus();
    };
    addEventListener('pointerup', released);
    return () => removeEventListener('pointerup', released);
  }, []);
  return (
    <div data-demo className={cx('flex h-full flex-col bg-canvas', isPointerHidden && 'cursor-none')}>
      <PresenterHead />
      <div className="flex min-h-0 flex-1">
        <main ref={main} tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
          <Words />
          <ConnectionProblems />
          <VoicePicture className="h-[clamp(72px,21vh,320px)] shrink-0" />
          <MicrophoneNews />
          <PresenterFoot />
          <VoiceCards voices={voices} />
        </main>
        {isPlaylistOpen && <PlaylistPanel />}
      </div>
    </div>
  );
}

function PresenterHead() {
  const playlist = usePlaylists(selectPlaylist);
  const isPlaylistOpen = usePresenterView((state) => state.isPlaylistOpen);
  const isFull = useFullScreen();
  return (
    <header className="flex h-14 shrink-0 items-center gap-1 px-3 wide:h-16 wide:px-8">
      <h1 className="flex min-w-0 items-center gap-2.5 text-14 font-medium text-text-muted">
        <Logo />
        <span className="max-[560px]:sr-only">Voicewire</span>
        {playlist && (
          <span className="min-w-0 truncate border-l border-border-strong pl-3 font-normal text-text-subtle max-wide:hidden">
            {playlist.name}
          </span>
        )}
      </h1>
      <span className="flex-1" />
      <Button
        variant="ghost"
        icon={LayoutList}
        keys="P"
        aria-expanded={isPlaylistOpen}
        onClick={togglePlaylist}
      >
        Playlist
      </Button>
      {CAN_FILL_SCREEN && (
        <IconButton
          label={isFull ? 'Leave full screen (F)' : 'Full screen (F)'}
          icon={isFull ? Minimize : Maximize}
          tooltipSide="bottom"
          onClick={toggleFullScreen}
          className="max-[480px]:hidden"
        />
      )}
      <Volume slider={false} />
      <span className="max-[480px]:hidden">
        <ListeningButton />
      </span>
      <ThemeToggle />
      <Button variant="ghost" keys="Esc" onClick={() => setDemo(false)}>
        Leave
      </Button>
    </header>
  );
}

/** The words that are heard; before the first of them, what will be. */
function Words() {
  const hasStarted = useRunState(({ speech }) => speech !== null);
  const hasTurns = useSession(({ turnIds }) => turnIds.length > 0);
  const playlist = usePlaylists(selectPlaylist);
  const isShown = playlist ? hasStarted : hasTurns;
  return isShown ? inBoundary('The transcript', <Transcript />) : <TitleCard />;
}

function TitleCard() {
  const playlist = usePlaylists(selectPlaylist);
  const draft = useSettings(selectDraft);
  const script = useScene(scriptOf);
  const isScene = useSettings((state) => selectEndpoint(state).contexts !== null);
  if (playlist) {
    const { name, items, auto, loop } = playlist;
    return (
      <div className="m-auto flex min-h-0 w-full max-w-[1760px] flex-col items-center gap-4 px-[7%] text-center">
        <p className="text-presenter font-[450] text-balance">{name}</p>
        <p className="text-presenter-small text-text-muted">
          {items.length === 0
            ? 'Nothing is in this playlist yet.'
            : `${counted(items.length, 'item')}, ${auto ? 'one after another' : 'each on a press of Space'}${loop ? ', in a loop' : ''}`}
        </p>
        {items.length > 0 && <StartHint />}
      </div>
    );
  }
  return (
    <div className="m-auto flex min-h-0 w-full max-w-[1760px] flex-col gap-6 overflow-hidden px-[7%] py-1">
      <p
        dir="auto"
        className={cx(
          'text-pretty text-text-subtle',
          isScene
            ? 'text-presenter-small line-clamp-10 whitespace-pre-line'
            : 'text-presenter line-clamp-6 font-[450]',
        )}
      >
        {(isScene ? script : draft).trim()}
      </p>
      <StartHint />
    </div>
  );
}

const StartHint = () => (
  <p className="text-16 text-text-subtle">
    <span className="touch:hidden">
      <Kbd keys="Space" className="rounded-inner border border-border-strong px-1.5 py-0.5 text-text" />{' '}
      starts.{' '}
    </span>
    Each word lights up as it leaves the speakers.
  </p>
);

const CONTROLS = 'button, a, input, select, [role="link"], [role="switch"], [role="radio"], [role="slider"]';

/** Handles the keys of the presenter. Esc leaves a field, else cancels speech, else closes the playlist, else leaves. */
function usePresenterKeys({ cards, choose }: PresenterVoices): void {
  const runner = usePlaylistRunner();
  // Keys count as soon as the presenter is seen; other effects run a moment later.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const target = event.target instanceof HTMLElement ? event.target : null;
      // A form of the playlist has its own handler for this key.
      if (target?.closest<HTMLElement>('[data-own-key]')?.dataset.ownKey === event.key) return;
      const place = keyPlaceOf(event.target);
      const shortcut = shortcutOf(event, place);
      if (shortcut === 'speak') {
        event.preventDefault();
        event.stopPropagation();
        runner.advance();
        return;
      }
      if (shortcut === 'cancel') {
        event.stopPropagation();
        if (place.editing) target?.blur();
        else if (runner.stop()) return;
        else if (usePresenterView.getState().isPlaylistOpen) togglePlaylist();
        else setDemo(false);
        return;
      }
      const key = presenterKeyOf(event, {
        isElsewhere: place.editing || place.layered || place.modal,
        onControl: target?.closest(`[data-playlist], ${CONTROLS}`) != null,
      });
      if (!key) return;
      event.preventDefault();
      if (key.do === 'advance') runner.advance();
      else if (key.do === 'back') runner.do({ type: 'back' });
      else if (key.do === 'fullScreen') toggleFullScreen();
      else if (key.do === 'playlist') togglePlaylist();
      else if (key.do === 'wait') toggleWait();
      else if (key.do === 'voice') {
        const card = key.at === null ? null : cards[key.at];
        if (card !== undefined) choose(card);
      }
    };
    // Runs before the page's shortcuts, so that each key acts once.
    addEventListener('keydown', press, { capture: true });
    return () => removeEventListener('keydown', press, { capture: true });
  }, [runner, cards, choose]);
}
