import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryStorage } from '../browser/testing/memory-storage.ts';
import { withItems } from './playlist.ts';
import {
  addItems,
  addPlaylist,
  choosePlaylist,
  deletePlaylist,
  EMPTY_PLAYLIST,
  editPlaylist,
  STUDIO_TEXT,
  selectPlaylist,
  usePlaylists,
} from './playlist-store.ts';
import { SHIPPED } from './shipped.ts';

const item = (text: string) => ({
  title: text,
  endpoint: 'kugel-stream' as const,
  text,
  settings: {},
  cast: [],
});
const chosen = () => selectPlaylist(usePlaylists.getState());
const names = () => usePlaylists.getState().own.map(({ name }) => name);

beforeEach(() => {
  vi.stubGlobal('localStorage', memoryStorage());
  usePlaylists.setState({ own: [], chosen: STUDIO_TEXT });
});
afterEach(() => vi.unstubAllGlobals());
// Other files of the thread must not get the stores that are loaded here.
afterAll(() => void vi.resetModules());

describe('the playlists of a browser', () => {
  it('begin with the first item that is added', () => {
    expect(addItems([item('a'), item('b')])).toBeNull();
    expect(chosen()).toMatchObject({ name: 'My demo', auto: true, loop: true });
    expect(chosen()?.items.map(({ text }) => text)).toEqual(['a', 'b']);
  });

  it('take further items, also while a playlist that came with the page is chosen', () => {
    addItems([item('a')]);
    choosePlaylist(SHIPPED[1]?.id ?? 0);
    addItems([item('b')]);
    expect(chosen()?.items.map(({ text }) => text)).toEqual(['a', 'b']);
    expect(names()).toEqual(['My demo']);
  });

  it('get a copy where one that came with the page is changed', () => {
    const [shipped] = SHIPPED;
    choosePlaylist(shipped?.id ?? 0);
    editPlaylist((of) => ({ ...of, loop: false }));
    expect(chosen()).toMatchObject({ name: shipped?.name, loop: false, items: shipped?.items });
    expect(chosen()?.id).toBeGreaterThan(0);
    expect(SHIPPED[0]?.loop).toBe(true);
  });

  it('have names of their own within the limit of a name', () => {
    for (let times = 0; times < 3; times += 1) addPlaylist(EMPTY_PLAYLIST);
    expect(names()).toEqual(['My demo', 'My demo 2', 'My demo 3']);
    for (let times = 0; times < 2; times += 1) addPlaylist({ ...EMPTY_PLAYLIST, name: 'x'.repeat(80) });
    expect(names().at(-1)).toBe(`${'x'.repeat(78)} 2`);
  });

  it('have limits that say so', () => {
    expect(addItems(Array.from({ length: 61 }, () => item('a')))).toContain('at most 60 items');
    expect(names()).toEqual([]);
    for (let times = 0; times < 30; times += 1) expect(addPlaylist(EMPTY_PLAYLIST)).toBeNull();
    expect(addPlaylist(EMPTY_PLAYLIST)).toContain('30 playlists');
    expect(addItems(Array.from({ length: 61 }, () => item('a')))).toContain('at most 60 items');
    choosePlaylist(SHIPPED[0]?.id ?? 0);
    expect(editPlaylist((of) => withItems(of, [item('a')]))).toContain('30 playlists');
  });

  it('lead back to the text of the studio when the chosen one is deleted', () => {
    addItems([item('a')]);
    deletePlaylist(chosen()?.id ?? 0);
    expect(chosen()).toBeNull();
    expect(usePlaylists.getState().chosen).toBe(STUDIO_TEXT);
  });

  it('survive a reload, except damaged ones, which are counted', async () => {
    addItems([item('a')]);
    const reloaded = async () => {
      vi.resetModules();
      return (await import('./playlist-store.ts')).usePlaylists.getState();
    };
    const whole = await reloaded();
    expect(whole).toMatchObject({ own: [{ items: [{ text: 'a' }] }], damaged: 0 });
    localStorage.setItem(
      'voicewire.programmes',
      JSON.stringify({
        state: { own: [{ id: 2 }, ...whole.own], chosen: 2, switchesAtOnce: false },
        version: 1,
      }),
    );
    expect(await reloaded()).toMatchObject({ own: whole.own, damaged: 1, chosen: 2, switchesAtOnce: false });
  });
});
