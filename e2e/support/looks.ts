import { expect, type Page } from '@playwright/test';
import axeCore from 'axe-core';

/** From here on the columns stand side by side. */
const WIDE = 900;

/** Findings of axe on the page or in one part of it, with their places. */
export async function axeFindings(page: Page, within = 'html'): Promise<string[]> {
  // In the middle of a transition, colours have no contrast that anybody reads.
  await page.waitForFunction(
    () =>
      !document
        .getAnimations()
        .some(
          (each) => each.playState === 'running' && each.effect?.getComputedTiming().endTime !== Infinity,
        ),
  );
  return await findings(page, within);
}

/** The contrast in the theme that is not shown, since nothing else depends on it. */
export async function otherThemesFindings(page: Page, within = 'html'): Promise<string[]> {
  const shown = await page.evaluate(() => document.documentElement.dataset.theme);
  const other = shown === 'light' ? 'dark' : 'light';
  await showTheme(page, other);
  const found = await findings(page, within, 'color-contrast');
  await showTheme(page, shown);
  return found.map((finding) => `${other}: ${finding}`);
}

/** Loads axe once a page. The package `@axe-core/playwright` evaluates it for every look, which takes half as long again. */
async function findings(page: Page, within: string, rule?: string): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeCore.source);
  return await page.evaluate(
    async ([within, rule]) => {
      const { axe } = window as unknown as { axe: typeof axeCore };
      const { violations } = await axe.run(within, {
        resultTypes: ['violations'],
        ...(rule && { runOnly: { type: 'rule', values: [rule] } }),
      });
      return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
    },
    [within, rule] as const,
  );
}

const showTheme = (page: Page, theme: string | undefined): Promise<void> =>
  page.evaluate((shown) => {
    if (shown === undefined) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = shown;
  }, theme);

/** Elements beyond the edge of the window, except in boxes that scroll sideways. */
export const overEdge = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const scrollsSideways = (node: Element | null): boolean =>
      node !== null &&
      (/auto|scroll/.test(getComputedStyle(node).overflowX) || scrollsSideways(node.parentElement));
    const over = [...document.querySelectorAll('body *')].filter((node) => {
      const box = node.getBoundingClientRect();
      const isSeen = box.width > 1 && box.height > 1 && node.checkVisibility();
      return (
        isSeen && (box.right > innerWidth + 0.5 || box.left < -0.5) && !scrollsSideways(node.parentElement)
      );
    });
    const wide = document.documentElement.scrollWidth > innerWidth ? ['the page scrolls sideways'] : [];
    return [...wide, ...over.map((node) => node.outerHTML.slice(0, 160))];
  });

/** Targets too small for a finger: less than 44 px in either direction. */
export const tooSmall = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('button, summary, [role="tab"], [role="switch"], [role="combobox"]')]
      .filter((node) => node.checkVisibility({ visibilityProperty: true }))
      // Explanations of the words they stand on: as inline links, they are as large as their word.
      .filter((node) => !node.matches('dt button, th button, .cursor-help'))
      .flatMap((node) => {
        // The pressed area may be larger than the drawn one.
        const beyond = getComputedStyle(node, '::after');
        const isTarget = beyond.content !== 'none' && beyond.position === 'absolute';
        // A field is as large as its frame.
        const frame = node instanceof HTMLInputElement ? (node.parentElement ?? node) : node;
        const box = frame.getBoundingClientRect();
        const width = Math.max(box.width, isTarget ? Number.parseFloat(beyond.width) : 0);
        const height = Math.max(box.height, isTarget ? Number.parseFloat(beyond.height) : 0);
        const isHidden = box.width <= 1 || box.height <= 1;
        const name = node.getAttribute('aria-label') ?? node.textContent ?? '';
        return isHidden || (width >= 43.5 && height >= 43.5) ? [] : [`${name} ${width} x ${height}`];
      }),
  );

/** Expects no findings of axe; on a narrow window also nothing beyond its edge and no small targets. */
export async function expectGoodLooks(page: Page, what: string, within?: string): Promise<void> {
  expect.soft(await axeFindings(page, within), what).toEqual([]);
  if ((page.viewportSize()?.width ?? 0) >= WIDE) return;
  expect.soft(await overEdge(page), `${what}: over the edge`).toEqual([]);
  expect.soft(await tooSmall(page), `${what}: too small`).toEqual([]);
}
