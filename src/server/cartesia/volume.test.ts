import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createFakeClock } from '../fake-clock.test-helper.ts';
import { GenerationQueue } from '../speech/generation-queue.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { startCartesia } from './server.test-helper.ts';
import { audioOf, createWorld, FORMAT, VOICE } from './session-world.test-helper.ts';
import { atVolume } from './speaker.ts';

const ofVolume = (volume?: number) => ({
  model_id: 'sonic-3.6',
  voice: VOICE,
  transcript: 'Hello.',
  output_format: FORMAT,
  ...(volume !== undefined && { generation_config: { volume } }),
});

describe('the volume', () => {
  it.each([
    [undefined, [1000, -1001, 20_000, -20_000, 32_767, -32_768]],
    [1, [1000, -1001, 20_000, -20_000, 32_767, -32_768]],
    [0.5, [500, -500, 10_000, -10_000, 16_384, -16_384]],
    [2, [2000, -2002, 32_767, -32_768, 32_767, -32_768]],
  ])('%s scales samples, and clips them', (volume, expected) => {
    const speaker = { settings: volume === undefined ? {} : { volume } };
    const samples = Int16Array.of(1000, -1001, 20_000, -20_000, 32_767, -32_768);
    expect([...atVolume(speaker, samples)]).toEqual(expected);
  });

  const engine = createTestEngine();
  let server: Awaited<ReturnType<typeof startCartesia>>;
  beforeAll(async () => {
    server = await startCartesia(engine, createFakeClock());
  });
  afterAll(() => server.stop());

  const call = (path: string, body: object) =>
    fetch(`${server.http}/cartesia${path}`, {
      method: 'POST',
      headers: { 'X-API-Key': 'local', 'Cartesia-Version': '2026-08-14' },
      body: JSON.stringify(body),
    });

  // All samples of the test engine are 1000.
  it.each([
    [undefined, 1000],
    [0.5, 500],
    [1.25, 1250],
    [2, 2000],
  ])('%s is heard on the socket, in events and in bytes', async (volume, expected) => {
    const bytes = Buffer.from(await (await call('/tts/bytes', ofVolume(volume))).arrayBuffer());
    const events = (await (await call('/tts/sse', ofVolume(volume))).text())
      .split('\n\n')
      .flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []))
      .filter(({ type }) => type === 'chunk');
    const world = await createWorld();
    await world.send({ context_id: 'a', ...ofVolume(volume) });
    for (const audio of [bytes, audioOf(events), audioOf(world.of('chunk'))]) {
      expect(audio).toHaveLength(6 * 480);
      expect(new Set(new Int16Array(Uint8Array.from(audio).buffer))).toEqual(new Set([expected]));
    }
  });

  const samplesOf = (audio: Buffer) => [...new Int16Array(Uint8Array.from(audio).buffer)];
  it.each<[string, number | undefined, string, number[]]>([
    ['from its place on', undefined, 'One. <volume ratio="0.5"/>Two.', [1000, 500]],
    ['in place of the setting', 2, '<volume ratio="0.5" />Two.', [500]],
    ['to the next one', undefined, '<volume ratio="2"/>One. <volume ratio="1">Two.', [2000, 1000]],
    ['within its range', undefined, '<volume ratio="9"/>One. <volume ratio="0"/>Two.', [2000, 500]],
    ['unless it has no number', undefined, '<volume ratio="loud"/>One.', [1000]],
  ])('of a tag is heard %s, on the socket, in events and in bytes', async (_, volume, transcript, levels) => {
    const settings = { ...ofVolume(volume), transcript };
    const bytes = Buffer.from(await (await call('/tts/bytes', settings)).arrayBuffer());
    const events = (await (await call('/tts/sse', { ...settings, add_timestamps: true })).text())
      .split('\n\n')
      .flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []));
    const world = await createWorld();
    await world.send({ context_id: 'a', ...settings });
    const inEvents = audioOf(events.filter(({ type }) => type === 'chunk'));
    for (const audio of [bytes, inEvents, audioOf(world.of('chunk'))]) {
      const samples = samplesOf(audio);
      expect(samples.filter((level, at) => level !== samples[at - 1])).toEqual(levels);
    }
    const starts = events.flatMap(({ word_timestamps: words }) => words?.start ?? []);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
  });

  it('of a tag holds to the end of its context, over cuts of the text', async () => {
    const world = await createWorld();
    for (const transcript of [
      '<volume ratio="0.5"/>One is a long sentence here, of fifty characters. ',
      'Two. ',
    ])
      await world.send({ context_id: 'a', ...ofVolume(), transcript, continue: true });
    await world.send({ context_id: 'a', ...ofVolume(), transcript: 'Three.' });
    expect(new Set(samplesOf(audioOf(world.of('chunk'))))).toEqual(new Set([500]));
  });

  it.each([0, 0.4, 2.1, -1])('%s is refused', async (volume) => {
    const answer = await call('/tts/bytes', ofVolume(volume));
    expect([answer.status, (await answer.json()).message]).toEqual([
      400,
      expect.stringContaining('generation_config.volume'),
    ]);
  });
});

it('tags become generations no faster than speech', async () => {
  const added = vi.spyOn(GenerationQueue.prototype, 'add');
  onTestFinished(() => added.mockRestore());
  const world = await createWorld();
  world.engine.hold();
  const tagged = { ...ofVolume(), transcript: '<volume ratio="2"/>a'.repeat(200) };
  await world.send({ context_id: 'a', ...tagged });
  expect(added.mock.calls.length).toBeLessThan(20);
  world.engine.release();
  await vi.waitFor(() => expect(world.of('done')).toHaveLength(1), { timeout: 20_000 });
  expect(world.spoken()).toHaveLength(200);
});
