import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { turnReport, turnView } from '#session/testing/views.ts';
import type { TurnView } from '#session/views.ts';
import { memoryStorage } from '../../browser/testing/memory-storage.ts';
import { withItemMoved, withItemRemoved } from '../../programme/programme-edits.ts';
import {
  addProgramme,
  chooseProgramme,
  editProgramme,
  STUDIO_TEXT,
  useProgrammes,
} from '../../programme/programme-store.ts';
import { SHIPPED } from '../../programme/shipped.ts';
import { StudioSessions } from '../../session-client/studio-sessions.ts';
import { FakeWorker, fakePage } from '../../session-client/testing/page.ts';
import { selectSettings, useSettings } from '../../stores/settings-store.ts';
import { StageRunner } from './stage-runner.ts';

const item = (text: string, voice: number) => ({
  title: text,
  endpoint: 'kugel-stream' as const,
  text,
  settings: { voice_id: voice },
  cast: [],
});

/** A stage with a programme of three items, and a session worker that the test drives. */
function openStage({ loop = false, pauseMs = 1000 } = {}) {
  vi.stubGlobal('document', { hidden: false, readyState: 'complete' });
  addProgramme({
    name: 'Mine',
    auto: true,
    pauseMs,
    loop,
    items: [item('one', 1), item('two', 2), item('three', 3)],
  });
  const stage = new StageRunner(new StudioSessions(new MessageChannel().port1));
  const worker = FakeWorker.last;
  if (!worker) throw new Error('No worker was opened.');
  const close = stage.open();
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
    stage,
    close,
    spoken: () => worker.commands.flatMap((one) => (one.type === 'speak' ? one.text : [])),
    /** The types of all commands but of the rehearsal, for which the page finds the time. */
    sent: () => worker.commands.map(({ type }) => type).filter((type) => type !== 'rehearse'),
    /** The server speaks the item, and it is heard. */
    hear: () => {
      begin();
      isBegun = false;
      report({ state: 'ended', samples: 100, heardFromMs: 1, heardToMs: 2 });
    },
    begin,
    /** Speech into the microphone cancels the turn. */
    talkOver: () => {
      const bargeIn = { onsetMs: 1, pressedMs: 2, silentMs: 3, interruptedMs: null };
      report({ state: 'cancelled', silencedMs: 3, bargeIn });
    },
  };
}

let page: ReturnType<typeof fakePage>;

beforeEach(() => {
  page = fakePage();
  vi.stubGlobal('localStorage', memoryStorage());
  useProgrammes.setState({ own: [], chosen: STUDIO_TEXT });
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

describe('the stage', () => {
  it('speaks the text of the studio where that asks a model, and restores its source', () => {
    useSettings.setState({ source: 'live' });
    const { close } = openStage();
    expect(useSettings.getState().source).toBe('typed');
    close();
    expect(useSettings.getState().source).toBe('live');
  });

  it('speaks item after item with the pause between them, in the voice of each', () => {
    const { stage, spoken, hear } = openStage();
    stage.advance();
    expect([spoken(), voiceNow()]).toEqual([['one'], 1]);
    hear();
    vi.advanceTimersByTime(900);
    expect(spoken()).toEqual(['one']);
    vi.advanceTimersByTime(200);
    expect([spoken(), voiceNow()]).toEqual([['one', 'two'], 2]);
    hear();
    vi.advanceTimersByTime(1100);
    hear();
    vi.advanceTimersByTime(60_000);
    expect(spoken()).toEqual(['one', 'two', 'three']);
    expect(stage.store.getState().run.phase).toBe('over');
  });

  it('loops at a fair until it is stopped', () => {
    const { stage, spoken, hear, sent } = openStage({ loop: true, pauseMs: 0 });
    stage.advance();
    for (let round = 0; round < 7; round += 1) {
      hear();
      vi.advanceTimersByTime(10);
    }
    expect(spoken().slice(-2)).toEqual(['one', 'two']);
    stage.stop();
    const { length } = sent();
    vi.advanceTimersByTime(60_000);
    expect(sent().slice(length)).toEqual([]);
  });

  it('cancels the item that is spoken before it speaks the next one', () => {
    const { stage, sent, begin } = openStage();
    stage.advance();
    begin();
    stage.advance();
    expect(sent().slice(-3)).toEqual(['cancel', 'settings', 'speak']);
  });

  it.each([
    ['that is spoken', true],
    ['that has no report yet', false],
  ])('cancels an item %s once, so that a second Esc before the report stops nothing', (_, isSpoken) => {
    const { stage, sent, begin } = openStage();
    stage.advance();
    if (isSpoken) begin();
    expect([stage.stop(), stage.stop()]).toEqual([true, false]);
    expect(sent().filter((type) => type === 'cancel')).toHaveLength(1);
  });

  it('waits at its item after somebody talked over it', () => {
    const { stage, spoken, sent, begin, talkOver } = openStage();
    stage.advance();
    begin();
    talkOver();
    vi.advanceTimersByTime(60_000);
    expect(spoken()).toEqual(['one']);
    expect(sent()).not.toContain('cancel');
    expect(stage.store.getState().run).toMatchObject({ at: 0, phase: 'ready' });
    stage.advance();
    expect(spoken()).toEqual(['one', 'one']);
  });

  it('goes on where an item makes no progress', () => {
    const { stage, spoken } = openStage();
    stage.advance();
    vi.advanceTimersByTime(19_000);
    expect(spoken()).toEqual(['one']);
    vi.advanceTimersByTime(2100);
    expect(spoken()).toEqual(['one', 'two']);
  });

  it('leaves the text of the studio alone, however long it takes', () => {
    const { stage, begin, sent } = openStage();
    chooseProgramme(STUDIO_TEXT);
    stage.advance();
    begin();
    const { length } = sent();
    stage.chooseVoice(FIVE);
    vi.advanceTimersByTime(60_000);
    expect(sent().slice(length)).toEqual(['settings']);
    expect(voiceNow()).toBe(5);
    expect(stage.store.getState().since).toBeNull();
  });

  it('keeps to its item while the programme is reordered', () => {
    const { stage, spoken, hear, begin } = openStage();
    stage.advance();
    begin();
    editProgramme((of) => withItemMoved(of, 1, 1));
    expect(stage.store.getState().run).toMatchObject({ at: 1, phase: 'speaking' });
    hear();
    vi.advanceTimersByTime(1100);
    expect(spoken()).toEqual(['one', 'three']);
  });

  it('falls silent where its item is removed', () => {
    const { stage, sent, begin } = openStage();
    stage.advance();
    begin();
    editProgramme((of) => withItemRemoved(of, 1));
    expect(sent().at(-1)).toBe('cancel');
    expect(stage.store.getState().run).toMatchObject({ at: 0, phase: 'ready' });
  });

  it('goes on in the copy where a programme that came with the page is changed', () => {
    const { stage, spoken, begin } = openStage();
    chooseProgramme(SHIPPED[0]?.id ?? 0);
    stage.advance();
    begin();
    editProgramme((of) => ({ ...of, loop: false }));
    expect(stage.store.getState().run.phase).toBe('speaking');
    expect(spoken()).toHaveLength(1);
  });

  it('restores the set-up of the studio with another programme and at the end', () => {
    const { stage, close } = openStage();
    stage.advance();
    expect(voiceNow()).toBe(1);
    chooseProgramme(STUDIO_TEXT);
    expect([voiceNow(), stage.store.getState().run.phase]).toEqual([9, 'ready']);
    chooseProgramme(1);
    stage.advance();
    close();
    expect(voiceNow()).toBe(9);
  });

  it('speaks all items with a chosen voice until it is given up', () => {
    const { stage } = openStage();
    stage.chooseVoice(FIVE);
    stage.advance();
    expect(voiceNow()).toBe(5);
    stage.advance();
    expect(voiceNow()).toBe(5);
    stage.chooseVoice(null);
    stage.advance();
    expect(voiceNow()).toBe(3);
  });
});
