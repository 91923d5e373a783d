import { readdirSync, readFileSync } from 'node:fs';
import { ENDPOINTS, VENDORS } from '#protocol/registry.ts';
import { expect, speak, test } from './support/page.ts';
import { openLinter } from './support/protocols.ts';

const SOURCES = new URL('../src/', import.meta.url);
const OTHER_SOURCES = /^(?:server|command)\/|testing\/|\.(?:test|test-helper|bench)\.tsx?$/;

/** Returns the packages that code or styles of the page import, apart from types. */
function importedPackages(): string[] {
  const names = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:tsx?|css)$/.test(file) && !OTHER_SOURCES.test(file))
    .flatMap((file) => [
      ...readFileSync(new URL(file, SOURCES), 'utf8').matchAll(
        /^(?:import (?!type )[^'"]*|.*import\()['"]((?:@[^/'"]+\/)?[a-z][^/'"]*)|^@import "((?:@[^/"]+\/)?[^/"]+)/gm,
      ),
    ])
    .map(([, module, style]) => module ?? style ?? '');
  return [...new Set(names)].filter((name) => name !== '').sort();
}

test('the page links to the licences of everything that is bundled', async ({ page }) => {
  const packages = importedPackages();
  expect(packages).toEqual(
    expect.arrayContaining(['react', 'idb', 'gpt-tokenizer', 'tailwindcss', '@fontsource-variable/inter']),
  );
  await page.goto('/');
  await expect(speak(page)).toBeVisible();
  await page.keyboard.press('?');
  const opened = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'Licences of bundled packages' }).click();
  const popup = await opened;
  const response = await page.request.get(popup.url());
  expect(response.headers()).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
  });
  const sections = (await response.text()).split(/^=+$/m).map((section) => section.trim());
  for (const name of packages) {
    const section = sections.find((each) => each.startsWith(`${name} `));
    expect(section, name).toMatch(/^\S+ \d+\.\d+\.\d+ \([\w.-]+\)\n\n[\s\S]{500}/);
  }
});

test('the served page contains nothing of the GPL speech engine', () => {
  const dist = new URL('../dist/', import.meta.url);
  const files = readdirSync(dist, { recursive: true, withFileTypes: true })
    // The protocol book names it.
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('protocols'));
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) {
    const text = readFileSync(`${file.parentPath}/${file.name}`, 'latin1');
    expect(/espeak/i.test(text), file.name).toBe(false);
  }
});

test('the rules of a vendor are in a file that only the worker that checks recordings loads', () => {
  const anchors = ENDPOINTS.flatMap(({ id }) => openLinter(id).rules.flatMap((rule) => rule.anchors));
  expect(anchors.length).toBeGreaterThan(100);
  const assets = new URL('../dist/assets/', import.meta.url);
  const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'));
  const scriptsWith = (isIn: (text: string) => boolean) =>
    scripts.filter((name) => isIn(readFileSync(new URL(name, assets), 'utf8')));
  const withRules = scriptsWith((text) => anchors.some((anchor) => text.includes(anchor)));
  const ofVendors = withRules.filter((name) => name.startsWith('rules-'));
  expect(ofVendors).toHaveLength(VENDORS.length);
  // Those of all vendors are in a file that only theirs import.
  expect(withRules).toEqual([expect.stringMatching(/^lint-/), ...ofVendors]);
  for (const name of ofVendors)
    expect(scriptsWith((text) => text.includes(name))).toEqual([expect.stringMatching(/^worker-/)]);
});
