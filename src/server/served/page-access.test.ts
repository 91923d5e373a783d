import { expect, it } from 'vitest';
import { recorded, served } from './served.test-helper.ts';

const RECORDED_PAGE = 'http://127.0.0.1:1111';

/** What a browser sends for a page that lists the models. */
const listModels = async (http: string, origin: string): Promise<(string | number | null)[]> => {
  const ask = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'x-api-key' };
  const preflight = await fetch(`${http}/kugel/v1/models`, {
    method: 'OPTIONS',
    headers: { origin, ...ask },
  });
  const answer = await fetch(`${http}/kugel/v1/models`, { headers: { origin, 'x-api-key': 'local' } });
  await answer.text();
  return [
    preflight.status,
    preflight.headers.get('access-control-allow-headers'),
    answer.status,
    answer.headers.get('access-control-allow-origin'),
  ];
};

it.each([
  ['on another port of this machine', 'http://127.0.0.1:2222', 'x-api-key', 'http://127.0.0.1:2222'],
  ['of another machine', 'http://evil.example', 'x-api-key', null],
])('a page %s reads recorded answers as those of the local server', async (_, origin, headers, allowed) => {
  const calls = await recorded(({ http }) => listModels(http, RECORDED_PAGE));
  const { result, differences, left } = await served(calls, ({ http }) => listModels(http, origin));
  expect(result).toEqual([204, headers, 200, allowed]);
  expect(differences).toEqual([]);
  expect(left).toBe(0);
});

it('answers a preflight as often as a browser asks', async () => {
  const calls = await recorded(({ http }) => listModels(http, RECORDED_PAGE));
  const { result, differences } = await served(calls, async ({ http }) => {
    const first = await listModels(http, RECORDED_PAGE);
    const [status] = await listModels(http, RECORDED_PAGE);
    return [first[0], status];
  });
  expect(result).toEqual([204, 204]);
  expect(differences).toEqual(['extra: recorded nothing, got GET /v1/models']);
});
