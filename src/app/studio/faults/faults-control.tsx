import { X, Zap } from 'lucide-react';
import { useState } from 'react';
import { recordingsLink } from '../../recordings-client/recordings-link.ts';
import { activeFaults, selectMayFault, turnFaultsOff, useFaults } from '../../stores/faults-store.ts';
import { useSettings } from '../../stores/settings-store.ts';
import { Button } from '../../ui/button.tsx';
import { later } from '../../ui/later.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';

const FaultsDialog = later({ name: 'The list of faults', when: 'shown' }, () =>
  import('./faults-dialog.tsx').then((module) => module.FaultsDialog),
);

/** Opens the form of the faults on purpose; nothing where the chosen server has none. */
export function FaultsControl() {
  const mayFault = useSettings(selectMayFault);
  const spec = useActiveFaults();
  const [isOpen, setOpen] = useState(false);
  if (!mayFault) return null;
  return (
    <div className="flex items-center gap-2">
      <span className="font-medium">Faults</span>
      <code className="min-w-0 flex-1 truncate font-mono text-12 text-text-subtle">{spec ?? 'off'}</code>
      <Button
        size="small"
        icon={Zap}
        aria-haspopup="dialog"
        aria-label={spec === null ? 'Add faults' : 'Change faults'}
        onClick={() => {
          // The server reports strikes on the same connection as its other clients.
          recordingsLink.order(({ watchClients }) => watchClients());
          setOpen(true);
        }}
      >
        {spec === null ? 'Add' : 'Change'}
      </Button>
      {isOpen && <FaultsDialog onClose={() => setOpen(false)} />}
    </div>
  );
}

/** Says in the bar that faults are on. One press switches them off. */
export function FaultsBadge() {
  const spec = useActiveFaults();
  if (spec === null) return null;
  return (
    <Tooltip content={`Faults are on: ${spec}. Press to switch them off.`} side="bottom">
      <button
        type="button"
        aria-label="Faults are on. Switch them off"
        onClick={turnFaultsOff}
        className="inline-flex h-7 shrink-0 max-[1000px]:hidden cursor-default items-center justify-center gap-1.5 rounded-control bg-waiting/10 px-2 text-12 font-medium text-waiting hover:bg-waiting/20 touch:h-11 touch:min-w-11"
      >
        <Zap className="size-3.5 shrink-0" />
        Faults
        <X className="size-3.5 shrink-0" />
      </button>
    </Tooltip>
  );
}

/** The badge of a window below 1000 px, whose bar has no room for it. */
export function FaultsStrip() {
  const spec = useActiveFaults();
  if (spec === null) return null;
  return (
    <div
      role="status"
      className="flex shrink-0 items-center gap-2 min-[1000px]:hidden border-b border-border bg-waiting/10 py-0.5 pr-1 pl-3 text-12"
    >
      <Zap className="size-3.5 shrink-0 text-waiting" />
      <span className="shrink-0 font-medium text-waiting">Faults are on</span>
      <code className="min-w-0 flex-1 truncate font-mono text-text-muted">{spec}</code>
      <Button variant="ghost" size="small" onClick={turnFaultsOff}>
        Switch off
      </Button>
    </div>
  );
}

function useActiveFaults(): string | null {
  const page = useSettings();
  return useFaults((state) => activeFaults(state, page)?.spec ?? null);
}
