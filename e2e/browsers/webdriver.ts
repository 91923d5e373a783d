import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '#server/state/redis/redis-server.test-helper.ts';
import type { DrivenBrowser } from './main.ts';

const MINI_BROWSER = '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser';
const STARTED_WITHIN_MS = 15_000;

/** Drives WebKitGTK's small browser by the driver that comes with it, which speaks the first WebDriver protocol. */
export async function startWebKit(driver: string, environment: NodeJS.ProcessEnv): Promise<DrivenBrowser> {
  const port = await freePort();
  const child = spawn('xvfb-run', ['-a', driver, `--port=${port}`], {
    stdio: 'ignore',
    env: environment,
    // A group of its own: the display and the driver outlive the script that starts them.
    detached: true,
  });
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, body: JSON.stringify(body) });
    const { value } = (await answer.json()) as { value: { error?: string; message?: string } | null };
    if (value?.error) throw new Error(`${value.error}: ${value.message}`);
    return value;
  };
  const untilMs = performance.now() + STARTED_WITHIN_MS;
  while (!(await call('GET', '/status').catch(() => null))) {
    if (performance.now() > untilMs) throw new Error(`${driver} does not answer.`);
    await setTimeout(100);
  }
  const options = { binary: MINI_BROWSER, args: ['--automation'] };
  const { sessionId, capabilities } = (await call('POST', '/session', {
    capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } },
  })) as { sessionId: string; capabilities: { browserVersion: string } };
  const session = `/session/${sessionId}`;
  return {
    version: `WebKitGTK ${capabilities.browserVersion}`,
    async open(url) {
      await call('POST', `${session}/url`, { url });
    },
    evaluate: (expression) =>
      call('POST', `${session}/execute/sync`, { script: `return ${expression}`, args: [] }),
    async press(path) {
      const element = await call('POST', `${session}/element`, { using: 'xpath', value: path });
      await call('POST', `${session}/element/${Object.values(element as object)[0]}/click`, {});
    },
    async close() {
      await call('DELETE', session).catch(() => {});
      const ended = once(child, 'exit');
      if (child.pid) process.kill(-child.pid, 'SIGTERM');
      await ended;
    },
  };
}
