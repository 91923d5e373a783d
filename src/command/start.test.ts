import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readEnvironment } from '#server/environment.ts';
import { startServer } from '#server/running-server.ts';
import { serve } from '#server/serve.ts';
import { SpeechPool } from '#server/speech/espeak/speech-pool.ts';
import { freePort } from '#server/state/redis/redis-server.test-helper.ts';
import { createTestEngine } from '#server/test-engine.test-helper.ts';
import { startCommand } from './start.ts';
import { startProblem } from './start-error.ts';

/** `contract.md`, "Start". The process itself: `e2e/start.spec.ts`. */

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

  describe('closes its engine, which would keep its process from ending', () => {
    const PORT = '0';
    const data = join(tmpdir(), `voicewire-start-${process.pid}.json`);
    afterEach(async () => {
      vi.restoreAllMocks();
      for (const path of [data, `${data}.lock`]) await rm(path, { force: true });
    });

    it('after a data file whose content is not valid, and gives the file back', async () => {
      await writeFile(data, '{"format":"voicewire-data/1","kugel_voices":{"last_id":-5,"voices":[]}}');
      const engine = { ...createTestEngine(), close: vi.fn(async () => {}) };
      const start = () => startServer(readEnvironment({ PORT, VOICEWIRE_DATA: data }), { engine });
      await expect(start()).rejects.toThrow('last_id: expected at least 100000, got -5');
      expect(engine.close).toHaveBeenCalledOnce();
      await writeFile(data, '');
      await (await start()).stop();
    });

    it('after a warm-up that fails', async () => {
      vi.spyOn(SpeechPool.prototype, 'synthesize').mockImplementation(() => {
        throw new Error('no speech');
      });
      const close = vi.spyOn(SpeechPool.prototype, 'close');
      await expect(startServer(readEnvironment({ PORT }))).rejects.toThrow('no speech');
      expect(close).toHaveBeenCalledOnce();
    });
  });

  it('a page that is not built', async () => {
    const error = await serve(readEnvironment({ PORT: '0' }), join(tmpdir(), 'nothing')).catch(
      (reason) => reason,
    );
    expect(startProblem(error)).toMatch(/not built yet\. Use npm start/);
  });
});
