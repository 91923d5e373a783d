import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { selectSettings, useSettings } from '../stores/settings-store.ts';
import { type Setup, useSetup } from './use-setup.ts';

test('keeps both settings that change in one event, before the page renders again', () => {
  let setup: Setup | undefined;
  function Probe() {
    setup = useSetup();
    return null;
  }
  useSettings.getState().setSettings({});
  renderToStaticMarkup(<Probe />);
  setup?.setFields({ cfg_scale: 1.5 });
  setup?.setFields({ speed: 1.1 });
  expect(selectSettings(useSettings.getState())).toEqual({ cfg_scale: 1.5, speed: 1.1 });
});
