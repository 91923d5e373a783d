import { expect, test } from 'vitest';
import { changeSide, useCompare } from './compare-store.ts';
import type { Side } from './side.ts';

test('keeps both settings that change in one event, before the page renders again', () => {
  useCompare.setState({ a: null });
  const shown: Side = {
    endpoint: 'kugel-stream',
    server: 'local',
    customBase: '',
    settings: {},
    speaker: {},
  };
  const setField = (field: string, value: unknown) =>
    changeSide('a', shown, (side) => ({ ...side, settings: { ...side.settings, [field]: value } }));
  setField('cfg_scale', 1.5);
  setField('speed', 1.1);
  expect(useCompare.getState().a?.settings).toEqual({ cfg_scale: 1.5, speed: 1.1 });
});
