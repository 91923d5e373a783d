import { DeepgramClient } from '@deepgram/sdk';
import { digestOf } from './digest.mjs';

/** The vendor's own library. Its address and its key are all that is not as at the vendor. */

const TEXT =
  'The story that I tell is a long one. It begins in the night, when nobody was on the road, and it ends in the morning. ';
const LINEAR_16 = { encoding: 'linear16', sample_rate: 24_000 };
const BYTES_PER_SECOND = 48_000;

function clientOf(base, credentials) {
  const sockets = base.replace('http', 'ws');
  const environment = { base, production: sockets, agent: sockets, agentRest: base };
  return new DeepgramClient({ environment, ...credentials });
}

const isAudio = (message) => message instanceof Blob;
const isOf = (type) => (message) => message.type === type;

/** A socket that is open, and its messages up to the one that a caller waits for, or up to its close. */
async function opened(socket) {
  const messages = socket[Symbol.asyncIterator]();
  socket.connect();
  await socket.waitForOpen();
  return async (isLast) => {
    const read = [];
    for (;;) {
      const { value, done } = await messages.next();
      if (done) return read;
      read.push(value);
      if (isLast(value)) return read;
    }
  };
}

const audioOf = async (messages) =>
  digestOf([Buffer.from(await new Blob(messages.filter(isAudio)).arrayBuffer())]);
const typesOf = (messages) =>
  messages
    .filter((message) => !isAudio(message))
    .map(({ type }) => type)
    .join(' ');

async function* version1(client) {
  const socket = await client.speak.v1.createConnection({ model: 'aura-2-thalia-en', ...LINEAR_16 });
  const readTo = await opened(socket);
  const say = (...texts) => {
    for (const text of texts) socket.sendText({ type: 'Speak', text });
    socket.sendFlush({ type: 'Flush' });
  };
  say('Good morning. ', 'Your train leaves at 9.30 from track four. ');
  const first = await readTo(isOf('Flushed'));
  yield `${typesOf(first)}, ${await audioOf(first)}`;
  say(TEXT);
  await readTo(isAudio);
  socket.sendClear({ type: 'Clear' });
  // A busy machine may clear a turn that is delivered, so its end may come first.
  yield typesOf(await readTo(isOf('Cleared'))).replace('Flushed ', '');
  say('Is there anything else? ');
  yield await audioOf(await readTo(isOf('Flushed')));
  say('Good night. ');
  socket.sendClose({ type: 'Close' });
  const rest = await readTo(() => false);
  yield `${typesOf(rest)}, ${await audioOf(rest)}`;
}

/** The server goes away in the middle of a turn, and the library connects again by itself. */
async function* reconnected(client) {
  const socket = await client.speak.v1.createConnection({ model: 'aura-2-thalia-en', ...LINEAR_16 });
  const readTo = await opened(socket);
  const say = (text) => {
    socket.sendText({ type: 'Speak', text });
    socket.sendFlush({ type: 'Flush' });
  };
  await readTo(isOf('Metadata'));
  say(TEXT);
  yield await audioOf(await readTo(isOf('Metadata')));
  say('Good night. ');
  socket.sendClose({ type: 'Close' });
  yield await audioOf(await readTo(() => false));
}

async function* version2(client) {
  const socket = await client.speak.v2.createConnection({ model: 'flux-hannah-en', ...LINEAR_16 });
  const readTo = await opened(socket);
  const say = (...texts) => {
    for (const text of texts) socket.sendSpeak({ type: 'Speak', text });
    socket.sendFlush({ type: 'Flush' });
  };
  socket.sendConfigure({ type: 'Configure', speed: 1.05 });
  yield typesOf(await readTo(isOf('ConfigureSuccess')));
  say('Good morning. ', 'Your train ', 'leaves at 9.30 ', 'from track four.');
  const first = await readTo(isOf('SpeechMetadata'));
  yield `${typesOf(first)}, ${await audioOf(first)}`;
  say(TEXT);
  let heardBytes = 0;
  await readTo(({ size = 0 }) => {
    heardBytes += size;
    return heardBytes >= BYTES_PER_SECOND;
  });
  const heardMs = first.at(-1).audio_duration_ms + 1000;
  socket.sendInterrupt({ type: 'Interrupt', playback_offset: { type: 'time_ms', value: heardMs } });
  const { text_spoken, text_remaining } = (await readTo(isOf('SpeechInterrupted'))).at(-1);
  yield JSON.stringify({ text_spoken, text_remaining });
  say('Is there anything else?');
  say('Good night.');
  socket.sendClose({ type: 'Close' });
  const rest = await readTo(() => false);
  yield `${typesOf(rest)}, ${await audioOf(rest)}`;
}

async function* calls(client) {
  const { tts } = await client.manage.v1.models.list();
  yield `${tts.length} models, ${tts[0].canonical_name}`;
  const speech = { text: 'A whole file of MP3.', model: 'aura-2-thalia-en' };
  yield await digestOf((await client.speak.v1.audio.generate(speech)).stream());
  const samples = { text: 'Samples only.', model: 'flux-hannah-en', ...LINEAR_16, container: 'none' };
  yield await digestOf((await client.speak.v2.audio.generate(samples)).stream());
}

const address = process.env.VOICEWIRE_DEEPGRAM_URL;
const client = clientOf(address, { apiKey: 'local' });
const { access_token: accessToken } = await client.auth.v1.tokens.grant();
const faulty = address.replace('/deepgram', '/faults/close=1011@60/deepgram');
const programs = [
  calls(client),
  version1(client),
  version2(clientOf(address, { accessToken })),
  reconnected(clientOf(faulty, { apiKey: 'local' })),
];
for (const lines of programs) for await (const line of lines) process.stdout.write(`${line}\n`);
