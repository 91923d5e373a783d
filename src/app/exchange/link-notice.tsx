import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { chooseLinkedServer, hostOf } from './link-state.ts';
import { useLink } from './link-store.ts';

const close = () => useLink.setState({ link: { kind: 'none' } });

/** What a link has done to the page, and what it has not: it sends nothing, and leads no key anywhere by itself. */
export function LinkNotice() {
  const link = useLink((state) => state.link);
  if (link.kind === 'none') return null;
  if (link.kind === 'broken') {
    return (
      <Notice
        severity="error"
        title="The link was not opened"
        remedy="Ask for it once more: links are often cut short on their way."
        onDismiss={close}
      >
        {link.problem} Everything is as it was.
      </Notice>
    );
  }
  const { server, undo } = link;
  return (
    <Notice severity="info" title="Opened from a link: nothing was sent" onDismiss={close}>
      Endpoint, settings and text are those of the link.
      {server && (
        <>
          {' '}
          It asks for another server,{' '}
          <strong className="font-semibold break-all text-text">{hostOf(server)}</strong>. Nothing goes there,
          your key neither, unless you choose it.
        </>
      )}
      <span className="mt-2 flex flex-wrap gap-2">
        {server && (
          <Button
            size="small"
            onClick={() => {
              chooseLinkedServer(server);
              useLink.setState({ link: { ...link, server: null } });
            }}
          >
            Use {hostOf(server)}
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
      </span>
    </Notice>
  );
}
