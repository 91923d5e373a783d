import { fileURLToPath, pathToFileURL } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { packNgrams } from './src/server/speech/text/ngram-table.ts';

const READER = fileURLToPath(new URL('./src/server/speech/text/ngram-table.ts', import.meta.url));

let isPacked = false;

/** Packs the table of `eld`: as the object literal of the package, it takes 100 MB of memory and 0.4 s of the start. */
const packedNgrams: Plugin = {
  name: 'voicewire-packed-ngrams',
  transform: {
    filter: { id: /\/eld\/src\/ngrams\/\w+\.js$/ },
    async handler(_, id) {
      isPacked = true;
      const { ngrams, ...others } = (await import(pathToFileURL(id).href)).ngramsData;
      return `import { readNgrams } from ${JSON.stringify(READER)};
/*! The package eld: Copyright 2023 Nito T.M., Apache-2.0, https://github.com/nitotm/efficient-language-detector-js */
export const ngramsData = { ...${JSON.stringify(others)}, ngrams: readNgrams(${JSON.stringify(packNgrams(ngrams))}) };`;
    },
  },
  buildEnd(error) {
    if (!error && !isPacked) this.error('Expected the table of eld in the bundle, to pack it.');
  },
};

/**
 * Bundles `src/command/voicewire.ts`, because Node does not read TypeScript in `node_modules`, and starts faster without
 * a loader. Packages stay outside, as dependencies.
 */
export default defineConfig({
  plugins: [packedNgrams],
  ssr: { noExternal: ['eld'] },
  build: {
    ssr: true,
    target: 'node20',
    // As deep as `src/command/`, so that `package-files.ts` finds the root.
    outDir: 'build/command',
    copyPublicDir: false,
    rolldownOptions: {
      // Packing takes most of the time, and no warning about it shortens it.
      checks: { pluginTimings: false },
      input: {
        voicewire: 'src/command/voicewire.ts',
        'espeak.worker': 'src/server/speech/espeak/espeak.worker.ts',
        'mp3.worker': 'src/server/audio/mp3.worker.ts',
      },
      output: {
        // A worker is started from the `.mjs` beside the starting module, which is a file without tsx here.
        entryFileNames: ({ name }) => (name.endsWith('.worker') ? '[name].mjs' : '[name].js'),
        chunkFileNames: '[name]-[hash].js',
        // The server and commands load all vendors, which would be dozens of files.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [{ name: 'protocol', test: /src.protocol/ }],
        },
      },
    },
  },
});
