import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommonServerOptions, createServer, resolveConfig, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { pagePolicy, SECURITY_HEADERS } from './headers.ts';
import { SocketClient } from './socket-client.test-helper.ts';
import { voicewireServer } from './vite-plugin.ts';

/** What `npm run dev` serves: Vite's page and sockets beside ours. */

let directory: string;
let vite: ViteDevServer;
let host: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'voicewire-vite-'));
  const page = '<!doctype html><title>Voicewire</title><script type="module" src="/page.js"></script>';
  await writeFile(join(directory, 'index.html'), page);
  await writeFile(join(directory, 'page.js'), 'export {};');
  vi.stubEnv('HOST', '');
  vi.stubEnv('PORT', '0');
  vite = await start();
  host = hostOf(vite);
});

async function start(): Promise<ViteDevServer> {
  const server = await createServer({
    configFile: false,
    root: directory,
    logLevel: 'silent',
    optimizeDeps: { noDiscovery: true },
    plugins: [voicewireServer()],
  });
  return server.listen();
}

function hostOf({ httpServer }: ViteDevServer): string {
  const address = httpServer?.address();
  if (typeof address !== 'object' || address === null) throw new Error('Vite does not listen');
  return `127.0.0.1:${address.port}`;
}

afterAll(async () => {
  await vite.close();
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true });
});

it("leaves host and port to Vite's own options, and otherwise to the environment", async () => {
  const resolved = async (options: CommonServerOptions) => {
    const plugins = [voicewireServer()];
    const given = { configFile: false, plugins, server: options, preview: options } as const;
    const { server, preview } = await resolveConfig(given, 'serve');
    return [server, preview].map(({ host, port, strictPort }) => [host, port, strictPort]);
  };
  expect(await resolved({})).toEqual(Array(2).fill(['127.0.0.1', 0, true]));
  const asked = { host: '127.0.0.2', port: 4600, strictPort: false };
  expect(await resolved(asked)).toEqual(Array(2).fill(Object.values(asked)));
});

describe('development', () => {
  it('has the headers of production, with one nonce that every script of the page carries', async () => {
    const response = await fetch(`http://${host}/`);
    const body = await response.text();
    const nonce = /script-src 'self' 'nonce-([\w-]{22})'/.exec(
      response.headers.get('content-security-policy') ?? '',
    )?.[1];
    expect(Object.fromEntries(response.headers)).toMatchObject({
      ...Object.fromEntries(
        Object.entries(SECURITY_HEADERS).map(([name, value]) => [name.toLowerCase(), value]),
      ),
      'content-security-policy': pagePolicy(String(nonce), { host, extra: [] }, 'developing'),
    });
    const scripts = body.match(/<script\b[^>]*>/g) ?? [];
    expect(scripts.length).toBeGreaterThan(0);
    for (const script of scripts) expect(script).toContain(`nonce="${nonce}"`);
  });

  it('has the endpoints of production', async () => {
    expect(await (await fetch(`http://${host}/health`)).json()).toEqual({ status: 'healthy' });
    const { voices } = (await (await fetch(`http://${host}/kugel/v1/voices?api_key=local`)).json()) as {
      voices: unknown[];
    };
    expect(voices.length).toBeGreaterThan(0);
    const client = new SocketClient(`ws://${host}/kugel/ws/tts/stream?api_key=local`);
    await client.send({ voice_id: 1071, text: 'Hi', flush: true, close_socket: true });
    expect((await client.closed).code).toBe(1000);
    expect(client.kinds().at(-1)).toBe('session_closed');
  });

  it("lets Vite's own socket pass by, and answers 404 to other paths", async () => {
    const token = vite.config.webSocketToken;
    const socket = new WebSocket(`ws://${host}/?token=${token}`, 'vite-hmr');
    const [connected] = await once(socket, 'message');
    expect(JSON.parse(String(connected))).toEqual({ type: 'connected' });
    socket.terminate();
    const upgrade = request(`http://${host}/nothing`, {
      headers: { Connection: 'Upgrade', Upgrade: 'websocket' },
    }).end();
    const [answer] = await once(upgrade, 'response');
    expect(answer.statusCode).toBe(404);
    answer.resume();
  });
});
