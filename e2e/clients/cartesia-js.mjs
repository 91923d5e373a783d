import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { createServer } from 'node:tls';
import { digestOf } from './digest.mjs';

/** The vendor's own library. Its address and its key are all that is not as at the vendor. */

// Its ES module needs the WebSocket of a browser.
const { Cartesia, CartesiaClient } = createRequire(import.meta.url)('@cartesia/cartesia-js');

const TEXT =
  'The story that I tell is a long one. It begins in the night, when nobody was on the road, and it ends in the morning. ';
const VOICE = 'a0e99841-438c-4a64-b679-ae501e7d6091';
const SPEECH = {
  model_id: 'sonic-3.6',
  voice: { id: VOICE },
  output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 24_000 },
};

/** A server that speaks TLS in front of this one. The socket of `Cartesia` speaks nothing else. */
async function secured(address) {
  const files = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-keyout', '-'];
  const pem = execFileSync('openssl', files, { stdio: ['ignore', 'pipe', 'ignore'] });
  const { hostname, port, pathname } = new URL(address);
  const front = createServer({ key: pem, cert: pem }, (client) => {
    const server = connect(Number(port), hostname);
    client.pipe(server).pipe(client);
    client.on('error', () => server.destroy());
    server.on('error', () => client.destroy());
  });
  front.listen(0, hostname).unref();
  await once(front, 'listening');
  return `https://${hostname}:${front.address().port}${pathname}`;
}

async function* calls(client) {
  const { data } = await client.voices.list({ limit: 3 });
  yield data.map(({ name }) => name).join(', ');
  const file = { container: 'mp3', sample_rate: 44_100, bit_rate: 128_000 };
  const speech = { ...SPEECH, transcript: 'A whole file of MP3.', output_format: file };
  yield await digestOf((await client.tts.generate(speech)).body);
  const events = await client.tts.generateSSE({
    ...SPEECH,
    transcript: 'It is 9.30 here.',
    add_timestamps: true,
  });
  yield await digestOfEvents(events);
}

/** Words and audio of one context. */
async function digestOfEvents(events) {
  const types = new Set();
  const words = [];
  const audio = [];
  for await (const { type, data, word_timestamps } of events) {
    types.add(type);
    if (type === 'chunk') audio.push(Buffer.from(data, 'base64'));
    words.push(...(word_timestamps?.words ?? []));
  }
  return `${[...types].join(' ')}, ${JSON.stringify(words.join(' '))}, ${await digestOf(audio)}`;
}

async function* contexts(client) {
  const socket = await client.tts.websocket({ rejectUnauthorized: false });
  const first = socket.context({ ...SPEECH, add_timestamps: true });
  await first.push({ transcript: 'Good morning. ', flush: true });
  await first.push({ transcript: 'Your train leaves at 9.30 from track four.' });
  await first.no_more_inputs();
  yield await digestOfEvents(first.receive());

  const interrupted = socket.context(SPEECH);
  await interrupted.push({ transcript: TEXT, flush: true });
  for await (const { type } of interrupted.receive()) if (type === 'chunk') break;
  await interrupted.cancel();

  const both = ['Is there anything else?', 'Good night.'].map(async (transcript) => {
    const context = socket.context(SPEECH);
    await context.send({ transcript, continue: false });
    return digestOfEvents(context.receive());
  });
  yield* await Promise.all(both);

  socket.close();
  yield await digestOfEvents(socket.generate({ ...SPEECH, transcript: 'On another socket.' }));
  socket.close();
}

/** The former class of the library, which also prints when its sockets open and close. */
async function* legacy(client) {
  console.log = () => {};
  const room = new Float32Array(4096);
  async function* samplesOf(source) {
    for (let read = await source.read(room); read > 0; read = await source.read(room))
      yield Buffer.from(room.buffer.slice(0, read * room.BYTES_PER_ELEMENT));
  }
  const connected = async () => {
    const socket = client.tts.websocket({ container: 'raw', encoding: 'pcm_f32le', sampleRate: 44_100 });
    await socket.connect();
    return socket;
  };
  const said = async (socket, transcript) => {
    const voice = { mode: 'id', id: VOICE };
    const { source } = await socket.send({ modelId: 'sonic-3.6', voice, transcript });
    return source;
  };
  const first = await connected();
  const words = 'Good morning. Your train leaves at 9.30 from track four.';
  yield await digestOf(samplesOf(await said(first, words)));
  await (await said(first, TEXT)).read(room);
  first.disconnect();
  const second = await connected();
  yield await digestOf(samplesOf(await said(second, 'Is there anything else?')));
  second.disconnect();
}

const address = process.env.VOICEWIRE_CARTESIA_URL;
const client = new Cartesia({ apiKey: 'local', baseURL: address });
const { token } = await client.accessToken.create({ grants: { tts: true }, expires_in: 300 });
const programs = [
  calls(client),
  contexts(new Cartesia({ token, baseURL: await secured(address) })),
  legacy(new CartesiaClient({ apiKey: 'local', baseUrl: address })),
];
for (const lines of programs) for await (const line of lines) process.stdout.write(`${line}\n`);
