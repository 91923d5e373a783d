import type { Locator, Page } from '@playwright/test';
import { axeFindings, expectGoodLooks, otherThemesFindings, overEdge, tooSmall } from './support/looks.ts';
import {
  cancel,
  expect,
  LONG_TEXT,
  resize,
  speak,
  speakText,
  test,
  textBox,
  transcript,
  turn,
  withStored,
  words,
  wordsBegin,
} from './support/page.ts';
import type { TapWindow } from './support/tap.ts';

const HEIGHT = 900;
const NARROW = 360;

/** Calls back with every panel in view in turn: on a narrow window they are tabs, on a wide one all are there. */
async function inEveryPanel(
  page: Page,
  width: number,
  look: (panel: string) => Promise<void>,
): Promise<void> {
  const panels =
    width < 900
      ? ['Set-up', 'Timeline', 'Chunks', 'Frames', 'Usage', 'Stage']
      : ['Usage', 'Timeline', 'Frames', 'Chunks'];
  for (const panel of panels) {
    await page.getByRole('tab', { name: panel }).click();
    await look(panel);
  }
}

const sidewaysPx = (locator: Locator) => locator.evaluate((node) => node.scrollWidth - node.clientWidth);

async function openVoices(page: Page, width: number): Promise<void> {
  if (width < 900) await page.getByRole('tab', { name: 'Set-up' }).click();
  await page.getByRole('button', { name: /^Choose a voice/ }).click();
  await expect(page.getByRole('dialog').getByRole('listitem').first()).toBeVisible();
}

test('axe finds nothing at 1440 and 900 px, dark', async ({ page }) => {
  await withStored(page, { theme: 'dark' });
  await page.goto('/');
  await expect(page.getByRole('button', { name: /^Choose a voice, now Marta/ })).toBeVisible();
  await expectGoodLooks(page, 'idle');
  expect.soft(await otherThemesFindings(page), 'idle').toEqual([]);
  await speakText(page, 'Good morning.');
  await expect(turn(page, 1)).toContainText('Spoken');
  await inEveryPanel(page, 1440, (panel) =>
    expectGoodLooks(page, `${panel}, after a turn`, '[role=tabpanel]'),
  );
  await page.getByRole('button', { name: 'Demo mode' }).hover();
  // The name of the button is no text of the page.
  await expect(page.getByText('Demo mode', { exact: true })).toBeVisible();
  await expectGoodLooks(page, 'an explanation');
  await openVoices(page, 1440);
  await expectGoodLooks(page, 'voices', '[role=dialog]');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.getByRole('radio', { name: 'JSON' }).click();
  await expect(page.getByRole('textbox', { name: 'Config frame' })).toBeVisible();
  await expectGoodLooks(page, 'JSON', '.cm-editor');
  await page.getByRole('radio', { name: 'Form' }).focus();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible();
  await expectGoodLooks(page, 'keys', '[role=dialog]');
  await page.keyboard.press('Escape');
  await resize(page, { width: 900, height: HEIGHT });
  await expectGoodLooks(page, '900 px');
});

test('at 360 px, light, axe finds nothing, nothing crosses the edge, and every button is large enough for a finger', async ({
  page,
}) => {
  await withStored(page, { theme: 'light' });
  await page.setViewportSize({ width: NARROW, height: 740 });
  await page.goto('/');
  await expect(
    page.getByRole('button', { name: /^Choose a voice, now Marta/, includeHidden: true }),
  ).toBeAttached();
  await expectGoodLooks(page, 'idle');
  expect.soft(await otherThemesFindings(page), 'idle').toEqual([]);
  await speakText(page, 'Donaudampfschifffahrtsgesellschaftskapitänswitwenrente, ten times over.');
  await expect(turn(page, 1)).toContainText('Spoken');
  await inEveryPanel(page, NARROW, (panel) =>
    expectGoodLooks(page, `${panel}, after a turn`, '[role=tabpanel]'),
  );
  await page.getByRole('radio', { name: 'Simulated model' }).click();
  expect.soft(await tooSmall(page), 'simulated model').toEqual([]);
  await page.getByRole('button', { name: 'Sound, theme and demo mode' }).click();
  await expect(page.getByRole('dialog', { name: 'Sound, theme and demo mode' })).toBeVisible();
  expect.soft(await tooSmall(page), 'sound and theme').toEqual([]);
  await page.keyboard.press('Escape');
  // Set-up scrolls up and down, never sideways.
  await page.getByRole('tab', { name: 'Set-up' }).click();
  const setUp = page.getByRole('region', { name: 'Set-up' }).locator('> div');
  expect.soft(await sidewaysPx(setUp), 'Set-up, sideways').toBeLessThanOrEqual(0);
  await openVoices(page, NARROW);
  expect.soft(await axeFindings(page, '[role=dialog]'), 'voices').toEqual([]);
  expect.soft(await tooSmall(page), 'voices').toEqual([]);
});

test('all of a long voice description and of an unreported cost is seen', async ({ page }) => {
  const description =
    'A gravelly old sailor from the far north who speaks slowly, pauses often and laughs at his own stories';
  await withStored(page, { settings: { murmr: { voice_description: description, language: 'English' } } });
  await page.goto('/?endpoint=murmr');
  await speakText(page, 'Good morning.');
  await expect(turn(page, 1)).toContainText('Spoken');
  const figures = page.getByRole('banner').getByRole('region', { name: 'Session totals' });
  const cost = figures.getByText('cost not reported');
  await expect(cost).toBeVisible();
  expect(await sidewaysPx(figures)).toBeLessThanOrEqual(0);
  const [inner, outer] = await Promise.all([cost.boundingBox(), figures.boundingBox()]);
  if (!inner || !outer) throw new Error('The cost is not shown.');
  expect(inner.x).toBeGreaterThanOrEqual(outer.x);
  expect(inner.y).toBeGreaterThanOrEqual(outer.y);
  expect(inner.x + inner.width).toBeLessThanOrEqual(outer.x + outer.width);
  expect(inner.y + inner.height).toBeLessThanOrEqual(outer.y + outer.height);
  for (const width of [1440, NARROW]) {
    await resize(page, { width, height: HEIGHT });
    const voice = turn(page, 1).getByText(description);
    await expect(voice).toBeVisible();
    const [name, said] = await Promise.all([
      voice.boundingBox(),
      words(page).first().locator('xpath=ancestor::p[1]').boundingBox(),
    ]);
    if (!name || !said) throw new Error('The turn shows no voice or no words.');
    const isApart = name.x + name.width + 8 <= said.x || name.y + name.height <= said.y;
    expect(isApart, `${width} px: ${JSON.stringify(name)} beside ${JSON.stringify(said)}`).toBe(true);
    expect(await sidewaysPx(voice.locator('xpath=..'))).toBeLessThanOrEqual(0);
    expect(await overEdge(page)).toEqual([]);
  }
});

test('by keyboard alone, a turn is begun, looked up in the list of keys and cancelled, and the focus is visible', async ({
  page,
}) => {
  await page.goto('/');
  await expect(speak(page)).toBeEnabled();
  // Exactly one of each, also beside a turn.
  await expect(page.getByRole('button', { name: 'Speak' })).toHaveCount(1);
  await textBox(page).fill(LONG_TEXT);
  await textBox(page).blur();
  const invisible: string[] = [];
  const stopsSeen: string[] = [];
  for (let stop = 0; stop < 90 && !stopsSeen.includes('Speak'); stop += 1) {
    await page.keyboard.press('Tab');
    const { name, isVisible } = await page.evaluate(() => {
      const node = document.activeElement;
      const rings = (at: Element | null): boolean =>
        at !== null &&
        at !== document.body &&
        ((getComputedStyle(at).outlineStyle !== 'none' && getComputedStyle(at).outlineWidth !== '0px') ||
          rings(at.parentElement));
      return {
        name:
          node?.getAttribute('aria-label') ??
          node?.firstChild?.nextSibling?.textContent ??
          node?.tagName ??
          '',
        // In a text area the caret shows it.
        isVisible: node instanceof HTMLTextAreaElement || rings(node),
      };
    });
    const isSpeak = await speak(page).evaluate((node) => node === document.activeElement);
    stopsSeen.push(isSpeak ? 'Speak' : name);
    if (!isVisible) invisible.push(name);
  }
  expect(stopsSeen).toContain('Speak');
  expect(invisible).toEqual([]);
  await page.keyboard.press('Enter');
  await wordsBegin(turn(page, 1));
  await page.keyboard.press('Tab');
  await expect(cancel(page)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(turn(page, 1)).toContainText('Cancelled');
  // There is nothing to cancel now, and the focus is where it was.
  await expect(cancel(page)).toBeDisabled();
  await expect(cancel(page)).toBeFocused();

  // From the text, which keeps its words.
  await textBox(page).focus();
  await page.keyboard.press('Control+Enter');
  await wordsBegin(turn(page, 2));
  await expect(textBox(page)).toHaveValue(LONG_TEXT);
  await speak(page).focus();
  await page.keyboard.press('?');
  const list = page.getByRole('dialog', { name: 'Keys' });
  await expect(list).toContainText('Cancel what is being spoken');
  await page.keyboard.press('Escape');
  await expect(list).toHaveCount(0);
  await expect(turn(page, 2)).toContainText('Speaking');
  await page.keyboard.press('Escape');
  await expect(turn(page, 2)).toContainText('Cancelled');
  await expect(words(page, 'current')).toHaveCount(0);
  await expect(words(page, 'pending')).not.toHaveCount(0);
  await textBox(page).fill('Really');
  await textBox(page).press('End');
  await textBox(page).press('?');
  await expect(textBox(page)).toHaveValue('Really?');
  await expect(list).toHaveCount(0);

  // From inside the JSON editor, whose text it does not change.
  await page.getByRole('radio', { name: 'JSON' }).click();
  const editor = page.getByRole('textbox', { name: 'Config frame' });
  await editor.click();
  const before = await editor.textContent();
  await page.keyboard.press('Control+Enter');
  await expect(turn(page, 3)).toContainText('Really?');
  await expect(turn(page, 3)).toContainText('Spoken');
  expect(await editor.textContent()).toBe(before);
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Speak' })).toHaveCount(1);
  await expect(page.getByRole('button', { name: 'Cancel' })).toHaveCount(1);
});

/** Runs in the page. Resolves with the times of so many changes of an element's style, in ms. */
const timesOfSteps = (element: Element, count: number): Promise<number[]> =>
  new Promise((resolve) => {
    const times: number[] = [];
    new MutationObserver(() => {
      times.push(performance.now());
      if (times.length === count) resolve(times);
    }).observe(element, { attributeFilter: ['style'] });
  });

test('no motion with prefers-reduced-motion', async ({ page }) => {
  await page.goto('/');
  const steps = page.getByRole('banner').locator('.meter-fill').evaluate(timesOfSteps, 5);
  await speakText(page, LONG_TEXT);
  const times = await steps;
  // Four steps of a quarter of a second. At each paint, they would take a tenth of that.
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(500);
  await page.getByRole('button', { name: 'Keys', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible();
  const moving = await page.evaluate(() =>
    [...document.querySelectorAll('body, body *')].flatMap((node) => {
      const { transitionDuration, animationDuration } = getComputedStyle(node);
      const longest = Math.max(
        ...[...transitionDuration.split(','), ...animationDuration.split(',')].map((part) =>
          Number.parseFloat(part),
        ),
      );
      return longest > 0.01 ? [`${node.tagName} ${node.className} ${longest}`] : [];
    }),
  );
  expect(moving).toEqual([]);
});

test('a whole session never violates the content security policy', async ({ page }) => {
  await page.addInitScript(() => {
    const violations: string[] = [];
    Object.assign(window, { violations });
    addEventListener('securitypolicyviolation', (event) => {
      const at = event.target instanceof Element ? event.target.outerHTML.slice(0, 120) : '';
      violations.push(`${event.effectiveDirective} ${event.blockedURI} ${at}`);
    });
  });
  const answer = await page.goto('/');
  const policy = answer?.headers()['content-security-policy'] ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe-(inline|eval)|script-src[^;]*\*/);
  await page.getByRole('radio', { name: 'JSON' }).click();
  const editor = page.getByRole('textbox', { name: 'Config frame' });
  await editor.click();
  await page.keyboard.press('Control+a');
  // Typed over a selection, with an error that is marked and hovered.
  await page.keyboard.type('{"voice_id": 1071, "speed": 3}');
  await page.locator('.cm-lintRange-error').hover();
  await expect(page.locator('.cm-tooltip')).toBeVisible();
  await editor.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('{"voice_id": 1071, "word_timestamps": true}');
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+y');
  await page.getByRole('radio', { name: 'Form' }).click();
  await openVoices(page, 1440);
  await page.getByRole('dialog').getByRole('combobox', { name: 'Language' }).click();
  await page.getByRole('option', { name: 'German' }).click();
  await page
    .getByRole('button', { name: /^Play a sample of/ })
    .last()
    .click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Samples' }).click();
  await page.getByRole('menuitem').nth(2).click();
  await page.getByRole('radio', { name: 'Simulated model' }).click();
  await speak(page).click();
  await wordsBegin(turn(page, 1));
  await page.getByRole('separator', { name: 'Width of the set-up' }).hover();
  await page.mouse.down();
  await page.mouse.move(420, 400, { steps: 5 });
  await page.mouse.up();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Mute' }).click();
  await resize(page, { width: NARROW, height: 740 });
  await page.getByRole('button', { name: 'Sound, theme and demo mode' }).click();
  await page.getByRole('radio', { name: 'Dark' }).click();
  expect(await page.evaluate(() => (window as unknown as { violations: string[] }).violations)).toEqual([]);
});

test('sound suspended by the browser is reported, and a press resumes it', async ({ page }) => {
  await page.goto('/');
  await speakText(page, LONG_TEXT);
  // The first word may be lit before a sample was heard, and then there is nothing to divide.
  await expect.poll(() => words(page, 'spoken').count()).toBeGreaterThan(0);
  // The next paints may still light what was heard before.
  const suspend = () =>
    page.evaluate(async () => {
      await (window as unknown as TapWindow).tappedContexts.at(-1)?.suspend();
      for (let paints = 0; paints < 3; paints += 1)
        await new Promise((resolve) => requestAnimationFrame(resolve));
    });
  await suspend();
  const notice = page.getByRole('alert').filter({ hasText: 'Sound is paused.' });
  await expect(notice).toContainText('blocks it until you press a button');
  const heldAt = await words(page, 'spoken').count();
  const stoodMs = await page.evaluate(() => performance.now());
  await page.waitForFunction((since) => performance.now() > since + 3000, stoodMs);
  expect(await words(page, 'spoken').count()).toBe(heldAt);
  await notice.getByRole('button', { name: 'Enable sound' }).click();
  await expect(notice).toHaveCount(0);
  await expect.poll(() => words(page, 'spoken').count()).toBeGreaterThan(heldAt);
  // Speak is such a press as well.
  await suspend();
  await expect(notice).toBeVisible();
  await page.keyboard.press('Escape');
  await speakText(page, 'Good morning.');
  await expect(notice).toHaveCount(0);
  await expect(transcript(page)).toContainText('Good morning.');
  await expect(turn(page, 2)).toContainText('Spoken');
  // The silence divides what was heard. Each time that the player runs dry on a slow machine does so, in either turn.
  await page.getByRole('tab', { name: /^Frames/ }).click();
  await page.getByRole('radio', { name: 'Player' }).click();
  const heard = page.getByRole('treegrid', { name: 'Frames' }).locator('tbody tr');
  await expect(heard.filter({ hasText: /in \d+ pieces/ })).not.toHaveCount(0);
});
