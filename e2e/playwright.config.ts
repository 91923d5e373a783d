import { defineConfig } from '@playwright/test';
import { SANDBOX_ARGS } from '#command/measure/chromium.ts';
import { executablePath } from './browser.ts';

const path = executablePath();

export default defineConfig({
  testDir: '.',
  // Unit tests are named `.test.ts`.
  testMatch: '*.spec.ts',
  outputDir: '../test-results',
  projects: [
    { name: 'page', grepInvert: /@long|@picture/, fullyParallel: true },
    // Tests that take minutes, or seconds for what is rare: `npm run test:long`.
    { name: 'long', grep: /@long/, fullyParallel: true, workers: 2 },
    // The README's pictures, made by hand: `npm run pictures`.
    { name: 'pictures', grep: /@picture/, workers: 1 },
  ],
  // For two cores: while some pages wait, others compute. With a fourth, a test of the microphone hung on slow machines.
  workers: 3,
  forbidOnly: process.env.CI !== undefined,
  // Only what hangs ends by time: a test that is slow on a busy machine has found nothing.
  timeout: 600_000,
  expect: { timeout: 150_000 },
  reporter: [['list']],
  use: {
    baseURL: process.env.E2E_ORIGIN,
    viewport: { width: 1440, height: 900 },
    // A third of what a speaking page costs is its motion, which the tests that are about it switch on.
    contextOptions: { reducedMotion: 'reduce' },
    // A trace of every test would take a fifth of the processor's time. By hand: `--trace on`.
    trace: 'off',
    launchOptions: {
      ...(path ? { executablePath: path } : {}),
      args: [...SANDBOX_ARGS],
    },
  },
  globalSetup: './support/tested-server.ts',
});
