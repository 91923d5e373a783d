import { createRequire } from 'node:module';
import { DeepgramVoice } from '@mastra/voice-deepgram';
import { digestOf } from './digest.mjs';

/**
 * The voice of Mastra. It takes no base URL, so that its client of the vendor is replaced by one that has it, of the version
 * that the voice depends on.
 */

const ofVoice = createRequire(createRequire(import.meta.url).resolve('@mastra/voice-deepgram'));
const { createClient } = ofVoice('@deepgram/sdk');

const url = `${process.env.VOICEWIRE_DEEPGRAM_URL}/`;
const voice = new DeepgramVoice({ speechModel: { apiKey: 'local' } });
voice.speechClient = createClient('local', { global: { fetch: { options: { url } } } });

const lines = [
  await digestOf(await voice.speak('A voice without settings.')),
  await digestOf(await voice.speak('Another speaker.', { speaker: 'orion-en' })),
  await digestOf(await voice.speak('Samples only.', { encoding: 'linear16', container: 'none' })),
];
process.stdout.write(`${lines.join('\n')}\n`);
