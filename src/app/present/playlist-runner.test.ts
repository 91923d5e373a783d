import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ReplayView } from '#session/replay/replay-view.ts';
import { replayView, turnReport, turnView } from '#session/testing/views.ts';
import type { TurnView } from '#session/views.ts';
import { memoryStorage } from '../browser/testing/memory-storage.ts';
import { useRecordings } from '../recordings-client/recordings-store.ts';
import { StudioSessions } from '../session-client/studio-sessions.ts';
import { FakeWorker, fakePage } from '../session-client/testing/page.ts';
import { selectSettings, useSettings } from '../stores/settings-store.ts';
import { withItemMoved, withItemRemoved } from './playlist.ts';
import { PlaylistRunner } from './playlist-runner.ts';
import { addPlaylist, choosePlaylist, editPlaylist, STUDIO_TEXT, usePlaylists } from './playlist-store.ts';
import { SHIPPED } from './shipped.ts';

const item = (text: string, voice: number) => ({
  title: text,
  endpoint: 'kugel-stream' as const,
  text,
  settings: { voice_id: voice },
  cast: [],
});

const recorded = { ...item('', 1), title: 'Recorded', recording: 'r1', settings: {} };
const replayed = replayView({
  recording: { id: 'r1', name: 'Recorded', endpoint: 'kugel-stream', address: '', durationUs: 5e6 },
});

/** A presenter with a playlist of three items, and a session worker that the test drives. */
function openPresenter({ loop = false, pauseMs = 1000 } = {}) {
  vi.stubGlobal('document', { hidden: false, readyState: 'complete' });
  addPlaylist({
    name: 'Mine',
    auto: true,
    pauseMs,
    loop,
    items: [item('one', 1), item('two', 2), item('three', 3)],
  });
  const runner = new PlaylistRunner(new StudioSessions(new MessageChannel().port1));
  const worker = FakeWorker.last;
  if (!worker) throw new Error('No worker was opened.');
  const close = runner.open();
  onTestFinished(close);
  let turns = 0;
  let isBegun = false;
  const begin = () => {
    if (!isBegun) turns += 1;
    isBegun = true;
    report({ state: 'receiving' });
  };
  const report = (change: Partial<TurnView>) => {
    const turn = turnReport(turnView({ id: turns, ...change }));
    worker.report({ type: 'update', run: null, update: { turns: [turn] } });
    page.paintFrame();
  };
  return {
    runner,
    close,
    spoken: () => worker.commands.flatMap((one) => (one.type === 'speak' ? one.text : [])),
    /** The types of all commands but of the warm-up, for which the page finds the time. */
    sent: () => worker.commands.map(({ type }) => type).filter((type) => type !== 'warmUp'),
    /** The server speaks the item, and it is heard. */
    hear: async () => {
      begin();
      isBegun = false;
      report({ state: 'ended', samples: 100, heardFromMs: 1, heardToMs: 2 });
      await vi.advanceTimersByTimeAsync(0);
    },
    begin,
    /** The worker reports on the replay of the recording. */
    replay: async (change: Partial<ReplayView> | null) => {
      worker.report({ type: 'replay', replay: change && { ...replayed, ...change } });
      page.paintFrame();
      await vi.advanceTimersByTimeAsync(0);
    },
    /** Speech into the microphone cancels the turn. */
    talkOver: async () => {
      const bargeIn = { onsetMs: 1, pressedMs: 2, silentMs: 3, interruptedMs: null, heard: null };
      report({ state: 'cancelled', silencedMs: 3, bargeIn });
      await vi.advanceTimersByTimeAsync(0);
    },
  };
}

let page: ReturnType<typeof fakePage>;

beforeEach(() => {
  page = fakePage();
  vi.stubGlobal('localStorage', memoryStorage());
  usePlaylists.setState({ own: [], chosen: STUDIO_TEXT });
  useSettings.setState({
    endpoint: 'kugel-stream',
    settings: { 'kugel-stream': { voice_id: 9 } },
    source: 'typed',
  });
});
const FIVE = {
  endpoint: 'kugel-stream',
  key: '5',
  name: 'Five',
  hue: 1,
  voice: null,
  settings: { voice_id: 5 },
} as const;

const voiceNow = () => selectSettings(useSettings.getState()).voice_id;

describe('the presenter', () => {
  it('speaks the text of the studio where that asks a model, and restores its source', () => {
    useSettings.setState({ source: 'live' });
    const { close } = openPresenter();
    expect(useSettings.getState().source).toBe('typed');
    close();
    expect(useSettings.getState().source).toBe('live');
  });

  it('speaks item after item with the pause between them, in the voice of each', async () => {
    const { runner, spoken, hear } = openPresenter();
    runner.advance();
    expect([spoken(), voiceNow()]).toEqual([['one'], 1]);
    await hear();
    await vi.advanceTimersByTimeAsync(900);
    expect(spoken()).toEqual(['one']);
    await vi.advanceTimersByTimeAsync(200);
    expect([spoken(), voiceNow()]).toEqual([['one', 'two'], 2]);
    await hear();
    await vi.advanceTimersByTimeAsync(1100);
    await hear();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(spoken()).toEqual(['one', 'two', 'three']);
    expect(runner.store.getState().run.phase).toBe('over');
  });

  it('loops at a fair until it is stopped', async () => {
    const { runner, spoken, hear, sent } = openPresenter({ loop: true, pauseMs: 0 });
    runner.advance();
    for (let round = 0; round < 7; round += 1) {
      await hear();
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(spoken().slice(-2)).toEqual(['one', 'two']);
    runner.stop();
    const { length } = sent();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent().slice(length)).toEqual([]);
  });

  it('cancels the item that is spoken before it speaks the next one', () => {
    const { runner, sent, begin } = openPresenter();
    runner.advance();
    begin();
    runner.advance();
    expect(sent().slice(-3)).toEqual(['cancel', 'settings', 'speak']);
  });

  it.each([
    ['that is spoken', true],
    ['that has no report yet', false],
  ])('cancels an item %s once, so that a second Esc before the report stops nothing', (_, isSpoken) => {
    const { runner, sent, begin } = openPresenter();
    runner.advance();
    if (isSpoken) begin();
    expect([runner.stop(), runner.stop()]).toEqual([true, false]);
    expect(sent().filter((type) => type === 'cancel')).toHaveLength(1);
  });

  it('waits at its item after somebody talked over it', async () => {
    const { runner, spoken, sent, begin, talkOver } = openPresenter();
    runner.advance();
    begin();
    await talkOver();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(spoken()).toEqual(['one']);
    expect(sent()).not.toContain('cancel');
    expect(runner.store.getState().run).toMatchObject({ at: 0, phase: 'ready' });
    runner.advance();
    expect(spoken()).toEqual(['one', 'one']);
  });

  it('goes on where an item makes no progress', async () => {
    const { runner, spoken } = openPresenter();
    runner.advance();
    await vi.advanceTimersByTimeAsync(19_000);
    expect(spoken()).toEqual(['one']);
    await vi.advanceTimersByTimeAsync(2100);
    expect(spoken()).toEqual(['one', 'two']);
  });

  it('leaves the text of the studio alone, however long it takes', async () => {
    const { runner, begin, sent } = openPresenter();
    choosePlaylist(STUDIO_TEXT);
    runner.advance();
    begin();
    const { length } = sent();
    runner.chooseVoice(FIVE);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent().slice(length)).toEqual(['settings']);
    expect(voiceNow()).toBe(5);
    expect(runner.store.getState().speech).toBeNull();
  });

  it('keeps to its item while the playlist is reordered', async () => {
    const { runner, spoken, hear, begin } = openPresenter();
    runner.advance();
    begin();
    editPlaylist((of) => withItemMoved(of, 1, 1));
    expect(runner.store.getState().run).toMatchObject({ at: 1, phase: 'speaking' });
    await hear();
    await vi.advanceTimersByTimeAsync(1100);
    expect(spoken()).toEqual(['one', 'three']);
  });

  it('falls silent where its item is removed', () => {
    const { runner, sent, begin } = openPresenter();
    runner.advance();
    begin();
    editPlaylist((of) => withItemRemoved(of, 1));
    expect(sent().at(-1)).toBe('cancel');
    expect(runner.store.getState().run).toMatchObject({ at: 0, phase: 'ready' });
  });

  it('goes on in the copy where a playlist that came with the page is changed', () => {
    const { runner, spoken, begin } = openPresenter();
    choosePlaylist(SHIPPED[0]?.id ?? 0);
    runner.advance();
    begin();
    editPlaylist((of) => ({ ...of, loop: false }));
    expect(runner.store.getState().run.phase).toBe('speaking');
    expect(spoken()).toHaveLength(1);
  });

  describe('with a recording', () => {
    const openRecorded = () => {
      const { id, name, endpoint, address, durationUs } = replayed.recording;
      const kept = {
        id,
        name,
        endpoint,
        address,
        durationUs,
        startedAtMs: 0,
        entries: 9,
        bytes: 9,
        storedBytes: 9,
      };
      useRecordings.setState({ list: [{ ...kept, pinned: false }] });
      onTestFinished(() => useRecordings.setState({ list: null }));
      const presenter = openPresenter();
      editPlaylist((of) => ({ ...of, items: [{ ...recorded, id: 9 }, ...of.items] }));
      return presenter;
    };

    it('replays it to its last sample and goes on', async () => {
      const { runner, sent, spoken, replay } = openRecorded();
      runner.advance();
      expect(sent().at(-1)).toBe('openReplay');
      await replay({});
      await vi.advanceTimersByTimeAsync(4000);
      expect([runner.store.getState().run.phase, spoken()]).toEqual(['speaking', []]);
      await replay({ state: 'ended' });
      await vi.advanceTimersByTimeAsync(1100);
      expect(sent().slice(-3)).toEqual(['leaveReplay', 'settings', 'speak']);
      expect(spoken()).toEqual(['one']);
    });

    it('pauses it on a stop, plays it from its start on the next press, and leaves it at the end', async () => {
      const { runner, sent, close, replay } = openRecorded();
      runner.advance();
      await replay({});
      expect(runner.stop()).toBe(true);
      expect(sent().at(-1)).toBe('controlReplay');
      expect(sent()).not.toContain('cancel');
      runner.advance();
      expect(sent().slice(-2)).toEqual(['leaveReplay', 'openReplay']);
      await replay(null);
      await replay({ run: 2 });
      close();
      expect(sent().at(-1)).toBe('leaveReplay');
    });

    it('waits at it after somebody talked over it', async () => {
      const { runner, sent, replay } = openRecorded();
      runner.advance();
      await replay({});
      await replay({ isPaused: true });
      await vi.advanceTimersByTimeAsync(60_000);
      expect(sent().at(-1)).toBe('openReplay');
      expect(runner.store.getState().run).toMatchObject({ at: 0, phase: 'ready' });
      runner.advance();
      expect(sent().slice(-2)).toEqual(['leaveReplay', 'openReplay']);
    });

    it('goes on where the recording does not open, and leaves it where it opens too late', async () => {
      const { runner, sent, spoken, replay } = openRecorded();
      runner.advance();
      await vi.advanceTimersByTimeAsync(19_000);
      expect(runner.store.getState().run).toMatchObject({ at: 0, phase: 'speaking' });
      await vi.advanceTimersByTimeAsync(1000);
      expect(runner.store.getState().problem).toMatch(/^The recording did not open within 20 s\./);
      await vi.advanceTimersByTimeAsync(1100);
      expect(spoken()).toEqual(['one']);
      await replay({});
      expect(sent()).toContain('leaveReplay');
    });

    it('says why it is not played, and goes on', async () => {
      const { runner, spoken } = openRecorded();
      useRecordings.setState({ list: [] });
      runner.advance();
      await vi.advanceTimersByTimeAsync(0);
      expect(runner.store.getState()).toMatchObject({
        problem: 'This browser does not have the recording any more.',
        run: { at: 1, phase: 'pausing' },
      });
      await vi.advanceTimersByTimeAsync(1100);
      expect([spoken(), runner.store.getState().problem]).toEqual([['one'], null]);
    });
  });

  it('restores the set-up of the studio with another playlist and at the end', () => {
    const { runner, close } = openPresenter();
    runner.advance();
    expect(voiceNow()).toBe(1);
    choosePlaylist(STUDIO_TEXT);
    expect([voiceNow(), runner.store.getState().run.phase]).toEqual([9, 'ready']);
    choosePlaylist(1);
    runner.advance();
    close();
    expect(voiceNow()).toBe(9);
  });

  it('speaks all items with a chosen voice until it is given up', () => {
    const { runner } = openPresenter();
    runner.chooseVoice(FIVE);
    runner.advance();
    expect(voiceNow()).toBe(5);
    runner.advance();
    expect(voiceNow()).toBe(5);
    runner.chooseVoice(null);
    runner.advance();
    expect(voiceNow()).toBe(3);
  });
});
