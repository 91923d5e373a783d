import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEnvironment } from '#server/environment.ts';
import { startServer } from '#server/running-server.ts';
import { serve } from '#server/serve.ts';
import { freePort } from '#server/state/redis/redis-server.test-helper.ts';
import { startProblem } from './start-error.ts';

/** `contract.md`, "Start". The process itself: `e2e/start.spec.ts`. */

describe('one line says what keeps it from starting', () => {
  const openai = { VOICEWIRE_ENGINE: 'openai', VOICEWIRE_OPENAI_KEY: 'canary' };
  it.each<
    [what: string, variables: () => Record<string, string> | Promise<Record<string, string>>, said: RegExp]
  >([
    [
      'a HOST that is not here',
      () => ({ HOST: '203.0.113.7' }),
      /^HOST 203\.0\.113\.7 is no address of this machine/,
    ],
    [
      'a VOICEWIRE_DATA that is no file',
      () => ({ VOICEWIRE_DATA: tmpdir() }),
      /^VOICEWIRE_DATA must name a file, not ".+": that is a directory\.$/,
    ],
    [
      'a speech server that is not there',
      async () => ({ ...openai, VOICEWIRE_OPENAI_URL: `http://127.0.0.1:${await freePort()}/v1` }),
      /^The voices of VOICEWIRE_OPENAI_URL cannot be listed: the speech server cannot be reached, code ECONNREFUSED\. Name them in a file: VOICEWIRE_VOICES\.$/,
    ],
    [
      'a Redis that is not there',
      () => ({ VOICEWIRE_REDIS: 'redis://:canary@127.0.0.1:1' }),
      /^VOICEWIRE_REDIS: redis:\/\/127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)/,
    ],
  ])('%s', async (_, variables, said) => {
    const environment = readEnvironment({ PORT: '0', LOG_LEVEL: 'silent', ...(await variables()) });
    const problem = startProblem(await startServer(environment).catch((error: unknown) => error));
    expect(problem).toMatch(said);
    expect(problem).not.toContain('\n');
    expect(problem).not.toContain('canary');
  });

  it('holds no port afterwards, which would keep its process from ending', async () => {
    const [PORT, nothing] = [String(await freePort()), `http://127.0.0.1:${await freePort()}/v1`];
    const environment = readEnvironment({ PORT, ...openai, VOICEWIRE_OPENAI_URL: nothing });
    await expect(startServer(environment)).rejects.toThrow('cannot be listed');
    await expect(fetch(`http://127.0.0.1:${PORT}/`)).rejects.toMatchObject({
      cause: { code: 'ECONNREFUSED' },
    });
  });

  it('a page that is not built', async () => {
    const error = await serve(readEnvironment({ PORT: '0' }), join(tmpdir(), 'nothing')).catch(
      (reason) => reason,
    );
    expect(startProblem(error)).toMatch(/not built yet\. Use npm start/);
  });
});
