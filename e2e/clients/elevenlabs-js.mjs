import { ElevenLabsClient } from '@elevenlabs/elevenlabs-js';
import { digestOf } from './digest.mjs';

/** The vendor's own library. Its address and its key are all that is not as at the vendor. */

const client = new ElevenLabsClient({
  baseUrl: process.env.VOICEWIRE_ELEVENLABS_URL,
  apiKey: 'local',
});

/** Text and audio of answers with timestamps. */
async function timedDigestOf(parts) {
  const characters = [];
  const audio = [];
  for await (const { audioBase64, alignment } of parts) {
    characters.push(...(alignment?.characters ?? []));
    audio.push(Buffer.from(audioBase64, 'base64'));
  }
  return `${JSON.stringify(characters.join(''))}, ${await digestOf(audio)}`;
}

const { voices } = await client.voices.getAll();
const found = await client.voices.search({ pageSize: 3, search: 'a' });
const models = await client.models.list();
const subscription = await client.user.subscription.get();
const [{ voiceId }] = voices;

const { textToSpeech } = client;
const pcm = { modelId: 'eleven_flash_v2_5', outputFormat: 'pcm_24000' };
const lines = [
  `${voices.length} voices, found ${found.voices.map(({ name }) => name).join(', ')}`,
  `${models.length} models, ${models[0].modelId}`,
  `tier ${subscription.tier}, ${subscription.characterLimit} characters`,
  await digestOf(
    await textToSpeech.convert(voiceId, { text: 'A whole file of MP3.', modelId: 'eleven_multilingual_v2' }),
  ),
  await digestOf(await textToSpeech.stream(voiceId, { text: 'A stream of samples.', ...pcm })),
  await timedDigestOf([
    await textToSpeech.convertWithTimestamps(voiceId, { text: 'It is 9.30 here.', ...pcm }),
  ]),
  await timedDigestOf(
    await textToSpeech.streamWithTimestamps(voiceId, { text: 'First one. And another one.', ...pcm }),
  ),
];
process.stdout.write(`${lines.join('\n')}\n`);
