import { useEffect } from 'react';
import { milliseconds, seconds } from '#lib/format.ts';
import { measuresOf } from '#session/measures/turn-measures.ts';
import type { TurnView } from '#session/views.ts';
import { shortcutOf } from '../browser/shortcuts.ts';
import { useSession, useSessionClient } from '../session-client/provider.tsx';
import { selectNewest } from '../session-client/session-state.ts';
import { setDemo } from '../stores/view-store.ts';
import { ConnectionProblems } from '../studio/composer/connection-problems.tsx';
import { SpeakAndCancel } from '../studio/composer/controls.tsx';
import { controlsNow } from '../studio/composer/use-controls.ts';
import { Transcript } from '../studio/transcript/transcript.tsx';
import { Button } from '../ui/button.tsx';
import { inBoundary } from '../ui/panel-boundary.tsx';
import { voiceHue } from '../ui/voice-hue.ts';
import { useVoiceName } from '../wording/voice-name.ts';
import { Logo } from './bar/logo.tsx';
import { ThemeToggle } from './bar/theme-toggle.tsx';
import { Volume } from './bar/volume.tsx';
import { keyPlaceOf } from './use-shortcuts.ts';

/** Large transcript with voice and wait, for showing to others. Set-up and dock are hidden. */
export function DemoLayout() {
  const client = useSessionClient();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // Esc first closes an open layer, then cancels speech, and only then leaves.
      const isEsc = !event.defaultPrevented && shortcutOf(event, keyPlaceOf(event.target)) === 'cancel';
      if (isEsc && controlsNow(client).reasons.cancel !== null) setDemo(false);
    };
    // Runs before the page's shortcuts, so that the Esc that cancels does not leave too.
    addEventListener('keydown', press, { capture: true });
    return () => removeEventListener('keydown', press, { capture: true });
  }, [client]);
  return (
    <div data-demo className="flex h-full flex-col bg-canvas">
      <header className="flex h-16 shrink-0 items-center gap-1 px-4 wide:px-8">
        <h1 className="flex items-center gap-2.5 text-14 font-medium text-text-muted">
          <Logo />
          Voicewire
        </h1>
        <span className="flex-1" />
        <Volume slider={false} />
        <ThemeToggle />
        <Button variant="ghost" keys="Esc" onClick={() => setDemo(false)}>
          Leave
        </Button>
      </header>
      <main className="flex min-h-0 flex-1 flex-col">
        {inBoundary('The transcript', <Transcript />)}
        <ConnectionProblems />
        <Foot />
      </main>
    </div>
  );
}

function Foot() {
  const newest = useSession(selectNewest);
  return (
    <footer className="mx-auto flex w-full max-w-[944px] shrink-0 flex-wrap items-center gap-x-8 gap-y-3 px-4 py-6">
      {newest && <Figures turn={newest} />}
      <span className="flex-1" />
      <span className="flex gap-2">
        <SpeakAndCancel />
      </span>
    </footer>
  );
}

function Figures({ turn }: { turn: TurnView }) {
  const name = useVoiceName(turn.voice);
  const { waitMs } = measuresOf(turn);
  return (
    <>
      <p data-voice={voiceHue(turn.voice ?? 0)} className="text-13 font-medium text-voice">
        {name}
      </p>
      {waitMs !== null && <Figure value={milliseconds(waitMs)} what="first text to first audible" />}
      {turn.sampleRate !== null && <Figure value={seconds(turn.samples / turn.sampleRate)} what="of audio" />}
    </>
  );
}

const Figure = ({ value, what }: { value: string; what: string }) => (
  <p className="flex items-baseline gap-2 text-12 text-text-muted">
    <span className="font-mono text-13 text-text">{value}</span>
    {what}
  </p>
);
