import { Button } from '../ui/button.tsx';
import { chooseLinkedServer, hostOf } from './link-state.ts';
import { type LinkState, useLink } from './link-store.ts';
import { NoticeStrip } from './notice-strip.tsx';

const close = () => useLink.setState({ link: { kind: 'none' } });

/** Reports the outcome of a link. Its server is used on a press only, because keys go there. */
export function LinkStrip({ link }: { link: Exclude<LinkState, { kind: 'none' }> }) {
  if (link.kind === 'broken') {
    return (
      <NoticeStrip title="The link was not opened." isError onDismiss={close}>
        {link.problem} Everything is as it was. If the link was cut short on its way, ask for it once more.
      </NoticeStrip>
    );
  }
  if (link.kind === 'playlist') {
    return (
      <NoticeStrip title="The link was not opened." isError onDismiss={close}>
        Playlists travel as files now, which the menu of the presenter’s playlist saves and opens.
      </NoticeStrip>
    );
  }
  const { server, undo } = link;
  return (
    <NoticeStrip
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
    </NoticeStrip>
  );
}
