import { describe, expect, it } from 'vitest';
import { bytesFromSamples } from '#lib/pcm.ts';
import type { Finding } from '#protocol/core/rule.ts';
import type { NewEntry } from '#trace/entry.ts';
import { newEntry, RecordingWorld, START } from '../testing/world.ts';
import { NOTHING_CHECKED } from './check-view.ts';

const CONFIG = { voice_id: 1071, language: 'en' };

/** Frames of `/ws/tts/stream` at 10 ms each, as the recorder keeps them. */
const frame = (direction: 'in' | 'out', value: object, kind = 'words'): Partial<NewEntry> => ({
  direction,
  kind,
  payload: JSON.stringify(value),
});
/** Audible, because silence is a finding. */
const TONE = Buffer.from(
  bytesFromSamples(Int16Array.from({ length: 2400 }, (_, at) => 6000 * Math.sin(at / 9))),
).toString('base64');
const out = (value: object) => frame('out', value, 'say');
const audio = (samples = 2400, idx = 0) =>
  frame(
    'in',
    {
      audio: TONE,
      enc: 'pcm_s16le',
      idx,
      sr: 24_000,
      samples,
      chunk_id: 0,
    },
    'audio',
  );
const event = (kind: string, what: object): Partial<NewEntry> => ({
  direction: 'connection',
  opcode: 'none',
  kind,
  payload: JSON.stringify(what),
});
const started = frame('in', { generation_started: true, chunk_id: 0, text: 'Hello there.' });
const TOTALS = { total_audio_seconds: 0.1, total_text_chunks: 1, total_audio_chunks: 1 };
const USAGE = { audio_seconds: 0.1, characters: 12, cost_cents: 0.01, currency: 'eur', model_id: 'kugel-3' };
const ended = [
  frame('in', { chunk_complete: true, chunk_id: 0, audio_seconds: 0.1, gen_ms: 5 }),
  frame('in', { final: true, ...TOTALS }),
  frame('in', { session_closed: true, ...TOTALS, usage: USAGE }),
];
const asked = [
  event('opening', {}),
  event('opened', {}),
  out(CONFIG),
  out({ text: 'Hello there.' }),
  out({ flush: true }),
];
const TURN = [...asked, started, audio(), ...ended];
/** With the mistake in entry 6. */
const BROKEN = [...asked, started, audio(2399), ...ended];
const GAP_US = 10_000;

const timed = (entries: readonly Partial<NewEntry>[], fromUs = 0): NewEntry[] =>
  entries.map((entry, i) => newEntry({ atUs: fromUs + i * GAP_US, ...entry }));

const check = (world: RecordingWorld) => world.view.check ?? NOTHING_CHECKED;
const counts = (world: RecordingWorld) =>
  check(world).groups.map(({ rule, count, kept }) => [rule.id, count, kept]);

const findings = (world: RecordingWorld, entries: readonly number[]): Finding[] =>
  world.recordings.viewer.findings({ entries }).findings.map(({ finding }) => finding);

describe('The rules on a recording that grows', () => {
  it('find nothing in a turn that is as it should be', async () => {
    const world = new RecordingWorld();
    world.record(timed(TURN));
    await world.advance(300);
    expect(check(world)).toMatchObject({ recording: 'recording-1', checked: 10, of: 10, groups: [] });
    expect(check(world).rules).toBeGreaterThan(40);
  });

  it('find a broken one as it comes, mark its row and lead to its frame', async () => {
    const world = new RecordingWorld();
    world.record(timed(BROKEN.slice(0, 7)));
    await world.advance(300);
    expect(counts(world)).toEqual([['samples-bytes', 1, 1]]);
    world.record(timed(BROKEN.slice(7), 7 * GAP_US));
    await world.advance(300);
    expect(check(world).checked).toBe(10);
    expect((await world.calls.rows(6, 7, false)).rows).toMatchObject([{ findings: { worst: 'violation' } }]);
    expect(findings(world, [6])).toContainEqual(
      expect.objectContaining({ id: 'samples-bytes', path: 'samples', frame: 6 }),
    );
    expect(findings(world, [5])).toEqual([]);
    expect(world.recordings.viewer.nextFinding(-1, 1, true)).toBe(6);
  });

  it('list what they found among the problems, without folding again what is open', async () => {
    const world = new RecordingWorld();
    void world.calls.list({ filter: { problemsOnly: true }, fold: true });
    const many = [...asked, started, ...[0, 1, 2].map((idx) => audio(2399, idx))];
    await world.keep(timed(many));
    expect(world.view.shown).toMatchObject({ matches: 3, rows: 1 });
    void world.calls.openRun(6, true);
    await world.keep(timed([audio(2399, 3)], many.length * GAP_US));
    expect(world.view.shown).toMatchObject({ matches: 4, rows: 5 });
  });

  it('notice a time-out about to bite before another frame comes', async () => {
    const world = new RecordingWorld();
    world.nowMs = START.startedAtMs;
    world.record(timed(asked.slice(0, 4)));
    await world.advance(3900);
    expect(counts(world)).toEqual([]);
    await world.advance(1000);
    expect(counts(world)).toEqual([['idle-turn-soon', 1, 1]]);
    expect(findings(world, [3])).toMatchObject([{ id: 'idle-turn-soon', frame: 3 }]);
  });

  it('do not take what comes late for what is missing', async () => {
    const world = new RecordingWorld();
    world.nowMs = START.startedAtMs;
    world.record(timed(asked.slice(0, 4)));
    // The flush was sent after 3.99 s, and is told almost half a second later.
    await world.advance(4450);
    world.record([newEntry({ ...out({ flush: true }), atUs: 3_990_000 })]);
    await world.advance(2000);
    expect(counts(world)).toEqual([]);
  });

  it('wait for nothing where the connection is closed', async () => {
    const world = new RecordingWorld();
    world.nowMs = START.startedAtMs;
    world.record(timed([...TURN, event('closed', { code: 1000 })]));
    await world.advance(60_000);
    expect(counts(world)).toEqual([]);
  });

  it('keep the first findings of a rule and count them all', async () => {
    const world = new RecordingWorld();
    const many = Array.from({ length: 600 }, (_, idx) => audio(2399, idx));
    await world.keep(timed([...asked, started, ...many]));
    expect(counts(world)).toEqual([['samples-bytes', 600, 500]]);
    const ofRule = world.recordings.viewer.findings({ rule: 'samples-bytes', from: 498, to: 600 });
    expect(ofRule.findings.map(({ head }) => head.index)).toEqual([504, 505]);
    expect(world.recordings.viewer.findings({ entries: [605] })).toEqual({ findings: [], of: 1 });
    expect(world.recordings.viewer.nextFinding(0, -1, false)).toBe(605);
  });
});

describe('The rules and a recording of before', () => {
  it('find in it what they found while it went on, with progress, and once however often it is shown', async () => {
    const world = new RecordingWorld();
    await world.keep(timed(BROKEN));
    const live = counts(world);
    expect(live.length).toBeGreaterThan(0);
    world.begin();
    await world.keep(timed(TURN));
    expect(counts(world)).toEqual([]);
    for (const _ of [1, 2]) {
      void world.calls.show('recording-1');
      await world.advance(1000);
      expect(check(world)).toMatchObject({ recording: 'recording-1', checked: 10, of: 10 });
      expect(counts(world)).toEqual(live);
      void world.calls.show(null);
      await world.advance(1000);
      expect(counts(world)).toEqual([]);
    }
  });

  it('let no time pass in it', async () => {
    const world = new RecordingWorld();
    world.nowMs = START.startedAtMs;
    await world.keep(timed(asked.slice(0, 4)));
    world.reload();
    void world.calls.show('recording-1');
    await world.advance(60_000);
    expect(check(world)).toMatchObject({ checked: 4, groups: [] });
  });

  it('say nothing of a connection that lacks a payload, and go on with the next', async () => {
    const world = new RecordingWorld({ hasDatabase: false, memoryBytes: 0 });
    const filler = newEntry({ payload: 'x'.repeat(300_000), connection: 1 });
    const second = timed(BROKEN, 1_000_000).map((entry) => ({ ...entry, connection: 2 }));
    await world.keep([filler, ...timed(TURN), ...second]);
    expect(check(world)).toMatchObject({ checked: 21, unread: 11 });
    expect(check(world).groups.map(({ rule }) => rule.id)).toContain('samples-bytes');
  });

  it('check nothing of an endpoint that is not known', async () => {
    const world = new RecordingWorld();
    world.begin({ endpoint: 'another' });
    await world.keep(timed(BROKEN));
    expect(check(world)).toMatchObject({ rules: 0, groups: [] });
  });
});
