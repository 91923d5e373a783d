import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { serverAddress } from '#command/measure/server-process.ts';
import { endWithUs } from '#lib/testing/end-with-us.ts';
import type { ProbedFigures } from './server-probe.ts';

/** The real server in a process of its own, as `npm start` runs it, from what is built. */
export interface LocalServer {
  http: string;
  ws: string;
  pid: number;
  /** Resident memory of the process with its threads, in MiB; NaN where the system does not tell. */
  residentMiB(): number;
  /** The most that it has been since the start. */
  peakMiB(): number;
  /** Status with which it ended; null while it runs. */
  status(): number | null;
  stop(): Promise<void>;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
}

export interface WatchedFigures extends ProbedFigures {
  /** Of the heap: frames and calls of clients, which the server keeps within a bound of its own. */
  capturedMiB: number;
}

/** A server whose faults and memory are watched from outside. */
export interface WatchedServer extends LocalServer {
  /** Rejects where the process has ended. */
  probe(): Promise<WatchedFigures>;
  /** So far: lines on standard error, which logs nothing else, and the end of a process that nobody stopped. */
  faults(): readonly string[];
}

const PROGRAM = 'build/command/voicewire.js';

type Environment = Readonly<Record<string, string>>;

/**
 * Listens on a free port where the environment names none.
 * @param environment what is set for it besides this process's own
 * @param page directory of the built page
 */
export async function startLocalServer(environment: Environment = {}, page = 'dist'): Promise<LocalServer> {
  const child = endWithUs(
    spawn(process.execPath, [PROGRAM, '--page', page], {
      env: { ...process.env, PORT: '0', ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  return serverOf(child, await serverAddress(child, child.stdout));
}

/** Starts a server that logs faults only, with a probe in its process. The server's own code knows nothing of it. */
export async function startWatchedServer(environment: Environment = {}): Promise<WatchedServer> {
  const child = endWithUs(
    spawn(process.execPath, ['--expose-gc', '--import', await probeModule(), PROGRAM], {
      env: { ...process.env, PORT: '0', ...environment, LOG_LEVEL: 'error', VOICEWIRE_METRICS: 'on' },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    }),
  );
  const faults: string[] = [];
  let isStopped = false;
  child.once('exit', (code, signal) => {
    if (!isStopped) faults.push(`the end of its process with ${code ?? signal}`);
  });
  if (child.stderr) createInterface({ input: child.stderr }).on('line', (line) => faults.push(line));
  const server = serverOf(child, await serverAddress(child, child.stdout));
  return {
    ...server,
    faults: () => faults,
    async probe() {
      const figures = once(child, 'message', { signal: AbortSignal.timeout(PROBE_WITHIN_MS) });
      child.send('figures');
      const capturedMiB = (await metricOf(server, 'voicewire_captured_bytes')) / 2 ** 20;
      return { ...((await figures)[0] as ProbedFigures), capturedMiB };
    },
    stop() {
      isStopped = true;
      return server.stop();
    },
  };
}

/** Returns the probe as a module that needs no loader, whose memory and start would be measured as well. */
async function probeModule(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    build: { ssr: fileURLToPath(new URL('./server-probe.ts', import.meta.url)), write: false },
  });
  const [output] = [built].flat();
  if (!output || !('output' in output)) throw new Error('The probe is not built.');
  return `data:text/javascript,${encodeURIComponent(output.output[0].code)}`;
}

/** The first value of a metric, where `VOICEWIRE_METRICS` is on. */
export async function metricOf({ http }: LocalServer, name: string): Promise<number> {
  const text = await (await fetch(`${http}/metrics`)).text();
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (.+)$`, 'm').exec(text)?.[1]);
}

const PROBE_WITHIN_MS = 30_000;

/** Twice the five seconds within which a server shuts down. */
const STOPPED_WITHIN_MS = 10_000;

function serverOf(child: ChildProcess, http: string): LocalServer {
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    const tooLate = setTimeout(() => child.kill('SIGKILL'), STOPPED_WITHIN_MS);
    await ended;
    clearTimeout(tooLate);
  };
  const memoryMiB = (line: RegExp): number => {
    try {
      return Number(line.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;
    } catch {
      return Number.NaN;
    }
  };
  return {
    http,
    ws: http.replace(/^http/, 'ws'),
    pid: child.pid ?? 0,
    residentMiB: () => memoryMiB(/VmRSS:\s+(\d+)/),
    peakMiB: () => memoryMiB(/VmHWM:\s+(\d+)/),
    status: () => child.exitCode,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}
