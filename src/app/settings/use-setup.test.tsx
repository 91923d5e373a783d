import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { SessionProvider } from '../session-client/provider.tsx';
import { SessionClient } from '../session-client/session-client.ts';
import { Sound } from '../session-client/sound.ts';
import { fakePage } from '../session-client/testing/page.ts';
import { selectSettings, useSettings } from '../stores/settings-store.ts';
import { type Setup, useSetup } from './use-setup.ts';

test('keeps both settings that change in one event, before the page renders again', () => {
  fakePage();
  const post = () => undefined;
  const sound = new Sound({ post, isBusy: () => false });
  const client = new SessionClient({ sound, post }, { endpoint: 'kugel-stream', hasCast: true });
  let setup: Setup | undefined;
  function Probe() {
    setup = useSetup();
    return null;
  }
  useSettings.getState().setSettings({});
  renderToStaticMarkup(
    <SessionProvider client={client}>
      <Probe />
    </SessionProvider>,
  );
  setup?.setFields({ cfg_scale: 1.5 });
  setup?.setFields({ speed: 1.1 });
  expect(selectSettings(useSettings.getState())).toEqual({ cfg_scale: 1.5, speed: 1.1 });
});
