import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** The real server in a process of its own, as `npm start` runs it. */
export interface LocalServer {
  http: string;
  ws: string;
  /** Resident memory of the process with its threads, in MiB; NaN where the system does not tell. */
  residentMiB(): number;
  stop(): Promise<void>;
}

/** @param environment what is set for it besides this process's own */
export async function startLocalServer(
  port: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<LocalServer> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/server/main.ts'], {
    env: { ...process.env, ...environment, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`The server ended with ${code} before it was ready.`);
    }),
  ]);
  const http = String(line).replace(/^.* at /, '');
  return {
    http,
    ws: http.replace(/^http/, 'ws'),
    residentMiB() {
      try {
        const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
        return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
      } catch {
        return Number.NaN;
      }
    },
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
