import { inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { writeLink } from '#app/share/link.ts';
import { RecordingReader, writeRecording } from '#trace/files/recording-file.ts';
import { joinedText } from '#trace/files/testing/recordings.ts';
import { Redaction } from '#trace/secrets/redaction.ts';
import { readHar } from './har-reader.ts';
import { writeHar } from './har-writer.ts';
import { snippetSource } from './snippet-source.ts';
import { SNIPPETS } from './snippets.ts';
import { devToolsHar, socketEntry } from './testing/devtools-har.ts';

/** A key that comes in with a foreign file goes out with none of ours. */

const KEY = 'ka_canary+42/Zß "x"';
const IN_JSON = JSON.stringify(KEY).slice(1, -1);
const FORMS = [
  KEY,
  IN_JSON,
  JSON.stringify(IN_JSON).slice(1, -1),
  encodeURIComponent(KEY),
  encodeURIComponent(KEY).toLowerCase(),
  Buffer.from(KEY).toString('base64'),
  Buffer.from(KEY).toString('base64url'),
];

const says = (type: 'send' | 'receive', time: number, data: object) => ({
  type,
  time: 1_790_000_000 + time,
  opcode: 1,
  data: JSON.stringify(data),
});

const foreign = devToolsHar([
  socketEntry(
    `wss://api.kugelaudio.com/ws/tts/stream?api_key=${encodeURIComponent(KEY)}`,
    [
      says('send', 1, { api_key: KEY, voice_id: 1071 }),
      says('send', 2, { text: `Say ${KEY}.`, flush: true }),
      says('receive', 3, { error: `Bad key ${KEY}` }),
      says('receive', 4, { error: `Bad frame ${JSON.stringify({ api_key: KEY })}` }),
    ],
    { headers: [{ name: 'Authorization', value: `Basic ${btoa('me:ka_canary')}` }] },
  ),
]);

describe('a known key', async () => {
  expect(FORMS.some((form) => foreign.includes(form))).toBe(true);
  const [recording] = readHar(foreign).recordings;
  if (!recording) throw new Error('Nothing was read.');
  const { info, entries } = recording;
  const ours = await joinedText(writeRecording(info, entries));
  const reader = new RecordingReader();
  const again = reader.push(ours);
  const link = await writeLink(
    {
      endpoint: 'kugel-stream',
      server: { address: `wss://a.example?api_key=${encodeURIComponent(KEY)}` },
      settings: { api_key: KEY, voice_id: KEY },
      text: KEY,
      source: null,
      cast: [],
    },
    new Redaction(KEY),
  );
  const outputs: [string, string][] = [
    ['the imported recording', JSON.stringify(entries) + JSON.stringify(info)],
    ['our own format', ours],
    ['the recording read from it', JSON.stringify(again)],
    ['HAR', await joinedText(writeHar(info, () => entries))],
    ...Object.values(SNIPPETS).map(({ title, write }): [string, string] => [
      title,
      write(snippetSource(info, entries)),
    ]),
    [
      'a link',
      'fragment' in link ? inflateRawSync(Buffer.from(link.fragment.slice(10), 'base64url')).toString() : KEY,
    ],
  ];

  it.each(outputs)('is not in %s', (_, text) => {
    expect(text.length).toBeGreaterThan(50);
    for (const form of FORMS) expect(text).not.toContain(form);
    expect(text).not.toContain('ka_canary');
  });
});
