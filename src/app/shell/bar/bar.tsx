import { CircleQuestionMark, Presentation } from 'lucide-react';
import { useMedia } from '../../browser/use-media.ts';
import { ClientsButton } from '../../recordings/clients/clients-button.tsx';
import { useSession } from '../../session-client/provider.tsx';
import { selectIsOfClient } from '../../session-client/session-state.ts';
import { ShareButton } from '../../share/share-button.tsx';
import { goToMode, MODES, type Mode, useMode } from '../../stores/mode-store.ts';
import { openDialog, setDemo } from '../../stores/view-store.ts';
import { FaultsBadge } from '../../studio/faults/faults-control.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { later } from '../../ui/later.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Select } from '../../ui/select.tsx';
import { ConnectionBadge } from './connection-badge.tsx';
import { ListeningButton } from './listening-button.tsx';
import { Logo } from './logo.tsx';
import { MorePopover } from './more-popover.tsx';
import { PageEndpoint, ServerSelect } from './server-select.tsx';
import { ThemeToggle } from './theme-toggle.tsx';
import { Volume } from './volume.tsx';

const SessionFigures = later('The totals', () =>
  import('./session-figures.tsx').then((module) => module.SessionFigures),
);

const Rule = () => <span aria-hidden className="mx-1 h-5 w-px shrink-0 bg-border max-[960px]:hidden" />;

function Totals() {
  const hasTurns = useSession((state) => state.totals.turns > 0);
  return hasTurns && <SessionFigures />;
}

export function Bar({ mode = 'studio' }: { mode?: Mode }) {
  // Endpoint, server and totals concern the studio's session. Other modes have sessions of their own.
  const isStudio = mode === 'studio';
  return (
    <header className="painted-alone flex h-12 shrink-0 items-center gap-1 border-b border-border bg-surface pr-3 pl-4">
      <h1 className="mr-2 flex items-center gap-2.5 text-14 font-semibold tracking-[-0.01em]">
        <Logo />
        <span className="max-[960px]:sr-only">Voicewire</span>
      </h1>
      <span className="flex shrink-0">
        <ModeSwitch />
      </span>
      {isStudio && (
        <>
          <Rule />
          <span className="flex shrink-0 items-center gap-1">
            <ShownEndpoint />
          </span>
          <ConnectionBadge />
        </>
      )}
      {isStudio && <ClientsButton />}
      <span className="flex-1" />
      {isStudio && <Totals />}
      {isStudio && <Rule />}
      <Volume meter={isStudio} />
      <ListeningButton />
      <Rule />
      {isStudio && (
        <IconButton
          label="Demo mode"
          icon={Presentation}
          tooltipSide="bottom"
          onClick={() => setDemo(true)}
        />
      )}
      <ShareButton />
      <ThemeToggle />
      <IconButton
        label="Keys"
        icon={CircleQuestionMark}
        tooltipSide="bottom"
        onClick={() => openDialog('keys')}
      />
    </header>
  );
}

/** Endpoint and server of the page's next turn, or the endpoint of another client that is shown. */
function ShownEndpoint() {
  const ofClient = useSession((state) => selectIsOfClient(state) && state.endpoint);
  if (ofClient) return <span className="px-2 font-mono text-12">{ofClient}</span>;
  return (
    <>
      <PageEndpoint />
      <span className="text-12 text-text-subtle max-[1500px]:sr-only">on</span>
      <ServerSelect />
      <FaultsBadge />
    </>
  );
}

/** The bar on a narrow window: a popover holds the rest, and Set-up the server. */
export function NarrowBar({ mode = 'studio' }: { mode?: Mode }) {
  return (
    <header className="painted-alone flex h-13 shrink-0 items-center gap-0.5 border-b border-border bg-surface pr-1 pl-3">
      <h1 className="flex items-center gap-2.5 text-14 font-semibold tracking-[-0.01em]">
        <Logo />
        <span className="max-[420px]:sr-only">Voicewire</span>
      </h1>
      <ModeSwitch />
      <span className="min-w-0 flex-1" />
      {mode === 'studio' && (
        <>
          <span className="max-[420px]:hidden">
            <ClientsButton />
          </span>
          <ConnectionBadge />
        </>
      )}
      <Volume slider={false} />
      <MorePopover />
    </header>
  );
}

/** From here on the bar has room for all modes beside the totals of a session. */
const SPACIOUS = '(width >= 1400px)';

function ModeSwitch() {
  const mode = useMode((state) => state.mode);
  const isSpacious = useMedia(SPACIOUS);
  return isSpacious ? (
    <Segmented
      label="Mode"
      size="small"
      options={MODES.map(({ value, title }) => ({ value, label: title }))}
      value={mode}
      onChange={goToMode}
    />
  ) : (
    <Select
      label="Mode"
      quiet
      options={MODES.map(({ value, title, hint }) => ({ value, label: title, hint }))}
      value={mode}
      onChange={goToMode}
    />
  );
}
