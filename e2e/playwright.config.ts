import { defineConfig } from '@playwright/test';
import { SANDBOX_ARGS } from '#command/measure/chromium.ts';
import { executablePath } from './browser.ts';
import { CANARY } from './support/canary.ts';
import { PORT, RELAYED_PORT } from './support/ports.ts';

const path = executablePath();

export default defineConfig({
  testDir: '.',
  // Unit tests are named `.test.ts`.
  testMatch: '*.spec.ts',
  outputDir: '../test-results',
  projects: [
    // Samples and underruns are counted in real time: after the others, two pages at a time. `--no-deps` runs them alone.
    { name: 'sound', grep: /@sound/, fullyParallel: true, dependencies: ['page'], workers: 2 },
    // Nothing here depends on every sample.
    { name: 'page', grepInvert: /@sound|@picture/, fullyParallel: true },
    // The README's pictures, made by hand: `npm run pictures`.
    { name: 'pictures', grep: /@picture/, workers: 1 },
  ],
  // For two cores: while some pages wait, others compute.
  workers: 3,
  forbidOnly: process.env.CI !== undefined,
  // A machine that halts a process for a moment is heard, since sound is tested in real time. CI lists such a test as flaky.
  retries: process.env.CI === undefined ? 0 : 1,
  timeout: 45_000,
  expect: { timeout: 15_000 },
  reporter: [['list']],
  use: {
    baseURL: `http://127.0.0.1:${PORT}`,
    viewport: { width: 1440, height: 900 },
    // A trace of every test would take a fifth of the processor's time. By hand: `--trace on`.
    trace: 'on-first-retry',
    launchOptions: {
      ...(path ? { executablePath: path } : {}),
      args: [...SANDBOX_ARGS],
    },
  },
  webServer: {
    command: 'node build/command/voicewire.js',
    cwd: '..',
    url: `http://127.0.0.1:${PORT}/health`,
    env: {
      PORT: String(PORT),
      VOICEWIRE_KEYS: CANARY,
      VOICEWIRE_RELAY_KUGEL: `ws://127.0.0.1:${RELAYED_PORT}/kugel`,
    },
    gracefulShutdown: { signal: 'SIGTERM', timeout: 5000 },
    reuseExistingServer: false,
  },
});
