import { createRequire } from 'node:module';
import { digestOf } from './digest.mjs';

/** Former versions of the vendor's library, such as `3`. They drop the path of a base URL without a final slash. */

const [, , version] = process.argv;
const { createClient, LiveTTSEvents } = createRequire(import.meta.url)(`deepgram-sdk-${version}`);

const MODEL = 'aura-2-thalia-en';
const LINEAR_16 = { encoding: 'linear16', sample_rate: 24_000 };

const address = `${process.env.VOICEWIRE_DEEPGRAM_URL}/`;
const clientOf = (credentials) =>
  createClient({
    ...credentials,
    global: {
      fetch: { options: { url: address } },
      websocket: { options: { url: address.replace('http', 'ws') } },
    },
  });

async function* calls(client) {
  const { result, error } = await client.models.getAll();
  if (error) throw error;
  yield `${result.tts.length} models, ${result.tts[0].canonical_name}`;
  const file = await client.speak.request({ text: 'A whole file of MP3.' }, { model: MODEL });
  yield await digestOf(await file.getStream());
  const samples = { model: MODEL, ...LINEAR_16, container: 'none' };
  yield await digestOf(await (await client.speak.request({ text: 'Samples only.' }, samples)).getStream());
}

async function* socket(client) {
  const live = client.speak.live({ model: MODEL, ...LINEAR_16 });
  const audio = [];
  live.on(LiveTTSEvents.Audio, (part) => audio.push(part));
  const next = (type) =>
    new Promise((resolve, reject) => {
      live.once(type, resolve);
      live.once(LiveTTSEvents.Error, reject);
    });
  const said = async (...texts) => {
    for (const text of texts) live.sendText(text);
    const flushed = next(LiveTTSEvents.Flushed);
    live.flush();
    await flushed;
    return digestOf(audio.splice(0));
  };
  await next(LiveTTSEvents.Open);
  yield await said('Good morning. ', 'Your train leaves at 9.30 from track four. ');
  yield await said('Is there anything else? ');
  const closed = next(LiveTTSEvents.Close);
  live.requestClose();
  await closed;
}

const client = clientOf({ key: 'local' });
const { result, error } = await client.auth.grantToken();
if (error) throw error;
const speaker = version === '3' ? client : clientOf({ accessToken: result.access_token });
for (const lines of [calls(client), socket(speaker)])
  for await (const line of lines) process.stdout.write(`${line}\n`);
