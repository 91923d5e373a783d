import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { socketLimits } from '../environment.ts';
import type { RunningServer } from '../running-server.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { startTestServer } from '../test-server.test-helper.ts';

/**
 * The clients that the vendor publishes (`facts 8`), as far as `facts 6.3` tells how they go about it, in the style of a
 * browser and written here anew: what they wait for, what they send when, and what they make of the answers.
 */

let server: RunningServer;
const sockets: WebSocket[] = [];

beforeAll(async () => {
  server = await startTestServer();
}, 60_000);
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.terminate();
});
afterAll(() => server.stop());

function connect(at = `${server.ws}/murmr/v1/realtime`): WebSocket {
  const socket = new WebSocket(at);
  socket.binaryType = 'arraybuffer';
  // A browser tells of it in its console; the close that follows is what a client handles.
  socket.addEventListener('error', () => {});
  sockets.push(socket);
  return socket;
}

type Message = { type: string } & Record<string, unknown>;

const say = (socket: WebSocket, message: Message): void => socket.send(JSON.stringify(message));

const CONFIG: Message = {
  type: 'config',
  api_key: 'local',
  voice_description: 'A warm, professional narrator, calm and measured',
  language: 'English',
};

/** What the clients do with audio (`facts 6.3.21`): samples to floats, buffers back to back, never in the past. */
class Playback {
  seconds = 0;
  loudest = 0;
  #endsAt = 0;

  play(bytes: ArrayBuffer | Uint8Array): void {
    const samples = new Int16Array(Uint8Array.from(new Uint8Array(bytes as ArrayBuffer)).buffer);
    for (const sample of samples) this.loudest = Math.max(this.loudest, Math.abs(sample / 32_768));
    const startsAt = Math.max(performance.now() / 1000, this.#endsAt);
    this.#endsAt = startsAt + samples.length / 24_000;
    this.seconds += samples.length / 24_000;
  }
}

describe('quick start', () => {
  it('config on open, text and flush on config_ack, plays audio, ends on done', async () => {
    const playback = new Playback();
    const socket = connect();
    const done = new Promise<Message>((resolve, reject) => {
      socket.onopen = () => say(socket, CONFIG);
      socket.onclose = ({ code }) => reject(new Error(`closed with ${code}`));
      socket.onmessage = ({ data }) => {
        const message = JSON.parse(String(data)) as Message;
        if (message.type === 'config_ack') {
          say(socket, { type: 'text', text: 'Hello from the quick start.' });
          say(socket, { type: 'flush' });
        } else if (message.type === 'audio') {
          playback.play(Buffer.from(String(message.chunk), 'base64'));
        } else if (message.type === 'done') resolve(message);
      };
    });
    expect((await done).duration_ms).toBe(Math.round(playback.seconds * 1000));
    expect(playback.loudest).toBeGreaterThan(0.1);
  });

  it('the tokens of a language model go out as they come, and one flush at the end', async () => {
    const socket = connect();
    let done = 0;
    const finished = new Promise<void>((resolve) => {
      socket.onopen = () => say(socket, CONFIG);
      socket.onmessage = ({ data }) => {
        const message = JSON.parse(String(data)) as Message;
        if (message.type === 'config_ack') {
          const answer =
            'Of course. Paris is the capital of France, and it lies on the Seine. It has two million people.';
          for (const token of answer.split(/(?<=\w)(?=\W)/)) say(socket, { type: 'text', text: token });
          say(socket, { type: 'flush' });
          say(socket, { type: 'ping' });
        } else if (message.type === 'done') {
          done += 1;
          if (done === 2) resolve();
        }
      };
    });
    await finished;
  });
});

describe('binary client', () => {
  it('requests bytes on config_ack, speaks on binary_mode_ack, separates frames by their kind', async () => {
    const playback = new Playback();
    const socket = connect();
    const done = new Promise<Message>((resolve, reject) => {
      socket.onopen = () => say(socket, CONFIG);
      socket.onmessage = ({ data }) => {
        if (data instanceof ArrayBuffer) {
          playback.play(data);
          return;
        }
        const message = JSON.parse(String(data)) as Message;
        if (message.type === 'config_ack') say(socket, { type: 'binary_mode' });
        else if (message.type === 'binary_mode_ack') {
          say(socket, { type: 'text', text: 'Hello, world!' });
          say(socket, { type: 'flush' });
        } else if (message.type === 'done') resolve(message);
        else reject(new Error(`unexpected ${message.type}`));
      };
    });
    expect((await done).duration_ms).toBe(Math.round(playback.seconds * 1000));
    expect(playback.loudest).toBeGreaterThan(0.1);
  });
});

describe('6.3.19 reconnecting client', () => {
  const RETRIES = new Set([1000, 1001, 4004, 4005]);

  /** Speaks once; what it waited for before each new try. */
  async function speakReconnecting(key: string, at: string, beforeTry: (tries: number) => Promise<void>) {
    const waitsMs: number[] = [];
    for (let tries = 0; ; tries += 1) {
      const socket = connect(at);
      const end = await new Promise<number | 'spoken'>((resolve) => {
        socket.onopen = () => {
          say(socket, { ...CONFIG, api_key: key });
          say(socket, { type: 'text', text: 'Here I am again.' });
          say(socket, { type: 'flush' });
        };
        socket.onmessage = ({ data }) => {
          if ((JSON.parse(String(data)) as Message).type === 'done') resolve('spoken');
        };
        socket.onclose = ({ code }) => resolve(code);
      });
      if (end === 'spoken' || !RETRIES.has(end) || tries === 5) return { end, waitsMs };
      waitsMs.push(Math.min(1000 * 2 ** tries, 30_000));
      await beforeTry(tries);
    }
  }

  it('comes back when there is room again, and speaks', async () => {
    const small = await startTestServer({ engine: createTestEngine(), limits: socketLimits(1) });
    const at = `${small.ws}/murmr/v1/realtime`;
    const first = connect(at);
    await once(first, 'open');
    const { end, waitsMs } = await speakReconnecting('local', at, async (tries) => {
      if (tries !== 2) return;
      first.close();
      await once(first, 'close');
    });
    expect({ end, waitsMs }).toEqual({ end: 'spoken', waitsMs: [1000, 2000, 4000] });
    await small.stop();
  });

  it('gives up after five tries', async () => {
    const full = await startTestServer({ engine: createTestEngine(), limits: socketLimits(0) });
    const { end, waitsMs } = await speakReconnecting('local', `${full.ws}/murmr/v1/realtime`, async () => {});
    expect({ end, waitsMs }).toEqual({ end: 4004, waitsMs: [1000, 2000, 4000, 8000, 16_000] });
    await full.stop();
  });

  it('never tries a key again that was refused', async () => {
    const at = `${server.ws}/murmr/v1/realtime`;
    expect(await speakReconnecting('wrong', at, async () => {})).toEqual({ end: 4002, waitsMs: [] });
  });
});

describe('6.3.20 React hook', () => {
  it('is connected on config_ack, plays from the first audio to done, and keeps the latency', async () => {
    const states: string[] = [];
    let latencyMs: unknown = null;
    let isPlaying = false;
    const socket = connect();
    const speakTwice = new Promise<void>((resolve) => {
      const speak = (text: string) => {
        say(socket, { type: 'text', text });
        say(socket, { type: 'flush' });
      };
      socket.onopen = () => say(socket, CONFIG);
      socket.onmessage = ({ data }) => {
        const message = JSON.parse(String(data)) as Message;
        if (message.type === 'config_ack') {
          states.push('connected');
          speak('The first one.');
        } else if (message.type === 'audio' && !isPlaying) {
          isPlaying = true;
          states.push('playing');
        } else if (message.type === 'done') {
          isPlaying = false;
          states.push('not playing');
          latencyMs = message.first_chunk_latency_ms;
          if (states.length === 3) speak('And the second.');
          else socket.close();
        }
      };
      socket.onclose = () => {
        states.push('disconnected');
        resolve();
      };
    });
    await speakTwice;
    const eachTime = ['playing', 'not playing'];
    expect(states).toEqual(['connected', ...eachTime, ...eachTime, 'disconnected']);
    expect(latencyMs).toBeGreaterThanOrEqual(0);
  });
});

describe('proxy that keeps the key', () => {
  it('puts the key into the config of a page that has none, and passes on all else either way', async () => {
    const proxy = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(proxy, 'listening');
    proxy.on('connection', (page) => {
      const vendor = connect();
      const early: string[] = [];
      const pass = (text: string) => {
        const message = JSON.parse(text) as Message;
        say(vendor, message.type === 'config' ? { ...message, api_key: 'local' } : message);
      };
      page.on('message', (data) => {
        if (vendor.readyState === WebSocket.OPEN) pass(String(data));
        else early.push(String(data));
      });
      vendor.on('open', () => early.forEach(pass));
      vendor.on('message', (data, isBinary) => page.send(data as ArrayBuffer, { binary: isBinary }));
    });
    const { port } = proxy.address() as { port: number };
    const { api_key: _, ...withoutKey } = CONFIG;
    const page = connect(`ws://127.0.0.1:${port}`);
    const done = new Promise<void>((resolve) => {
      page.onopen = () => {
        say(page, withoutKey as Message);
        say(page, { type: 'text', text: 'Through the proxy.' });
        say(page, { type: 'flush' });
      };
      page.onmessage = ({ data }) => {
        if ((JSON.parse(String(data)) as Message).type === 'done') resolve();
      };
    });
    await done;
    proxy.close();
  });
});
