import { Hono } from 'hono';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFakeClock } from './fake-clock.test-helper.ts';
import type { Rest } from './rest.ts';
import type { RunningServer } from './running-server.ts';
import { createTestEngine } from './test-engine.test-helper.ts';
import { startTestServer } from './test-server.test-helper.ts';
import { createTestParts } from './vendor-parts.test-helper.ts';
import type { VendorServer } from './vendor-server.ts';
import { loadVendorServers } from './vendors.ts';

type EnvOf<R> = R extends Hono<infer E> ? E : never;

const HEADERS = {
  Authorization: 'Bearer local',
  'xi-api-key': 'local',
  'X-API-Key': 'local',
  'Cartesia-Version': '2026-08-14',
};

let server: RunningServer;
beforeAll(async () => {
  server = await startTestServer({ engine: createTestEngine() });
});
afterAll(() => server.stop());

/** All calls of a vendor, with a value for each parameter. */
function callsOf(name: string, { open }: VendorServer): [method: string, path: string][] {
  const rest: Rest = new Hono<EnvOf<Rest>>().basePath(`/${name}`);
  open(createTestParts(createTestEngine(), createFakeClock())).rest.routes(rest);
  const calls = rest.routes.filter(({ method }) => method !== 'ALL');
  return [
    ...new Set(calls.map(({ method, path }) => `${method} ${path.replaceAll(/:\w+(?:\{[^}]*\})?/g, '0')}`)),
  ]
    .map((call) => call.split(' ') as [string, string])
    .concat([['GET', `/${name}`]]);
}

/** Status and body of an answer, without what is new in each. */
async function answerTo(method: string, path: string): Promise<unknown[]> {
  const answer = await fetch(server.http + path, { method, headers: HEADERS });
  const type = answer.headers.get('content-type');
  const body = type?.includes('json') ? await answer.text() : String((await answer.arrayBuffer()).byteLength);
  return [answer.status, type, body.replaceAll(/"[\w.-]{32,}"/g, '"new"')];
}

it.each([...(await loadVendorServers())])(
  'answers every call of %s with a slash at the end as without',
  async (name, vendor) => {
    const calls = callsOf(name, vendor);
    expect(calls.length).toBeGreaterThan(1);
    for (const [method, path] of calls)
      expect([path, ...(await answerTo(method, `${path}/`))]).toEqual([
        path,
        ...(await answerTo(method, path)),
      ]);
  },
);

it('answers lists and the host itself', async () => {
  for (const path of [
    '/cartesia/voices/',
    '/cartesia',
    '/cartesia/',
    '/elevenlabs/v1/voices/',
    '/kugel/v1/models/',
  ])
    expect([path, (await fetch(server.http + path, { headers: HEADERS })).status]).toEqual([path, 200]);
});
