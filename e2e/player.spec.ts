import { marked } from '#player/testing/traces.ts';
import { RATE } from './support/frames.ts';
import { cancel, expect, heardToEnd, openOn, painted, speakText, test, turn, words } from './support/page.ts';
import { startUnisolated } from './support/page-host.ts';
import { savedAs } from './support/stored.ts';
import { floatsOf, heardPieces, hearWhole, recorded } from './support/tap.ts';
import { block, startToneServer } from './support/tone-server.ts';

/** When each audio frame of a recording was received, in ms since 1970. */
function receivedTimes(recording: string): number[] {
  const [header = {}, ...entries] = recording
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  return entries
    .filter(({ direction, kind }) => direction === 'in' && kind === 'audio')
    .map(({ atUs }) => header.info.startedAtMs + atUs / 1000);
}

for (const transport of ['shared memory', 'messages'] as const) {
  test(`a page blocked for 2 s is not heard, to the sample, by ${transport}`, {
    tag: transport === 'messages' ? '@long' : [],
  }, async ({ page, baseURL }) => {
    // A tail that is no multiple of a quantum, and seconds in which a busy machine finds the time to block the page.
    const samples = marked(8 * RATE + 77, 3);
    // Less ahead than the page is blocked for.
    const server = await startToneServer(samples, 10);
    const unisolated = await startUnisolated(baseURL ?? '');
    await openOn(page, server.base, transport === 'messages' ? unisolated.origin : '');
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(transport === 'shared memory');
    await page.getByRole('tab', { name: 'Chunks' }).click();
    await speakText(page, 'La la la');
    await painted(turn(page, 1), 'Speaking');
    const { fromMs, toMs } = await block(page, 2000);
    await expect(page.getByRole('tabpanel', { name: /Chunks/ })).toContainText(`Audio by${transport}`);
    await heardToEnd(page);
    await page.getByRole('tab', { name: /^Frames/ }).click();
    const recording = await savedAs(page, 'Recording');
    const received = receivedTimes(recording).filter((atMs) => atMs > fromMs && atMs < toMs);
    expect(received.length, 'audio frames while the page was blocked').toBeGreaterThan(5);
    const { pauses } = await hearWhole(page, floatsOf(samples));
    // A machine that halts the server may cause one, and the page reports it.
    if (pauses > 0)
      await expect(turn(page, 1)).toContainText(pauses === 1 ? 'underrun' : `${pauses} underruns`);
    else await expect(turn(page, 1)).not.toContainText('underrun');
    await server.close();
    await unisolated.close();
  });
}

test('Cancel silences without waiting for the server, and late audio is never heard', async ({ page }) => {
  // Longer than a busy machine takes to look twice.
  const samples = marked(90 * RATE, 4);
  // This server never answers a cancel, and goes on sending.
  const server = await startToneServer(samples);
  await openOn(page, server.base);
  await speakText(page, 'La la la');
  await expect(turn(page, 1)).toContainText('Speaking');
  await cancel(page).click();
  await expect(turn(page, 1)).toContainText('Cancelled');
  await expect.poll(() => server.received.some((message) => message.cancel === true)).toBe(true);
  const frames = /(\d+) late frames/;
  const late = async () => Number(frames.exec((await turn(page, 1).textContent()) ?? '')?.[1] ?? 0);
  await expect.poll(late).toBeGreaterThan(1);
  const heard = (await heardPieces(page, floatsOf(samples))).at(-1)?.to ?? 0;
  // A unit test has the exact bound, one quantum and the ramp.
  expect(heard).toBeGreaterThan(0);
  const heardFrom = (await recorded(page)).samples.length;
  // The page stops waiting for a confirmation, and the server still speaks.
  await expect(page.getByText('The cancel was not confirmed')).toBeVisible();
  const before = await late();
  await expect.poll(late).toBeGreaterThan(before);
  expect((await recorded(page)).samples.subarray(heardFrom).every((sample) => sample === 0)).toBe(true);
  await expect(words(page, 'current')).toHaveCount(0);
  await expect(cancel(page)).toBeDisabled();
  await server.close();
});
