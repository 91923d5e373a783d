import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { launchChromium } from '../browser.ts';
import { expect, keyField, openOn, speakText, turn } from '../support/page.ts';
import { startStaticHost } from '../support/static-host.ts';
import { savedAs } from '../support/stored.ts';

/** Two turns of the built page in Chromium. The argument names a file for the recording that the page exports. */

const [path] = process.argv.slice(2);
const host = await startStaticHost();
const browser = await launchChromium('--autoplay-policy=no-user-gesture-required');
try {
  const page = await browser.newPage();
  await page.addInitScript(() =>
    localStorage.setItem('voicewire.tour', JSON.stringify({ state: { isOver: true }, version: 1 })),
  );
  await openOn(page, process.env.VOICEWIRE_KUGEL_URL?.replace('http', 'ws') ?? '', host.address.slice(0, -1));
  await keyField(page).fill('local');
  for (const [at, text] of ['Good morning. The train to Berlin is late.', 'It leaves at nine.'].entries()) {
    await speakText(page, text);
    await expect(turn(page, at + 1)).toContainText('Spoken', { timeout: 60_000 });
  }
  await page.getByRole('tab', { name: /^Frames/ }).click();
  const recording = await savedAs(page, 'Recording');
  if (path !== undefined) await writeFile(path, recording);
  const received = createHash('sha256');
  let frames = 0;
  for (const line of recording.split('\n').filter((each) => each !== '')) {
    const { direction, text } = JSON.parse(line);
    if (direction !== 'in') continue;
    received.update(text);
    frames += 1;
  }
  process.stdout.write(`${frames} frames, ${received.digest('hex')}\n`);
} finally {
  await browser.close();
  await host.close();
}
