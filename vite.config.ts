import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { voicewireServer } from './src/server/vite-plugin.ts';

export default defineConfig({
  plugins: [react(), tailwindcss(), voicewireServer()],
  // Addresses of files are relative, so that the page can be hosted under any path.
  base: './',
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    // Nothing is inlined as a data: address, which the page's policy would refuse.
    assetsInlineLimit: 0,
    // The tokenizer's table is this large, and is loaded only when a model is simulated.
    chunkSizeWarningLimit: 2500,
    // Small shared modules in one chunk: dozens of tiny files compress worse and cost a request each.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'common', minShareCount: 3, maxModuleSize: 3000 }] } },
    },
  },
  test: {
    environment: 'node',
    include: ['src/**/*.test.{ts,tsx}'],
    // Real speech takes its time on a machine that does something else as well; a test that hangs is told apart all the same.
    testTimeout: 30_000,
    // The default leaves one core of two idle.
    maxWorkers: 2,
    // The page's paint scheduler is shared by modules: a frame that one file leaves pending would stop the next one's.
    pool: 'threads',
  },
});
