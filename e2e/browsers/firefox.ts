import { launch } from 'puppeteer-core';
import type { DrivenBrowser } from './main.ts';

/** Drives a Firefox as it is installed. Playwright drives only a build of its own. */
export async function startFirefox(program: string, environment: NodeJS.ProcessEnv): Promise<DrivenBrowser> {
  const browser = await launch({
    browser: 'firefox',
    executablePath: program,
    env: environment as Record<string, string>,
  });
  const page = await browser.newPage();
  await page.setViewport({ width: 1440, height: 900 });
  return {
    version: await browser.version(),
    async open(url) {
      await page.goto(url);
    },
    evaluate: (expression) => page.evaluate(expression),
    async press(path) {
      const button = await page.$(`::-p-xpath(${path})`);
      if (!button) throw new Error(`The page has no ${path}.`);
      await button.click();
    },
    close: () => browser.close(),
  };
}
