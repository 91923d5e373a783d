import { Link2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { messageOf } from '#lib/message-of.ts';
import { pageRedaction } from '../stores/page-redaction.ts';
import { useSettings } from '../stores/settings-store.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { Popover, PopoverDescription, PopoverTitle } from '../ui/popups/popover.tsx';

type Made = { address: string; isCopied: boolean; leftOut: readonly string[] } | { problem: string };

async function make(): Promise<Made> {
  // Nothing else on a page that has just opened needs these.
  const [redaction, { writeLink }, { linkedSession }] = await Promise.all([
    pageRedaction(),
    import('./link.ts'),
    import('./link-state.ts'),
  ]);
  const link = await writeLink(linkedSession(), redaction);
  if ('problem' in link) return link;
  const address = new URL(location.href);
  address.search = '';
  address.hash = link.fragment;
  const isCopied = await navigator.clipboard.writeText(address.href).then(
    () => true,
    () => false,
  );
  const leftOut =
    useSettings.getState().source === 'live' ? ['the live model', ...link.leftOut] : link.leftOut;
  return { address: address.href, isCopied, leftOut };
}

export function ShareButton() {
  const [made, setMade] = useState<Made | null>(null);
  const field = useRef<HTMLInputElement>(null);
  return (
    <Popover
      trigger={<IconButton label="Share a link to this set-up" icon={Link2} tooltipSide="bottom" />}
      onOpenChange={(open) => {
        setMade(null);
        if (open) void make().then(setMade, (error: unknown) => setMade({ problem: messageOf(error) }));
      }}
      initialFocus={field}
      className="flex w-84 flex-col gap-2"
    >
      <PopoverTitle className="text-14 font-semibold">
        <span role="status">
          {made === null
            ? 'Making the link …'
            : 'problem' in made
              ? 'There is no link'
              : made.isCopied
                ? 'Link copied'
                : 'Copy this link'}
        </span>
      </PopoverTitle>
      {made && 'problem' in made && <p className="text-12 text-text-muted">{made.problem}</p>}
      {made && 'address' in made && (
        <>
          <input
            ref={field}
            aria-label="Link"
            readOnly
            value={made.address}
            onFocus={(event) => event.target.select()}
            className="h-8 w-full min-w-0 rounded-control border border-border-strong bg-field px-2 font-mono text-12 text-text outline-offset-1 focus-visible:outline-2 focus-visible:outline-text touch:h-11"
          />
          <PopoverDescription className="text-12 text-text-muted">
            It carries endpoint, server, settings, text and its source, and never a key. Opening it sends
            nothing until Speak is pressed.
            {made.leftOut.length > 0 && ` Left out: ${made.leftOut.join(', ')}.`}
          </PopoverDescription>
        </>
      )}
    </Popover>
  );
}
