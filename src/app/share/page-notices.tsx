import { CircleAlert, Info, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { HAS_LOCAL_SERVER } from '../browser/local-server.ts';
import { selectEndpoint, selectServerId, useSettings } from '../stores/settings-store.ts';
import { showPanel } from '../stores/view-store.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { chooseLinkedServer, hostOf } from './link-state.ts';
import { useLink } from './link-store.ts';

export function PageNotices() {
  return (
    <>
      {!HAS_LOCAL_SERVER && <NoLocalServer />}
      <LinkStrip />
    </>
  );
}

function NoLocalServer() {
  const isLocal = useSettings((state) => {
    const id = selectServerId(state);
    return selectEndpoint(state).servers.some((server) => server.id === id && server.base === null);
  });
  if (!isLocal) return null;
  return (
    <Strip
      title="No local server runs where this page is hosted."
      actions={
        <Button size="small" onClick={() => showPanel('frames')}>
          Sample recordings
        </Button>
      }
    >
      Recordings open all the same.
      <span className="max-wide:hidden">
        {' '}
        To speak, choose a vendor’s cloud and enter your key, or run{' '}
        <code className="font-mono">npm start</code> on your machine.
      </span>
    </Strip>
  );
}

const close = () => useLink.setState({ link: { kind: 'none' } });

/** Reports the outcome of a link. Its server is used on a press only, because keys go there. */
function LinkStrip() {
  const link = useLink((state) => state.link);
  if (link.kind === 'none') return null;
  if (link.kind === 'broken') {
    return (
      <Strip title="The link was not opened." isError onDismiss={close}>
        {link.problem} Everything is as it was. Ask for the link once more: they are often cut short on their
        way.
      </Strip>
    );
  }
  const { server, undo } = link;
  return (
    <Strip
      title="Opened from a link: nothing was sent."
      onDismiss={close}
      actions={
        <>
          {server && (
            <Button
              size="small"
              className="min-w-0 shrink"
              onClick={() => {
                chooseLinkedServer(server);
                useLink.setState({ link: { ...link, server: null } });
              }}
            >
              <span className="truncate">Use {hostOf(server)}</span>
            </Button>
          )}
          <Button
            size="small"
            variant="ghost"
            onClick={() => {
              undo();
              close();
            }}
          >
            Undo
          </Button>
        </>
      }
    >
      Endpoint, settings and text are those of the link.
      {server && (
        <>
          {' '}
          It proposes the server{' '}
          <strong className="font-semibold break-all text-text">{hostOf(server)}</strong>. Nothing goes there,
          not even your key, unless you choose it.
        </>
      )}
    </Strip>
  );
}

interface StripProps {
  title: string;
  children: ReactNode;
  isError?: boolean;
  actions?: ReactNode;
  onDismiss?: () => void;
}

function Strip({ title, children, isError = false, actions, onDismiss }: StripProps) {
  const Icon = isError ? CircleAlert : Info;
  return (
    <div
      role={isError ? 'alert' : 'status'}
      className={cx(
        'flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-border py-1 pr-2 pl-4 text-12 text-text-muted',
        isError ? 'bg-failed/10' : 'bg-selected',
      )}
    >
      <p className="flex min-w-60 flex-1 gap-2 py-1">
        <Icon className={cx('mt-px size-3.5 shrink-0', isError && 'text-failed')} />
        <span className="min-w-0">
          <strong className="font-semibold text-text">{title}</strong> {children}
        </span>
      </p>
      <span className="ml-auto flex min-w-0 items-center gap-1">
        {actions}
        {onDismiss && <IconButton label="Dismiss" icon={X} size="small" onClick={onDismiss} />}
      </span>
    </div>
  );
}
