import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { readEnvironment } from '#server/environment.ts';
import { startServer } from '#server/running-server.ts';
import { serve } from '#server/serve.ts';
import { SpeechPool } from '#server/speech/espeak/speech-pool.ts';
import { freePort } from '#server/state/redis/redis-server.test-helper.ts';
import { startCommand } from './start.ts';
import { startProblem } from './start-error.ts';

/** The start command within one process. `e2e/start.spec.ts` tests the process itself. */

it('its help names every command', async () => {
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await startCommand(['--help']);
  const help = printed.mock.calls.join('');
  printed.mockRestore();
  const program = await readFile(new URL('voicewire.ts', import.meta.url), 'utf8');
  const names = [...program.matchAll(/^ {2}\['(\w+)', async/gm)].map(([, name]) => name);
  expect(names).toContain('capture');
  for (const name of names) expect(help).toContain(`  voicewire ${name} `);
});

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

  it('closes its engine after a warm-up that fails, which would keep its process from ending', async () => {
    vi.spyOn(SpeechPool.prototype, 'synthesize').mockImplementation(() => {
      throw new Error('no speech');
    });
    const close = vi.spyOn(SpeechPool.prototype, 'close');
    await expect(startServer(readEnvironment({ PORT: '0' }))).rejects.toThrow('no speech');
    expect(close).toHaveBeenCalledOnce();
    vi.restoreAllMocks();
  });

  it('a page that is not built', async () => {
    const error = await serve(readEnvironment({ PORT: '0' }), join(tmpdir(), 'nothing')).catch(
      (reason) => reason,
    );
    expect(startProblem(error)).toMatch(/not built yet\. Use npm start/);
  });
});
