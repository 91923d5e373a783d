import { once } from 'node:events';
import { initializeLogger, voice } from '@livekit/agents';
import { digestOf } from './digest.mjs';
import { Ear } from './livekit-ear.mjs';

/** An agent with the plugin for the vendor in the argument. Its address and its key are all that is not as at the vendor. */

const [vendor] = process.argv.slice(2);
const { TTS } = await import(`@livekit/agents-plugin-${vendor}`);
const url = process.env[`VOICEWIRE_${vendor.toUpperCase()}_URL`];

initializeLogger({ pretty: false, level: 'error' });
// The plugin for ElevenLabs has another name for it.
const tts = new TTS({ baseUrl: url, baseURL: `${url}/v1`, apiKey: 'local' });

async function saidBy(session, text) {
  const ear = new Ear(tts.sampleRate);
  session.output.audio = ear;
  await session.say(text).waitForPlayout();
  return `${ear.samples} samples, ${ear.heard.digest('hex')}`;
}

/** The model is still writing when the person interrupts. */
async function interrupted(session) {
  const ear = new Ear(tts.sampleRate);
  session.output.audio = ear;
  const isHeard = once(ear, voice.AudioOutput.EVENT_PLAYBACK_STARTED);
  const text = new ReadableStream({
    start: (model) => model.enqueue('The story that I tell is a long one. It begins in the night, when'),
  });
  const speech = session.say(text);
  await isHeard;
  speech.interrupt();
  await speech.waitForPlayout();
  return `interrupted: ${speech.interrupted}`;
}

async function unstreamed(text) {
  const frames = [];
  for await (const { frame } of tts.synthesize(text)) frames.push(frame);
  return digestOf(frames.map(({ data }) => Buffer.from(data.buffer, data.byteOffset, data.byteLength)));
}

const session = new voice.AgentSession({ tts });
await session.start({ agent: new voice.Agent({ instructions: 'Greet.' }) });
const lines = [
  await saidBy(
    session,
    'Good morning, and welcome on board. Your train leaves at 9.30 from track four. Have a good trip!',
  ),
  await interrupted(session),
  await saidBy(session, 'Is there anything else that I can do?'),
];
// The other plugins call over TLS only.
if (vendor === 'elevenlabs') {
  lines.push(JSON.stringify((await tts.listVoices()).slice(0, 3)));
  lines.push(await unstreamed('Good night, and thank you for calling.'));
}
await session.close();
await tts.close();
process.stdout.write(`${lines.join('\n')}\n`);
process.exit(0);
