/**
 * Finds a Chromium for the tests, or installs one. Run by `npm test`; `executablePath()` is what Playwright gets.
 * The order: CHROMIUM_PATH, Playwright's own download, well-known places, then Debian's package or Playwright's
 * download, then an error that names the remedies.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium } from '@playwright/test';

function wellKnownPlaces(): string[] {
  if (process.platform === 'darwin') {
    return ['', homedir()].flatMap((root) =>
      ['Google Chrome', 'Chromium', 'Microsoft Edge'].map((app) =>
        join(root, '/Applications', `${app}.app`, 'Contents/MacOS', app),
      ),
    );
  }
  if (process.platform === 'win32') {
    const roots = ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].map((name) => process.env[name]);
    return roots
      .filter((root) => root !== undefined)
      .flatMap((root) => [
        join(root, 'Google/Chrome/Application/chrome.exe'),
        join(root, 'Chromium/Application/chrome.exe'),
        join(root, 'Microsoft/Edge/Application/msedge.exe'),
      ]);
  }
  return [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome-stable',
    '/usr/bin/google-chrome',
    '/usr/bin/microsoft-edge',
    '/snap/bin/chromium',
  ];
}

/** The path of a browser that is already there, or undefined. A wrong CHROMIUM_PATH is an error, not a hint. */
export function executablePath(): string | undefined {
  const asked = process.env.CHROMIUM_PATH;
  if (asked) {
    if (!existsSync(asked)) throw new Error(`CHROMIUM_PATH names ${asked}, and there is no such file.`);
    return asked;
  }
  return [chromium.executablePath(), ...wellKnownPlaces()].find((path) => path !== '' && existsSync(path));
}

/** Only root needs this. A plain user keeps the sandbox. */
export const SANDBOX_ARGS: readonly string[] = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

/** Starts a Chromium for programs that are no tests. */
export function launchChromium(...args: string[]): Promise<Browser> {
  const path = executablePath();
  return chromium.launch({ ...(path ? { executablePath: path } : {}), args: [...args, ...SANDBOX_ARGS] });
}

function install(): void {
  const run = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: 'inherit' });
  try {
    if (existsSync('/etc/debian_version') && process.getuid?.() === 0) {
      run('apt-get', 'update', '-qq');
      run('apt-get', 'install', '-qq', '-y', '--no-install-recommends', 'chromium');
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
