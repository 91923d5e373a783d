import { expect, it } from 'vitest';
import { protocolOf } from '#protocol/protocols.ts';
import { PAGE_ENDPOINTS } from '#protocol/registry.ts';
import { openingFrames } from './frame-text.ts';

it.each(PAGE_ENDPOINTS)(
  'shows for $id the frames that its dialect sends, with every setting, also unknown ones',
  (endpoint) => {
    const settings = { ...endpoint.initialSettings, 'not a field': ['kept'] };
    const first = endpoint.contexts ? { context: 'a', settings: { own: 1 } } : undefined;
    const frames = openingFrames(endpoint, settings, first);
    const dialect = protocolOf(endpoint).open({ settings: {}, key: '••••••' });
    const opened = dialect.encode({ kind: 'open', settings });
    expect(frames).toEqual(first ? dialect.encode({ kind: 'openContext', ...first }) : opened);
    const inAddress = (field: string) =>
      endpoint.settings.some((setting) => setting.field === field && setting.place);
    const inMessages = Object.entries(settings).filter(([field]) => !inAddress(field));
    // An endpoint may have no message for them.
    if (frames.length > 0)
      expect(JSON.parse(frames.at(-1) ?? '')).toMatchObject(Object.fromEntries(inMessages));
  },
);
