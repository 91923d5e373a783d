import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { initializeLogger, voice } from '@livekit/agents';
import { TTS } from '@livekit/agents-plugin-elevenlabs';
import { Ear } from './livekit-ear.mjs';

/** An agent with the plugin for ElevenLabs. Its address and its key are all that is not as at the vendor. */

initializeLogger({ pretty: false, level: 'error' });
const tts = new TTS({
  baseURL: `${process.env.VOICEWIRE_ELEVENLABS_URL}/v1`,
  apiKey: 'local',
});

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
  const hash = createHash('sha256');
  let samples = 0;
  for await (const { frame } of tts.synthesize(text)) {
    hash.update(Buffer.from(frame.data.buffer, frame.data.byteOffset, frame.data.byteLength));
    samples += frame.samplesPerChannel;
  }
  return `${samples} samples, ${hash.digest('hex')}`;
}

const session = new voice.AgentSession({ tts });
await session.start({ agent: new voice.Agent({ instructions: 'Greet.' }) });
const lines = [
  JSON.stringify((await tts.listVoices()).slice(0, 3)),
  await saidBy(
    session,
    'Good morning, and welcome on board. Your train leaves at 9.30 from track four. Have a good trip!',
  ),
  await interrupted(session),
  await saidBy(session, 'Is there anything else that I can do?'),
  await unstreamed('Good night, and thank you for calling.'),
];
await session.close();
await tts.close();
process.stdout.write(`${lines.join('\n')}\n`);
process.exit(0);
