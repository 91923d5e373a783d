import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { createServer } from 'vite';
import { launchChromium } from '../browser.ts';

/** Opens the bench's own page in a real Chromium, cross-origin isolated as the product's page is. */
export async function withBenchPage<T>(run: (page: Page) => Promise<T>): Promise<T> {
  const server = await createServer({
    configFile: false,
    root: fileURLToPath(new URL('./page', import.meta.url)),
    logLevel: 'error',
    worker: { format: 'es' },
    // A package that is discovered while the page runs would reload it.
    optimizeDeps: { noDiscovery: true },
    server: {
      port: 0,
      host: '127.0.0.1',
      fs: { allow: [fileURLToPath(new URL('../..', import.meta.url))] },
      headers: {
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Cross-Origin-Embedder-Policy': 'require-corp',
      },
    },
  });
  await server.listen();
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.goto(server.resolvedUrls?.local[0] ?? '');
    return await run(page);
  } finally {
    await browser.close();
    await server.close();
  }
}
