import Cartesia from 'cartesia-js-1';
import { WebSocket } from 'ws';
import { digestOf } from './digest.mjs';

/** Version 1 of the vendor's library, which drops the path of its base URL: the vendor is at the root. */

const TEXT =
  'The story that I tell is a long one. It begins in the night, when nobody was on the road, and it ends in the morning. ';
const VOICE = { mode: 'id', id: 'a0e99841-438c-4a64-b679-ae501e7d6091' };
const SPEECH = { model_id: 'sonic-3.6', voice: VOICE };

const { origin } = new URL(process.env.VOICEWIRE_CARTESIA_URL);
const client = new Cartesia({ apiKey: 'local', baseUrl: origin });

async function* calls() {
  const voices = await client.voices.list();
  yield `${voices.length} voices, ${voices[0].name}`;
  const { name } = await client.voices.get(VOICE.id);
  yield name;
  const file = { container: 'mp3', encoding: 'mp3', sample_rate: 44_100 };
  const bytes = await client.tts.bytes({
    ...SPEECH,
    transcript: 'A whole file of MP3.',
    output_format: file,
  });
  yield await digestOf([Buffer.from(bytes)]);
}

const samplesOf = async ({ source }) => {
  const room = new Float32Array(4096);
  const samples = [];
  for (let read = await source.read(room); read > 0; read = await source.read(room))
    samples.push(Buffer.from(room.buffer.slice(0, read * room.BYTES_PER_ELEMENT)));
  return digestOf(samples);
};

async function* contexts() {
  const socket = client.tts.websocket({ container: 'raw', encoding: 'pcm_f32le', sampleRate: 44_100 });
  await socket.connect({ WebSocket });
  const words = [];
  const timed = await socket.send({ ...SPEECH, transcript: TEXT, add_timestamps: true });
  timed.on('timestamps', (timestamps) => words.push(...timestamps.words));
  yield await samplesOf(timed);
  yield words.join(' ');
  const context = { ...SPEECH, context_id: 'a-context' };
  const first = await socket.send({ ...context, transcript: 'Good morning. ', continue: true });
  await socket.continue({ ...context, transcript: 'Your train leaves at 9.30 ' });
  await socket.continue({ ...context, transcript: 'from track four.', continue: false });
  yield await samplesOf(first);
  socket.disconnect();
}

for (const lines of [calls(), contexts()]) for await (const line of lines) process.stdout.write(`${line}\n`);
