/**
 * Finds a Chromium for the tests, or installs one. Run by `npm test`. Where none is there, it installs Debian's package
 * or Playwright's download, or ends with an error that names the remedies.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium } from '@playwright/test';
import { chromiumPath, launch } from '#command/measure/chromium.ts';

/** Path of the browser that Playwright gets; undefined where none is there. */
export const executablePath = (): string | undefined => chromiumPath(chromium);

/** Starts a Chromium for programs that are no tests. */
export const launchChromium = (...args: string[]): Promise<Browser> => launch(chromium, args);

function install(): void {
  const run = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: 'inherit' });
  try {
    if (existsSync('/etc/debian_version') && process.getuid?.() === 0) {
      run('apt-get', 'update', '-qq');
      run('apt-get', 'install', '-qq', '-y', '--no-install-recommends', 'chromium-headless-shell');
    } else {
      run(process.platform === 'win32' ? 'npx.cmd' : 'npx', 'playwright', 'install', 'chromium');
    }
  } catch {
    // The check that follows says what to do.
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    if (!executablePath()) install();
    const path = executablePath();
    if (!path) {
      throw new Error(
        'No Chromium was found and none could be installed. Install Chromium or Chrome by your system’s package manager, ' +
          'or run "npx playwright install chromium", or set CHROMIUM_PATH to a browser.',
      );
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
