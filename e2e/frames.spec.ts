import type { Page } from '@playwright/test';
import { audioFrames, endFrames, RATE, startedFrame, turnSamples, wordsFrame } from './support/frames.ts';
import { expectGoodLooks } from './support/looks.ts';
import { expect, heardToEnd, keyField, openOn, speakText, test, withStored } from './support/page.ts';
import { startScriptedServer, tone } from './support/scripted-server.ts';

const tab = (page: Page) => page.getByRole('tab', { name: /^Frames/ });
const list = (page: Page) => page.getByRole('treegrid', { name: 'Frames' });
const rows = (page: Page) => list(page).locator('tbody tr');
const rowOf = (page: Page, kind: string) => rows(page).filter({ has: page.getByText(kind, { exact: true }) });
const search = (page: Page) => page.getByRole('textbox', { name: 'Search frames' });
const findings = (page: Page) => page.getByRole('region', { name: 'Findings', exact: true });
const detail = (page: Page) => page.getByRole('article', { name: /^Frame / });

/** One turn has been heard, and its frames are shown. */
async function turnHeard(page: Page): Promise<void> {
  await page.goto('/');
  await tab(page).click();
  await expect(page.getByText('Every frame that is sent and received')).toBeVisible();
  await speakText(page, 'Good morning.');
  await heardToEnd(page);
  await expect(rowOf(page, 'turnEnded')).toBeVisible();
  // The last row.
  await expect(rowOf(page, 'heard')).toBeVisible();
}

/** Runs in the page. Paints seldom, as on a busy machine, and each time right behind a report that the list has scrolled. */
function paintSeldom(): void {
  const request = requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (paint) =>
    window.setTimeout(() => {
      request((atMs) => {
        document.querySelector('[role="treegrid"]')?.dispatchEvent(new Event('scroll'));
        paint(atMs);
      });
    }, 100);
}

test('the list follows its newest row until a person scrolls up', async ({ page }) => {
  const seconds = 2;
  // Audio between words does not fold.
  const frames = audioFrames(turnSamples(seconds)).flatMap((audio) => [audio, wordsFrame('La', 0.1)]);
  const server = await startScriptedServer((_, message, say) => {
    if (!message.flush) return;
    say(startedFrame('La'));
    const timer = setInterval(() => {
      const frame = frames.shift();
      if (frame) return say(frame);
      clearInterval(timer);
      for (const end of endFrames('La', seconds)) say(end);
    }, 20);
  });
  await page.addInitScript(paintSeldom);
  await openOn(page, server.base);
  await tab(page).click();
  await speakText(page, 'La');
  await expect(rowOf(page, 'heard')).toBeInViewport();
  const follow = page.getByRole('button', { name: /^Follow the newest/ });
  await expect(follow).toHaveCount(0);
  await list(page).hover();
  await page.mouse.wheel(0, -300);
  await expect(rowOf(page, 'heard')).not.toBeInViewport();
  await follow.click();
  await expect(rowOf(page, 'heard')).toBeInViewport();
  await server.close();
});

test('the row that is pressed is opened, though rows move under the pointer', async ({ page }) => {
  await turnHeard(page);
  const selected = list(page).locator('tr[aria-selected="true"]');
  const run = list(page).locator('tr[aria-expanded]').first();
  await run.click();
  await expect(run).toHaveAttribute('aria-expanded', 'true');
  // The list ends with its last row.
  const beyondRows = () =>
    list(page).evaluate((element) => {
      element.scrollTop = element.scrollHeight;
      const ends = [...element.querySelectorAll('tbody tr')].map((row) => row.getBoundingClientRect().bottom);
      return element.getBoundingClientRect().bottom - Math.max(...ends);
    });
  await expect.poll(beyondRows).toBeCloseTo(0, 0);
  // A row that scrolls under the pointer between press and release is not opened.
  await rowOf(page, 'turnEnded').scrollIntoViewIfNeeded();
  const ended = await rowOf(page, 'turnEnded').boundingBox();
  if (!ended) throw new Error('The row is not in view.');
  const pointer = { x: ended.x + 100, y: ended.y + ended.height / 2 };
  const rowUnderPointer = () =>
    page.evaluate(({ x, y }) => document.elementFromPoint(x, y)?.closest('tbody tr')?.textContent, pointer);
  await page.mouse.move(pointer.x, pointer.y);
  await page.mouse.down();
  expect(await rowUnderPointer()).toContain('turnEnded');
  await list(page).evaluate((element) => {
    element.scrollTop -= 2 * (element.querySelector('tbody tr')?.clientHeight ?? 0);
  });
  await expect.poll(rowUnderPointer).not.toContain('turnEnded');
  await page.mouse.up();
  await expect(detail(page)).toContainText('turnEnded');
  await expect(selected).toContainText('turnEnded');

  // A run above unfolds meanwhile, so that the row is another frame's.
  await page.keyboard.press('Escape');
  await run.click();
  await expect(run).toHaveAttribute('aria-expanded', 'false');
  await rowOf(page, 'turnEnded').hover();
  await page.mouse.down();
  await expect(list(page).locator('tr:hover')).toContainText('turnEnded');
  await page.keyboard.press('ArrowRight');
  await expect(run).toHaveAttribute('aria-expanded', 'true');
  await page.mouse.up();
  await expect(detail(page)).toContainText('turnEnded');
  await expect(selected).toContainText('turnEnded');

  // The run folds meanwhile, so that the list has no such row any more.
  await page.keyboard.press('Escape');
  for (const isOpen of ['false', 'true']) {
    await run.click();
    await expect(run).toHaveAttribute('aria-expanded', isOpen);
  }
  await rowOf(page, 'heard').hover();
  await page.mouse.down();
  await expect(list(page).locator('tr:hover')).toContainText('heard');
  await page.keyboard.press('ArrowLeft');
  await expect(run).toHaveAttribute('aria-expanded', 'false');
  // Another finger lifts. Then a browser sends the click to what is under the pointer.
  await run.evaluate((row) => {
    dispatchEvent(new PointerEvent('pointerup', { pointerId: 99 }));
    addEventListener(
      'pointerup',
      ({ clientY }) => row.dispatchEvent(new MouseEvent('click', { bubbles: true, clientY })),
      { once: true },
    );
  });
  await expect(detail(page)).toHaveCount(0);
  await page.mouse.up();
  await expect(detail(page)).toContainText('heard');
  await expect(selected).toContainText('heard');
});

test('every frame of a turn is listed, opened and filtered, also by keyboard, and its recording survives a reload, and can be named, shown and deleted', async ({
  page,
}) => {
  await turnHeard(page);
  await expect(rowOf(page, 'opened').first()).toBeVisible();
  const run = list(page).locator('tr[aria-expanded]').first();
  await expect(run).toContainText(/audio frames, .* of audio in/);
  const folded = await rows(page).count();
  await run.click();
  await expect(list(page).locator('tr[aria-expanded="true"]')).toHaveCount(1);
  await expect.poll(() => rows(page).count()).toBeGreaterThan(folded);
  await rowOf(page, 'turnEnded').click();
  await expect(detail(page)).toContainText('turnEnded');
  await page.keyboard.press('Escape');
  await expect(detail(page)).toHaveCount(0);

  await page.getByRole('radio', { name: 'Received' }).click();
  await expect(rowOf(page, 'opened')).toHaveCount(0);
  await expect(rowOf(page, 'turnEnded')).toBeVisible();
  await page.getByRole('button', { name: 'Problems only' }).click();
  await expect(page.getByText(/^None of the \d+ frames passes the filter/)).toBeVisible();
  await page.getByRole('button', { name: 'Show all frames' }).click();
  await expect(rowOf(page, 'opened').first()).toBeVisible();

  await list(page).focus();
  await page.keyboard.press('End');
  await expect(rows(page).last()).toHaveAttribute('aria-selected', 'true');
  await tab(page).focus();
  await page.keyboard.press('/');
  await expect(search(page)).toBeFocused();
  // At once: after a pause between two letters the first ones would be searched for.
  await page.keyboard.insertText('good');
  await expect(page.getByRole('status').filter({ hasText: /\d hits?$/ })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(list(page).locator('tr[aria-selected="true"][data-hit]')).toHaveCount(1);
  await page.keyboard.press('ArrowDown');
  await expect(list(page)).toBeFocused();
  await page.keyboard.press('Home');
  await expect(rows(page).first()).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('j');
  await expect(rows(page).nth(1)).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Enter');
  await expect(detail(page)).toBeVisible();
  await page.keyboard.press('k');
  await expect(detail(page)).toContainText('#0');
  await page.keyboard.press('Escape');
  await expect(detail(page)).toHaveCount(0);

  await page.reload();

  await tab(page).click();
  await page.getByRole('button', { name: 'Recordings' }).click();
  const recordings = page.getByRole('list', { name: 'Recordings' }).getByRole('listitem');
  await expect(recordings).toHaveCount(1);
  await recordings.getByRole('button', { name: /^Rename / }).click();
  await recordings.getByRole('textbox').fill('First try');
  await recordings.getByRole('textbox').press('Enter');
  await expect(recordings).toContainText('First try');
  await recordings.getByRole('button', { name: 'Show First try' }).click();
  await expect(rowOf(page, 'turnEnded')).toBeVisible();
  await page.getByRole('button', { name: 'Recordings' }).click();
  await recordings.getByRole('button', { name: 'Delete First try' }).click();
  await recordings.getByRole('button', { name: 'Delete for good' }).click();
  await expect(page.getByText('Each session is recorded by itself')).toBeVisible();
});

test('the rules find nothing in sessions of the local server', async ({ page }) => {
  await withStored(page, {
    dockTab: 'frames',
    settings: { murmr: { voice_description: 'A warm voice', language: 'English', binary_mode: true } },
  });
  for (const endpoint of ['kugel-stream', 'murmr']) {
    await page.goto(`/?endpoint=${endpoint}`);
    await speakText(page, 'Good morning.');
    await heardToEnd(page);
    await page.getByRole('button', { name: 'No findings' }).click();
    // All of what the tab counts.
    await expect
      .poll(async () => {
        const [, frames] = /^Frames(\d+)$/.exec((await tab(page).textContent()) ?? '') ?? [];
        return (await findings(page).textContent())?.includes(`Nothing found in ${frames} frames by`);
      })
      .toBe(true);
  }
});

test('rules that a server breaks are counted on the tab, listed, linked and marked in the frame', async ({
  page,
}) => {
  const server = await startScriptedServer((_, message, say) => {
    if (!message.flush) return;
    const [audio, ...rest] = audioFrames(tone(2 * 2400, RATE));
    say(startedFrame('Hello there.'));
    say({ ...audio, samples: 2390 });
    for (const frame of [...rest, wordsFrame('Hello there.', 0.2)]) say(frame);
    const [complete, final, closed] = endFrames('Hello there.', 0.2);
    say(complete);
    say({ ...final, total_audio_chunks: 2, total_audio_seconds: 0.9 });
    const usage = {
      audio_seconds: 0.2,
      characters: 12,
      cost_cents: 0.02,
      currency: 'eur',
      model_id: 'kugel-3',
    };
    say({ ...closed, total_audio_chunks: 2, usage });
  });
  await openOn(page, server.base);
  await keyField(page).fill('a-key-of-mine');
  await speakText(page, 'Hello there.');
  await expect(tab(page)).toHaveAccessibleName(/, 3 violations$/);
  await tab(page).click();
  await page.getByRole('button', { name: '4 findings' }).click();
  const rules = findings(page).getByRole('button', { expanded: false });
  await expect(rules).toHaveText([
    /Sample count that contradicts the bytes/,
    /Turn length that contradicts its audio/,
    /final and session_closed/,
    /Language/,
  ]);
  await page.getByRole('switch', { name: 'With advice' }).click();
  await expect(rules).toHaveCount(3);

  await page.keyboard.press('n');
  const note = detail(page).getByRole('list', { name: 'Findings of this frame' });
  await expect(note).toContainText('samples: expected 2400 for 4800 bytes of pcm_s16le, got 2390');
  await expect(detail(page).getByRole('treeitem', { name: /samples.*violation/ })).toContainText('2390');
  await page.keyboard.press('p');
  await expect(note).toContainText('final and session_closed disagree');
  await findings(page)
    .getByRole('button', { name: /Sample count that contradicts the bytes/ })
    .click();
  await page.getByRole('button', { name: /^#\d+ .* expected 2400/ }).click();
  await expect(list(page).locator('tr[aria-selected="true"]')).toContainText('1 finding');
  await expectGoodLooks(page, 'findings');
  const opened = page.waitForEvent('popup');
  await findings(page).getByRole('link').first().click();
  const statement = (await opened).locator('li:has(a:target), tr:has(a:target)');
  await expect(statement).toContainText('samples');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(findings(page)).toHaveCount(0);
  await expect(list(page)).toBeFocused();
  await server.close();
});
