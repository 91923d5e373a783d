import type { Page } from '@playwright/test';
import { integratedLoudness } from '#lib/loudness.ts';
import { expect, painted, test } from './support/page.ts';
import { type Recording, recordAnew, recorded } from './support/tap.ts';

const tile = (page: Page, name: string) =>
  page.getByRole('button', { name: new RegExp(`^(Play|Stop) ${name},`) });

/** The loudness on the card of a voice, in LUFS. */
async function shownLoudness(page: Page, name: string): Promise<number> {
  const card = page
    .getByRole('list', { name: 'Voices' })
    .getByRole('listitem')
    .filter({ has: tile(page, name) });
  const figure = card.getByText(/LUFS$/);
  return Number((await figure.innerText()).replace('−', '-').replace(' LUFS', ''));
}

/** Lets a voice of the gallery say the sentence. Returns what was heard of it. */
async function hear(page: Page, name: string): Promise<Recording> {
  await recordAnew(page);
  const begun = painted(page.locator('body'), `Stop ${name},`);
  await tile(page, name).click();
  await begun;
  await expect(tile(page, name)).toHaveAccessibleName(/^Play/);
  return recorded(page, 'sounding');
}

function loudnessOf({ sampleRate, samples }: Recording): number {
  const pcm = Int16Array.from(samples, (sample) => Math.round(sample * 32_767));
  return integratedLoudness([pcm], sampleRate) ?? Number.NEGATIVE_INFINITY;
}

/** What was heard begins at another place of a block. A voice says nothing twice alike, so each turn has its own figure. */
const READING_LU = 0.4;

const WINDOW = 512;

/** Energy between two frequencies in dB, up to a constant. */
function bandDb({ sampleRate, samples }: Recording, fromHz: number, toHz: number): number {
  let energy = 0;
  for (let start = 0; start + WINDOW <= samples.length; start += WINDOW)
    for (let hz = fromHz; hz < toHz; hz += 250) {
      let [real, imaginary] = [0, 0];
      for (let at = 0; at < WINDOW; at += 1) {
        const angle = (2 * Math.PI * hz * at) / sampleRate;
        const sample = (samples[start + at] ?? 0) * Math.sin((Math.PI * at) / WINDOW) ** 2;
        real += sample * Math.cos(angle);
        imaginary += sample * Math.sin(angle);
      }
      energy += real ** 2 + imaginary ** 2;
    }
  return 10 * Math.log10(energy);
}

test('voices show their loudness and are heard equally loud, and a telephone has only its band', {
  tag: '@long',
}, async ({ page }) => {
  await page.goto('/?mode=voices');
  await page
    .getByRole('textbox', { name: 'Say this with every voice' })
    .fill('Six ships sail south on Sunday.');
  await hear(page, 'Marta');
  await hear(page, 'Walter');
  const own = { Marta: await shownLoudness(page, 'Marta'), Walter: await shownLoudness(page, 'Walter') };
  const [louder, quieter] =
    own.Marta > own.Walter ? (['Marta', 'Walter'] as const) : (['Walter', 'Marta'] as const);
  // Otherwise the switch would have nothing to do.
  expect(own[louder] - own[quieter]).toBeGreaterThan(3 * READING_LU);
  const plain = await hear(page, louder);
  const known = await shownLoudness(page, louder);
  expect(Math.abs(loudnessOf(plain) - known)).toBeLessThan(READING_LU);

  await page.getByRole('switch', { name: 'Equal loudness' }).click();
  // The figure is of the voice, and not of what is heard of it.
  const gain = loudnessOf(await hear(page, louder)) - (await shownLoudness(page, louder));
  expect(Math.abs(gain - (own[quieter] - known))).toBeLessThan(READING_LU);
  const least = loudnessOf(await hear(page, quieter)) - (await shownLoudness(page, quieter));
  expect(Math.abs(least)).toBeLessThan(READING_LU);
  await page.getByRole('switch', { name: 'Equal loudness' }).click();

  await page.getByRole('button', { name: 'Listen as: as it is' }).click();
  await page.getByRole('combobox', { name: 'Listen as' }).click();
  await page.getByRole('option', { name: /^Telephone/ }).click();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Listen as: Telephone' })).toBeVisible();
  const line = await hear(page, louder);
  expect(bandDb(line, 4500, 11_000) - bandDb(plain, 4500, 11_000)).toBeLessThan(-25);
  expect(bandDb(line, 50, 200) - bandDb(plain, 50, 200)).toBeLessThan(-15);
  expect(Math.abs(bandDb(line, 500, 3000) - bandDb(plain, 500, 3000))).toBeLessThan(1.5);

  // All parts of the page follow, and a reload forgets it.
  await page.getByRole('radio', { name: 'Studio' }).click();
  await expect(page.getByRole('button', { name: 'Listen as: Telephone' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Listen as: as it is' })).toBeVisible();
});
