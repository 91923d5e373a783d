import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { WebSocket } from 'ws';
import { percentile } from '#lib/statistics/percentiles.ts';
import { endWithUs } from '#lib/testing/end-with-us.ts';
import { openSocket, TEXT } from './kugel-socket.ts';
import { printTable, times, us } from './table.ts';

const TURNS = 500;
/** Not measured, until both servers run compiled code. */
const WARM_UP = 100;

/** Some 17 s of speech. */
const LONG_TEXT = `${TEXT}In the end the children of the village knew every word of it by heart, and told it better.`;
const SETTINGS = JSON.stringify({ voice_id: 1071, language: 'en' });
const REQUEST = JSON.stringify({ text: LONG_TEXT, flush: true });

/** Speaks the turn once. */
const PROGRAM = `const { WebSocket } = require('ws');
const socket = new WebSocket(process.env.VOICEWIRE_KUGEL_URL.replace('http', 'ws') + '/ws/tts/stream?api_key=local');
socket.on('open', () => { socket.send(${JSON.stringify(SETTINGS)}); socket.send(${JSON.stringify(REQUEST)}); });
socket.on('message', (data) => { if (JSON.parse(data).session_closed) socket.close(1000); });`;

/** The shortest server: every message is sent back. */
const ECHO = `const { WebSocketServer } = require('ws');
const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
server.on('connection', (socket) => socket.on('message', (data) => socket.send(data, { binary: false })));
server.on('listening', () => console.log('echo http://127.0.0.1:' + server.address().port));`;

const VOICEWIRE = 'build/command/voicewire.js';

/** A process that prints its address on its first line, behind a name. */
async function start(...args: string[]): Promise<{ ws: string; child: ChildProcess }> {
  const child = endWithUs(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] }));
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { ws: String(line).replace(/^\w+ http/, 'ws'), child };
}

/** Resolves once the server has read everything that was sent before. */
async function settled(socket: WebSocket): Promise<void> {
  socket.ping();
  await once(socket, 'pong');
}

/** The first frame behind a request, and the last one of its turn, in ms. */
async function servedTurn(ws: string): Promise<{ firstMs: number; lastMs: number }> {
  const socket = await openSocket(`${ws}/ws/tts/stream?api_key=local`);
  socket.send(SETTINGS);
  await settled(socket);
  let firstMs = Number.NaN;
  const figures = new Promise<{ firstMs: number; lastMs: number }>((resolve) => {
    socket.on('message', (data: Buffer) => {
      const sinceMs = performance.now() - sentMs;
      if (Number.isNaN(firstMs)) firstMs = sinceMs;
      if (data.includes('"session_closed"')) resolve({ firstMs, lastMs: sinceMs });
    });
  });
  const sentMs = performance.now();
  socket.send(REQUEST);
  const turn = await figures;
  socket.close(1000);
  await once(socket, 'close');
  return turn;
}

async function echo(ws: string): Promise<number> {
  const socket = await openSocket(ws);
  await settled(socket);
  const sentMs = performance.now();
  socket.send(REQUEST);
  await once(socket, 'message');
  const roundMs = performance.now() - sentMs;
  socket.close(1000);
  await once(socket, 'close');
  return roundMs;
}

/** A turn of a served recording, beside a server that echoes its request. */
export async function benchServedTurns(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'voicewire-served-'));
  const children: ChildProcess[] = [];
  try {
    const path = join(folder, 'turn.voicewire.ndjson');
    execFileSync(
      process.execPath,
      [VOICEWIRE, 'capture', '--out', path, '--', process.execPath, '-e', PROGRAM],
      { stdio: 'ignore' },
    );
    const served = await start(VOICEWIRE, 'serve', path, '--pace', 'fast', '--repeat', '--port', '0');
    children.push(served.child);
    const echoing = await start('-e', ECHO);
    children.push(echoing.child);
    const [echoes, firsts, lasts]: [number[], number[], number[]] = [[], [], []];
    for (let round = -WARM_UP; round < TURNS; round += 1) {
      const echoMs = await echo(echoing.ws);
      const { firstMs, lastMs } = await servedTurn(served.ws);
      if (round < 0) continue;
      echoes.push(echoMs);
      firsts.push(firstMs);
      lasts.push(lastMs);
    }
    const rowOf = (what: string, each: readonly number[]) => ({
      what,
      times: String(each.length),
      p50: us(1000 * percentile(each, 0.5)),
      p95: us(1000 * percentile(each, 0.95)),
      'of the echo, p50': times(percentile(each, 0.5) / percentile(echoes, 0.5)),
      'of the echo, p95': times(percentile(each, 0.95) / percentile(echoes, 0.95)),
    });
    printTable(
      'Served recordings: from a request to the first and to the last frame of its turn',
      'At --pace fast, some 17 s of speech, over a socket on loopback. Turns and echoes of the same request are measured in turn.',
      [
        rowOf('the request, echoed', echoes),
        rowOf('first frame (target: 2 ms)', firsts),
        rowOf('last frame', lasts),
      ],
    );
  } finally {
    for (const child of children) child.kill('SIGTERM');
    await rm(folder, { recursive: true });
  }
}
