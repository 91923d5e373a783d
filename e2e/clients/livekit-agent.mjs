import { once } from 'node:events';
import { AudioByteStream, initializeLogger, shortuuid, tts, voice } from '@livekit/agents';
import WebSocket from 'ws';
import { Ear } from './livekit-ear.mjs';

/** A plugin for LiveKit Agents that speaks KugelAudio's `/ws/tts/stream`. No package on npm does. */

const SAMPLE_RATE = 24_000;

class KugelTTS extends tts.TTS {
  label = 'kugel.TTS';
  #base;

  constructor(base) {
    super(SAMPLE_RATE, 1, { streaming: true });
    this.#base = base.replace(/^http/, 'ws');
  }

  synthesize() {
    throw new Error('Only streams are spoken.');
  }

  stream({ connOptions } = {}) {
    return new KugelStream(this, `${this.#base}/ws/tts/stream?api_key=local`, connOptions);
  }
}

class KugelStream extends tts.SynthesizeStream {
  label = 'kugel.SynthesizeStream';
  #address;

  constructor(owner, address, connOptions) {
    super(owner, connOptions);
    this.#address = address;
  }

  async run() {
    const socket = new WebSocket(this.#address);
    this.abortSignal.addEventListener('abort', () => socket.close(1000));
    await once(socket, 'open');
    const send = (message) => socket.send(JSON.stringify(message));
    const received = this.#receive(socket);
    send({ voice_id: 1071, model_id: 'kugel-3', sample_rate: SAMPLE_RATE, language: 'en' });
    for await (const text of this.input) {
      if (text === KugelStream.FLUSH_SENTINEL) send({ flush: true });
      else {
        this.markStarted();
        send({ text });
      }
    }
    send({ close_socket: true });
    await received;
  }

  async #receive(socket) {
    const requestId = shortuuid();
    let segmentId = shortuuid();
    const frames = new AudioByteStream(SAMPLE_RATE, 1);
    const put = (frame) => this.queue.put({ requestId, segmentId, frame, final: false });
    socket.on('message', (data) => {
      const message = JSON.parse(String(data));
      if (message.audio) for (const frame of frames.write(Buffer.from(message.audio, 'base64'))) put(frame);
      if (!message.final) return;
      for (const frame of frames.flush()) put(frame);
      this.queue.put(KugelStream.END_OF_STREAM);
      segmentId = shortuuid();
    });
    await once(socket, 'close');
  }
}

initializeLogger({ pretty: false, level: 'error' });
const session = new voice.AgentSession({ tts: new KugelTTS(process.env.VOICEWIRE_KUGEL_URL) });
const ear = new Ear(SAMPLE_RATE);
session.output.audio = ear;
await session.start({ agent: new voice.Agent({ instructions: 'Greet.' }) });
for (const text of ['Good morning. Your train leaves at nine.', 'Is there anything else?'])
  await session.say(text).waitForPlayout();
await session.close();
process.stdout.write(`${ear.samples} samples, ${ear.heard.digest('hex')}\n`);
process.exit(0);
