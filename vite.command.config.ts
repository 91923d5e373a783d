import { defineConfig } from 'vite';

/**
 * Bundles `src/command/voicewire.ts` for `npm pack`, because Node does not read TypeScript in `node_modules`. Packages
 * stay outside, as dependencies.
 */
export default defineConfig({
  build: {
    ssr: true,
    target: 'node20',
    // As deep as `src/command/`, so that `package-files.ts` finds the root.
    outDir: 'build/command',
    copyPublicDir: false,
    rolldownOptions: {
      input: {
        voicewire: 'src/command/voicewire.ts',
        'espeak.worker': 'src/server/speech/espeak/espeak.worker.ts',
      },
      output: {
        // The engine starts `espeak.worker.mjs` beside its own module, which is a file without tsx here.
        entryFileNames: ({ name }) => (name === 'espeak.worker' ? '[name].mjs' : '[name].js'),
        chunkFileNames: '[name]-[hash].js',
      },
    },
  },
});
