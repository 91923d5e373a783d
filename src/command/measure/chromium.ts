import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserType } from 'playwright-core';
import { messageOf } from '#lib/message-of.ts';
import { CommandError } from '../command-error.ts';

function wellKnownPlaces(): string[] {
  if (process.platform === 'darwin') {
    return ['', homedir()].flatMap((root) =>
      ['Google Chrome', 'Chromium', 'Microsoft Edge'].map((app) =>
        join(root, '/Applications', `${app}.app`, 'Contents/MacOS', app),
      ),
    );
  }
  if (process.platform === 'win32') {
    const roots = ['ProgramFiles', 'ProgramFiles(x86)', 'LocalAppData'].map((name) => process.env[name]);
    return roots
      .filter((root) => root !== undefined)
      .flatMap((root) => [
        join(root, 'Google/Chrome/Application/chrome.exe'),
        join(root, 'Chromium/Application/chrome.exe'),
        join(root, 'Microsoft/Edge/Application/msedge.exe'),
      ]);
  }
  return [
    // Takes a third less of the processor than the same version with a window.
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome-stable',
    '/usr/bin/google-chrome',
    '/usr/bin/microsoft-edge',
    '/snap/bin/chromium',
  ];
}

/**
 * Returns the path of a browser that is already there, or undefined.
 * The order: CHROMIUM_PATH, Playwright's own download, well-known places. A wrong CHROMIUM_PATH is an error, not a hint.
 */
export function chromiumPath(chromium: BrowserType): string | undefined {
  const asked = process.env.CHROMIUM_PATH;
  if (asked) {
    if (!existsSync(asked)) {
      throw new CommandError(`CHROMIUM_PATH names ${asked}, and there is no such file.`);
    }
    return asked;
  }
  return [chromium.executablePath(), ...wellKnownPlaces()].find((path) => path !== '' && existsSync(path));
}

/** Only root needs this. A plain user keeps the sandbox. */
export const SANDBOX_ARGS: readonly string[] = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

/** Starts the Chromium that {@link chromiumPath} finds. */
export function launch(chromium: BrowserType, args: readonly string[]): Promise<Browser> {
  const path = chromiumPath(chromium);
  return chromium.launch({ ...(path ? { executablePath: path } : {}), args: [...args, ...SANDBOX_ARGS] });
}

/** Starts a Chromium by Playwright, both of which the user installs. @throws CommandError that says how */
export async function launchInstalled(): Promise<Browser> {
  const { chromium } = await import('playwright-core').catch((error: unknown) => {
    throw new CommandError(
      `measure drives a browser by playwright-core, which cannot be loaded (${(error as NodeJS.ErrnoException).code ?? messageOf(error)}). Install it beside voicewire: npm install playwright-core`,
    );
  });
  if (chromiumPath(chromium) === undefined) {
    throw new CommandError(
      'measure found no Chromium. Install Chromium or Chrome by your system’s package manager, or run "npx playwright-core install chromium", or set CHROMIUM_PATH to a browser.',
    );
  }
  return await launch(chromium, []);
}
