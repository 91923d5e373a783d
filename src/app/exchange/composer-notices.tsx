import { HAS_LOCAL_SERVER } from '../local-server.ts';
import { showPanel } from '../show-panel.ts';
import { selectEndpoint, selectServerId, useSettings } from '../stores/settings-store.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { LinkNotice } from './link-notice.tsx';

/** What has to be known before anything is pressed: where the page comes from, and what a link has done to it. */
export function ComposerNotices() {
  return (
    <>
      {!HAS_LOCAL_SERVER && <NoLocalServer />}
      <LinkNotice />
    </>
  );
}

function NoLocalServer() {
  const isChosen = useSettings(
    (state) => selectEndpoint(state).servers.find(({ id }) => id === selectServerId(state))?.base === null,
  );
  if (!isChosen) return null;
  return (
    <Notice severity="info" title="No server of Voicewire runs where this page is hosted">
      Recordings can be opened and looked at. To speak, choose a vendor’s cloud and enter your key, or run{' '}
      <code className="font-mono">npm start</code> on your machine and open the page from there.
      <span className="mt-2 flex">
        <Button size="small" onClick={() => showPanel('frames')}>
          Look at sample recordings
        </Button>
      </span>
    </Notice>
  );
}
