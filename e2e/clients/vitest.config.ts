import { defineConfig } from 'vitest/config';

/** `npm run test:clients`, which installs what these tests need. */
export default defineConfig({
  test: {
    include: ['e2e/clients/*.test.ts'],
    // Only what hangs ends by time.
    testTimeout: 300_000,
  },
});
