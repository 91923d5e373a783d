import { defineConfig } from 'vitest/config';

/**
 * Apart from `vite.config.ts`, which loads the modules of the server: each start of Vitest would bundle them twice, and each
 * module of a test would pass through the plugins of the page.
 */
export default defineConfig({
  test: {
    environment: 'node',
    setupFiles: 'e2e/support/protocols.ts',
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{src,e2e}/**/*.test.{ts,tsx}'],
          exclude: ['**/*.long.test.ts', 'e2e/clients/**'],
        },
      },
      {
        extends: true,
        // Takes minutes, or seconds for what is rare: `npm run test:long`.
        test: { name: 'long', include: ['e2e/**/*.long.test.ts'] },
      },
      {
        extends: true,
        test: {
          // The endpoints behave the same with another engine, through the relay, and behind faults that change nothing.
          name: 'detour',
          include: ['src/server/endpoint-sockets.test.ts'],
          env: { VOICEWIRE_TEST_DETOUR: '1' },
        },
      },
    ],
    // Only what hangs ends by time: real speech on a busy machine may take long.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // For two cores: while some tests wait, others compute.
    maxWorkers: 3,
    pool: 'threads',
    // Half of the processor's time would go into loading the same modules for each file.
    isolate: false,
  },
});
