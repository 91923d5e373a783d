import { HAS_LOCAL_SERVER } from '../browser/local-server.ts';
import { selectEndpoint, selectServerId, useSettings } from '../stores/settings-store.ts';
import { showPanel } from '../stores/view-store.ts';
import { Button } from '../ui/button.tsx';
import { later } from '../ui/later.tsx';
import { useLink } from './link-store.ts';
import { NoticeStrip } from './notice-strip.tsx';

const LinkStrip = later({ name: 'The notice of the link', when: 'shown' }, () =>
  import('./link-strip.tsx').then((module) => module.LinkStrip),
);

export function PageNotices() {
  const link = useLink((state) => state.link);
  return (
    <>
      {!HAS_LOCAL_SERVER && <NoLocalServer />}
      {link.kind !== 'none' && <LinkStrip link={link} />}
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
    <NoticeStrip
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
    </NoticeStrip>
  );
}
