import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { readEnvironment } from './src/server/environment.ts';
import { voicewireServer } from './src/server/vite-plugin.ts';

const { host, port } = readEnvironment(process.env);

export default defineConfig({
  plugins: [react(), tailwindcss(), voicewireServer()],
  server: { host, port, strictPort: true },
  preview: { host, port, strictPort: true },
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    // Nothing is inlined as a data: address, which the page's policy would refuse.
    assetsInlineLimit: 0,
  },
  test: {
    environment: 'node',
    include: ['src/**/*.test.{ts,tsx}'],
  },
});
