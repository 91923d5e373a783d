import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { Marked, Renderer } from 'marked';
import { createViteLicensePlugin } from 'rollup-license-plugin';
import { defineConfig, type Plugin } from 'vite';
import { BOOK_POLICY } from './src/server/headers.ts';
import { voicewireServer } from './src/server/vite-plugin.ts';

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Returns the directories of the packages that the style sheet imports. No JavaScript module imports these. */
const packagesOfStyles = (): string[] =>
  [...readFileSync(pathOf('src/app/styles.css'), 'utf8').matchAll(/@import "((?:@[^/"]+\/)?[^/"]+)/g)].map(
    ([, name]) => pathOf(`node_modules/${name}`),
  );

const mit = (holder: string): string => `MIT License

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** `public/lgpl-2.1.txt` is the text of the licence. */
const MPG123 = `The decoder within, mpg123:

Copyright (c) 1995-2023 by Michael Hipp, Thomas Orgis, and others, free software under the terms of the LGPL 2.1, see
lgpl-2.1.txt beside this file. Source, and how to build the package from it:
https://github.com/eshaz/wasm-audio-decoders and https://www.mpg123.de`;

/** Licences of packages that contain no licence file. Of vad-web, only Silero's model is used. */
const WITHOUT_FILE: Readonly<Record<string, string>> = {
  'onnxruntime-web': mit('Microsoft Corporation'),
  '@wasm-audio-decoders/common': mit('Ethan Halsall'),
  'mpg123-decoder': `The wrapper:\n\n${mit('Ethan Halsall')}\n\n${MPG123}`,
  '@ricky0123/vad-web': `The model silero_vad_v6.onnx:\n\n${mit('2020-present Silero Team')}`,
};

/** Writes the licences of all bundled packages to `licences.txt`. */
const licences = createViteLicensePlugin({
  outputFilename: false,
  includePackages: packagesOfStyles,
  additionalFiles: {
    'licences.txt': (packages) =>
      packages
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map(({ name, version, license, licenseText: text }) => {
          const licenseText = text || WITHOUT_FILE[name];
          if (!licenseText) throw new Error(`${name}: expected a licence file in the package, got none.`);
          return `${name} ${version} (${license})\n\n${licenseText.trim()}\n`;
        })
        .join(`\n${'='.repeat(80)}\n\n`),
  },
});

/** Collects the packages of workers, each of which is a bundle of its own. The bundle of the page writes the file. */
const licencesOfWorkers = { ...licences, generateBundle: undefined };

/** Fonts and recordings are compressed already. The page itself is different in each response. */
const COMPRESSIBLE = /\.(?:js|css|svg|txt)$|protocols.\w+\.html$/;
/** Files of many megabytes, which the microphone's worker unpacks itself. Only their packed form is published. */
const PACKED = /\.(?:wasm|onnx)$/;
/** Quality 11 saves 2 % and takes twice the time, for which `npm start` waits. */
const BROTLI_QUALITY = 10;

const gzipped = (bytes: Uint8Array): Promise<Uint8Array> => promisify(gzip)(bytes, { level: 9 });

/** Writes a brotli and a gzip form beside each built file. The server chooses among them by the file's name. */
const compressed: Plugin = {
  name: 'voicewire-compressed',
  apply: 'build',
  async writeBundle({ dir = '' }) {
    const paths = (await readdir(dir, { recursive: true })).map((name) => join(dir, name));
    const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } };
    await Promise.all(
      paths
        .filter((path) => COMPRESSIBLE.test(path))
        .map(async (path) => {
          const bytes = await readFile(path);
          await Promise.all([
            promisify(brotliCompress)(bytes, brotli).then((written) => writeFile(`${path}.br`, written)),
            gzipped(bytes).then((written) => writeFile(`${path}.gz`, written)),
          ]);
        }),
    );
    for (const path of paths.filter((each) => PACKED.test(each))) {
      await writeFile(`${path}.gz`, await gzipped(await readFile(path)));
      await rm(path);
    }
  },
};

const BOOK = pathOf('docs/protocols/');
const BOOK_PAGES = readdirSync(BOOK).map((name) => name.replace('.md', ''));
const bookText = (name: string): string => readFileSync(`${BOOK}${name}.md`, 'utf8');
const bookTitle = (name: string): string => /^# (.*)/.exec(bookText(name))?.[1] ?? name;

/** A page of the protocol book. Links to the other docs, which are not built, are plain text. */
function bookPage(name: string): string {
  const ids = new Map<string, number>();
  const marked = new Marked({
    renderer: {
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const isHere = /^(?:#|https:|[^/]+\.md)/.test(href);
        return isHere ? `<a href="${href.replace(/\.md(?=#|$)/, '.html')}">${text}</a>` : text;
      },
      table(token) {
        return `<div class="wide">${Renderer.prototype.table.call(this, token)}</div>`;
      },
      heading({ tokens, depth, text }) {
        const slug = text
          .toLowerCase()
          .replace(/[^\p{L}\p{N}\s_-]/gu, '')
          .replaceAll(' ', '-');
        const repeats = ids.get(slug) ?? 0;
        ids.set(slug, repeats + 1);
        const id = repeats === 0 ? slug : `${slug}-${repeats}`;
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>`;
      },
    },
  });
  const pages = BOOK_PAGES.map((page) => `<a href="${page}.html">${bookTitle(page)}</a>`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${bookTitle(name)} · Voicewire</title>
<link rel="stylesheet" href="book.css">
<nav>${pages.join('\n')}</nav>
<main>
${marked.parse(bookText(name))}</main>
`;
}

/** Puts the protocol book beside the page, whose findings lead to its statements. */
const book: Plugin = {
  name: 'voicewire-book',
  generateBundle() {
    for (const name of BOOK_PAGES)
      this.emitFile({ type: 'asset', fileName: `protocols/${name}.html`, source: bookPage(name) });
  },
  configureServer({ middlewares }) {
    middlewares.use((request, response, next) => {
      const name = /^\/protocols\/(\w+)\.html$/.exec(request.url ?? '')?.[1];
      if (!name || !BOOK_PAGES.includes(name)) return next();
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.setHeader('Content-Security-Policy', BOOK_POLICY);
      response.end(bookPage(name));
    });
  },
};

/**
 * Fails where chunks import each other. Then a module can run before one that it needs, depending on which part of the page
 * asks first.
 */
const oneWay: Plugin = {
  name: 'voicewire-one-way',
  apply: 'build',
  generateBundle(_, bundle) {
    const done = new Set<string>();
    const follow = (name: string, path: readonly string[]): void => {
      if (path.includes(name)) this.error(`Chunks import each other: ${[...path, name].join(' → ')}`);
      const chunk = bundle[name];
      if (done.has(name) || chunk?.type !== 'chunk') return;
      for (const imported of chunk.imports) follow(imported, [...path, name]);
      done.add(name);
    };
    for (const name of Object.keys(bundle)) follow(name, []);
  },
};

/**
 * Tries each dynamic import twice, the second time at an address of its own: browsers keep the failure of an address until the
 * page is reloaded, so that a part which could not be loaded once could not be loaded again.
 */
const importedAgain: Plugin = {
  name: 'voicewire-imported-again',
  apply: 'build',
  renderChunk: (code) => ({
    code: code.replace(/\bimport\((["'`])(\.\/[^"'`]+\.js)\1\)/g, (whole, _, path) => {
      return `${whole}.catch(() => import(\`${path}?again=\${Date.now()}\`))`;
    }),
    map: null,
  }),
};

/**
 * Leaves out the modules of vendors that no export in use needs. Not in `core`, where the
 * import of `zod.ts` configures the validator.
 */
const TREESHAKE = {
  moduleSideEffects: [{ test: /src.protocol.(?!core)/, sideEffects: false }],
};

/** Only the other modes and dialogs share it. An idle page does not fetch it ahead. */
const OF_MODES =
  /src.benchmark|app.(?:present|gallery|compare|benchmark)|session-client.runner|trace.(?:secrets|files)|share.(?:link|packed)|browser.save-file|favourites-store/;
/** Loads once the pointer or the focus reaches what opens something. */
const OF_POPUPS = /@base-ui|@floating-ui|app.ui.(?:popups.\w+-parts?|select-parts|tooltip-part)/;
/** Few visits check words, in the studio or in a benchmark. */
const OF_TRANSCRIPTION = /app.transcription|text.spoken|lib.wav|n2words|p-limit|yocto-queue/;

/** Names the chunk of what the parts of one vendor share. */
const sharedOfVendor = (id: string): string => `shared-${/protocol.(\w+)/.exec(id)?.[1]}`;

export default defineConfig({
  plugins: [react(), tailwindcss(), voicewireServer(), licences, book, importedAgain, oneWay, compressed],
  // Addresses of files are relative, so that the page can be hosted under any path.
  base: './',
  worker: {
    format: 'es',
    plugins: () => [licencesOfWorkers, importedAgain],
    rolldownOptions: {
      checks: { pluginTimings: false },
      treeshake: TREESHAKE,
      output: {
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'], priority: 3 },
            // A vendor's part waits for two further files at most.
            { name: 'shared', minShareCount: 2, test: /src.protocol.core|node_modules.zod/, priority: 2 },
            { name: sharedOfVendor, minShareCount: 2, test: /src.protocol.(?!lint|core)/, priority: 1 },
            { name: 'lint', minShareCount: 2, test: /src.protocol.lint/ },
          ],
        },
      },
    },
  },
  build: {
    target: 'es2022',
    // Nothing is inlined as a data: address, which the page's policy would refuse.
    assetsInlineLimit: 0,
    // The tokenizer's table is this large, and is loaded only when a model is simulated.
    chunkSizeWarningLimit: 2500,
    // Few chunks: dozens of tiny files compress worse and cost a request each. The first view is one of them, and what
    // several later parts share is another.
    rolldownOptions: {
      treeshake: TREESHAKE,
      checks: {
        // Compression takes most of the time, and no warning about it shortens it.
        pluginTimings: false,
        // A module of `common` is loaded on demand all the same.
        ineffectiveDynamicImport: false,
      },
      output: {
        // A shared chunk would be named after all parts that share it.
        chunkFileNames: ({ name }) => `assets/${name.replace(/~.*/, '')}-[hash].js`,
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'], priority: 4 },
            { name: 'editor', test: /@codemirror|@lezer|editor.code-editor/, priority: 3 },
            // The page needs those of all vendors at once.
            { name: 'protocols', test: /src.protocol.\w+.(?:wire|protocols)/, priority: 3 },
            {
              name: 'common',
              minShareCount: 2,
              priority: 2,
              test: (id: string) => ![OF_MODES, OF_POPUPS, OF_TRANSCRIPTION].some((part) => part.test(id)),
            },
            { name: 'modes', minShareCount: 2, priority: 1, test: OF_MODES },
            { name: 'popups', priority: 1, test: OF_POPUPS },
            { name: 'transcription', minShareCount: 2 },
          ],
        },
      },
    },
  },
});
