import { cancel, expect, heardToEnd, openOn, speak, test, textBox, words } from './support/page.ts';
import { startUnisolated } from './support/page-host.ts';
import { tone } from './support/scripted-server.ts';
import { indexOfSamples, recorded, type TapWindow } from './support/tap.ts';
import { block, TONE_RATE as RATE, startToneServer } from './support/tone-server.ts';

for (const transport of ['shared memory', 'messages'] as const) {
  test(`a page blocked for 2 s is not heard, to the sample, by ${transport}`, { tag: '@sound' }, async ({
    page,
    baseURL,
  }) => {
    // A tail that is no multiple of a quantum.
    const samples = tone(4 * RATE + 77, RATE);
    // A second ahead: less than the page is blocked for, more than a busy machine holds up the server's timers.
    const server = await startToneServer(samples, 10);
    const unisolated = await startUnisolated(baseURL ?? '');
    await openOn(page, server.base, transport === 'messages' ? unisolated.origin : '');
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(transport === 'shared memory');
    await textBox(page).fill('La la la');
    await speak(page).click();
    await expect.poll(() => server.received.some((message) => message.flush === true)).toBe(true);
    await expect(page.getByText('Speaking').first()).toBeVisible();
    await block(page, 2000);
    await heardToEnd(page);
    const expected = Float32Array.from(samples, (sample) => sample / 32_768);
    await expect
      .poll(async () => indexOfSamples((await recorded(page)).samples, expected))
      .toBeGreaterThanOrEqual(0);
    await server.close();
    await unisolated.close();
  });
}

test('Cancel silences at once, without waiting for the server, and late audio is never heard', {
  tag: '@sound',
}, async ({ page }) => {
  const samples = tone(8 * RATE, RATE);
  // This server never answers a cancel, and goes on sending.
  const server = await startToneServer(samples);
  await openOn(page, server.base);
  await textBox(page).fill('La la la');
  await speak(page).click();
  await expect(page.getByText('Speaking').first()).toBeVisible();
  // On the audio clock: what has been recorded by then is known to the page only later.
  const pressedAtFrame = await page.evaluate(() => {
    const { tappedContexts } = window as unknown as TapWindow;
    const context = tappedContexts.at(-1);
    const button = [...document.querySelectorAll('button')].find((candidate) =>
      candidate.textContent?.includes('Cancel'),
    );
    const frame = Math.round((context?.currentTime ?? 0) * (context?.sampleRate ?? 0));
    button?.click();
    return frame;
  });
  await expect(page.getByText('Cancelled').first()).toBeVisible();
  await expect.poll(() => server.received.some((message) => message.cancel === true)).toBe(true);
  // Half a second of late audio frames has come in by then. The recording begins some way into the audio clock and
  // reaches the page with a delay; where it is most up to date it shows by how much the two differ.
  let recordingFrom = Number.POSITIVE_INFINITY;
  await expect
    .poll(async () => {
      const { atFrame, recorded } = await page.evaluate(() => {
        const { tapped, tappedContexts } = window as unknown as TapWindow;
        const context = tappedContexts.at(-1);
        const last = tapped.at(-1);
        return {
          atFrame: (context?.currentTime ?? 0) * (context?.sampleRate ?? 0),
          recorded: last ? last.frame + last.left.length : 0,
        };
      });
      recordingFrom = Math.min(recordingFrom, atFrame - recorded);
      return atFrame;
    })
    .toBeGreaterThan(pressedAtFrame + RATE);
  const lastHeard = await page.evaluate(() => {
    const { tapped } = window as unknown as TapWindow;
    return tapped.reduce((last, block) => {
      const index = block.left.findLastIndex((sample) => sample !== 0);
      return index < 0 ? last : block.frame + index;
    }, 0);
  });
  // A unit test has the exact bound, one quantum and the ramp. The hop between threads adds to it here.
  expect(lastHeard + recordingFrom - pressedAtFrame).toBeLessThan(RATE * 0.1);
  await expect(words(page, 'current')).toHaveCount(0);
  await expect(cancel(page)).toBeDisabled();
  await server.close();
});
