import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { targetOf } from '../../session-client/target.ts';
import { selectMayFault } from '../../stores/faults-store.ts';
import { plainServer } from '../../stores/plain-server.ts';
import { selectEndpoint, selectServerId, useSettings } from '../../stores/settings-store.ts';
import { servedAddresses } from './served-view.ts';
import { listServed, stopServing, unlistServed } from './serving.ts';

const ORIGIN = 'http://127.0.0.1:4173';
const view = (id: string, endpoint = 'murmr', notes: string[] = []) => ({
  id,
  info: { id: 'stored', name: 'A call', endpoint, startedAtMs: 0 },
  notes,
});
const page = () => useSettings.getState();
const first = useSettings.getState();

beforeEach(() => {
  useSettings.setState({ ...first, endpoint: 'kugel-stream', servers: { murmr: 'cloud' } });
  vi.stubGlobal('location', { origin: ORIGIN });
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => new Response(null, { status: 204 })),
  );
});
afterEach(() => void vi.unstubAllGlobals());

describe('a served recording', () => {
  beforeEach(() => listServed(view('abc')));

  it('is a server that is chosen with its endpoint', () => {
    page().chooseServer('abc');
    expect(selectEndpoint(page()).id).toBe('murmr');
    expect(selectServerId(page())).toBe('abc');
    expect(targetOf(page(), { keys: {} }, ORIGIN)).toEqual({
      endpoint: 'murmr',
      key: '',
      base: 'ws://127.0.0.1:4173/served/abc/murmr',
    });
  });

  it('has faults in front, as the other addresses of its server', () => {
    page().chooseServer('abc');
    expect(selectMayFault(page())).toBe(true);
    const faults = { slot: 'murmr/abc', spec: 'delay=20', mark: 'm' };
    expect(targetOf(page(), { keys: {} }, ORIGIN, faults)?.base).toBe(
      'ws://127.0.0.1:4173/faults/delay=20,mark=m/served/abc/murmr',
    );
  });

  it('is an address for other pages', () => {
    expect(plainServer({ ...page(), endpoint: 'murmr' })).toEqual({ id: 'cloud' });
    page().chooseServer('abc');
    expect(plainServer(page())).toEqual({ address: 'ws://127.0.0.1:4173/served/abc/murmr' });
  });

  it('gives its place back when it is stopped', () => {
    page().chooseServer('abc');
    const [served] = page().served;
    if (served) stopServing(served);
    expect(fetch).toHaveBeenCalledExactlyOnceWith('/served/abc', { method: 'DELETE' });
    expect(page().served).toEqual([]);
    expect(page().servers).toEqual({});
    expect(selectServerId(page())).toBe('local');
  });

  it('stays on its server when this page loses it', () => {
    page().chooseServer('abc');
    for (const served of page().served) unlistServed(served.id);
    expect(fetch).not.toHaveBeenCalled();
    expect(page().served).toEqual([]);
    expect(selectServerId(page())).toBe('local');
  });

  it('is listed once, under its newest id', () => {
    listServed(view('def', 'murmr', ['A note.']));
    expect(page().served).toMatchObject([{ id: 'def', name: 'A call', notes: ['A note.'] }]);
  });
});

it('the stored choice of a recording takes effect once it is listed', () => {
  useSettings.setState({ endpoint: 'murmr', servers: { murmr: 'abc' } });
  const seen: string[] = [selectServerId(page())];
  const stop = useSettings.subscribe((settings) => seen.push(selectServerId(settings)));
  listServed(view('abc'));
  stop();
  expect(seen).toEqual(['local', 'abc']);
});

it('a recording that the page cannot speak to is no choice', () => {
  listServed(view('abc', 'murmr-rest'));
  expect(page().served).toMatchObject([{ endpoint: null }]);
});

it.each([
  [
    'kugel-multi',
    ['ws://127.0.0.1:4173/served/abc/kugel', 'ws://127.0.0.1:4173/served/abc/kugel/ws/tts/multi'],
  ],
  ['kugel-rest', ['http://127.0.0.1:4173/served/abc/kugel']],
])('the addresses of %s', (endpoint, expected) => {
  const addresses = servedAddresses('abc', endpoint, ORIGIN).map(({ address }) => address);
  expect(addresses).toEqual([...expected, 'http://127.0.0.1:4173/?recording=abc']);
});
