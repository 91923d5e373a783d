import { encodeBase64 } from '#lib/base64.ts';
import { replaceHalves } from '#lib/text/halves.ts';
import type { Keyed, SentFrame, SnippetSource } from './snippet-source.ts';

/** Programs that repeat a recorded session. They contain no key, but read it from the environment. */

export type SnippetLanguage = 'typescript' | 'python' | 'shell';

export interface Snippet {
  title: string;
  fileName: string;
  write(source: SnippetSource): string;
}

/** After all frames were sent and the server was silent for this long, a program ends. */
const QUIET_S = 5;

export const SNIPPETS: Readonly<Record<SnippetLanguage, Snippet>> = {
  typescript: { title: 'TypeScript (Node.js)', fileName: 'session.ts', write: typescript },
  python: { title: 'Python (websockets)', fileName: 'session.py', write: python },
  shell: { title: 'Command line (websocat)', fileName: 'session.sh', write: shell },
};

function typescript(source: SnippetSource): string {
  const decoded = (base64: string) => `Buffer.from('${base64}', 'base64')`;
  const frames = source.frames.map(
    ({ waitMs, frame }) => `  [${waitMs}, ${frameLiteral(frame, decoded, 'JSON.stringify(key)')}],\n`,
  );
  return `// A session with ${source.title}, recorded by Voicewire.
// Needs Node.js 22.18 or later, and nothing else. Run it with:
//   VOICEWIRE_KEY=${source.keyHint} node session.ts

const key = process.env.VOICEWIRE_KEY ?? '';
const address = ${concatenated(source.address, 'encodeURIComponent(key)')};

/** Milliseconds to wait, then what to send. */
const frames: [number, string | Buffer<ArrayBuffer>][] = [
${frames.join('')}];

const socket = new WebSocket(address${socketOptions(source)});
socket.binaryType = 'arraybuffer';
let allSent = false;
let lastHeard = Date.now();

socket.onopen = async () => {
  for (const [waitMs, frame] of frames) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.send(frame);
  }
  allSent = true;
  lastHeard = Date.now();
};

socket.onmessage = ({ data }) => {
  lastHeard = Date.now();
  // Audio is shortened, so that the rest can be read.
  console.log(typeof data === 'string' ? data.replace(/"[\\w+/=]{80,}"/g, '"…"') : \`\${data.byteLength} bytes\`);
};

socket.onclose = ({ code, reason }) => {
  clearInterval(watch);
  console.log('closed', code, reason);
};

socket.onerror = () => {
  console.error('The connection failed.');
  process.exitCode = 1;
};

const watch = setInterval(() => {
  if (allSent && Date.now() - lastHeard > ${QUIET_S * 1000}) socket.close();
}, 200);
`;
}

function python(source: SnippetSource): string {
  const decoded = (base64: string) => `base64.b64decode('${base64}')`;
  const frames = source.frames.map(
    ({ waitMs, frame }) => `    (${waitMs / 1000}, ${frameLiteral(frame, decoded, 'json.dumps(KEY)')}),\n`,
  );
  return `# A session with ${source.title}, recorded by Voicewire.
# Needs Python 3.9 or later and: pip install "websockets>=13". Run it with:
#   VOICEWIRE_KEY=${source.keyHint} python3 session.py

import asyncio
import base64
import json
import os
import re
from urllib.parse import quote

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

KEY = os.environ.get('VOICEWIRE_KEY', '')
ADDRESS = ${concatenated(source.address, "quote(KEY, safe='')")}

# Seconds to wait, then what to send.
FRAMES = [
${frames.join('')}]


async def send(socket):
    for wait, frame in FRAMES:
        await asyncio.sleep(wait)
        await socket.send(frame)


async def main():
    async with connect(ADDRESS, max_size=None${connectOptions(source)}) as socket:
        sending = asyncio.create_task(send(socket))
        try:
            while True:
                try:
                    message = await asyncio.wait_for(socket.recv(), ${QUIET_S})
                except asyncio.TimeoutError:
                    if sending.done():
                        break
                    continue
                # Audio is shortened, so that the rest can be read.
                if isinstance(message, str):
                    print(re.sub(r'"[\\w+/=]{80,}"', '"…"', message), flush=True)
                else:
                    print(len(message), 'bytes', flush=True)
        except ConnectionClosed:
            print('closed', socket.close_code, socket.close_reason)
        finally:
            sending.cancel()


asyncio.run(main())
`;
}

function shell(source: SnippetSource): string {
  const lines = source.frames.map(({ waitMs, frame }) => `${pause(waitMs)}  ${said(frame)}\n`);
  return `#!/bin/sh
# A session with ${source.title}, recorded by Voicewire.
# Needs websocat. Run it with:
#   VOICEWIRE_KEY=${source.keyHint} sh session.sh
# Percent-encode the key where it is not of letters, digits, - and _ alone.

{
${lines.join('')}  # What comes back takes its time.
${pause(source.tailMs + QUIET_S * 1000)}} | websocat --text --exit-on-eof ${websocatOptions(source)}${concatenatedInShell(source.address)}
`;
}

/** The second argument of a socket. That of Node.js may have headers, which browsers and their types lack. */
function socketOptions({ protocols, headers }: SnippetSource): string {
  if (protocols.length > 0) return `, [${protocols.map((text) => concatenated(text, 'key')).join(', ')}]`;
  return headers.length > 0 ? `, { headers: ${record(headers, 'key')} } as never` : '';
}

function connectOptions({ protocols, headers }: SnippetSource): string {
  const listed = protocols.map((text) => concatenated(text, 'KEY')).join(', ');
  return [
    protocols.length > 0 ? `, subprotocols=[${listed}]` : '',
    headers.length > 0 ? `, additional_headers=${record(headers, 'KEY')}` : '',
  ].join('');
}

/** An object that TypeScript and Python read alike. */
const record = (headers: SnippetSource['headers'], key: string): string =>
  `{ ${headers.map(({ name, value }) => `${quoted(name)}: ${concatenated(value, key)}`).join(', ')} }`;

const websocatOptions = ({ protocols, headers }: SnippetSource): string =>
  [
    ...(protocols.length > 0 ? [`--protocol ${concatenatedInShell(protocols.reduce(listedWith))} `] : []),
    ...headers.map(({ name, value }) => `--header ${concatenatedInShell(appended([`${name}: `], value))} `),
  ].join('');

const listedWith = (list: Keyed, text: Keyed): Keyed => appended(appended(list, [', ']), text);
const appended = (before: Keyed, [first = '', ...rest]: Keyed): Keyed => [
  ...before.slice(0, -1),
  `${before.at(-1) ?? ''}${first}`,
  ...rest,
];

const pause = (ms: number): string => (ms > 0 ? `  sleep ${(Math.ceil(ms) / 1000).toFixed(3)}\n` : '');

function said(frame: SentFrame['frame']): string {
  if ('bytes' in frame) return `# Left out: a binary frame of ${frame.bytes.length} bytes.`;
  // A line is a frame. In JSON a line end can only stand where a space may, and NUL nowhere.
  const pieces = frame.text.map((piece) => piece.replace(/[\r\n]+/g, ' ').replaceAll('\0', ''));
  return `printf '%s\\n' ${pieces.map(inShell).join('\'"\'"$VOICEWIRE_KEY"\'"\'')}`;
}

const concatenatedInShell = (text: Keyed): string =>
  text.map((piece) => (piece === '' ? '' : inShell(piece))).join('"$VOICEWIRE_KEY"') || "''";

/** Within single quotes nothing has a meaning but the quote itself. */
const inShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const frameLiteral = (frame: SentFrame['frame'], decoded: (base64: string) => string, key: string): string =>
  'bytes' in frame ? decoded(encodeBase64(frame.bytes)) : concatenated(frame.text, key);

const concatenated = (text: Keyed, key: string): string =>
  text
    .map((piece) => (piece === '' && text.length > 1 ? '' : quoted(piece)))
    .flatMap((piece, i) => (i === 0 ? [piece] : [key, piece]))
    .filter((piece) => piece !== '')
    .join(' + ');

/** A string in single quotes that TypeScript and Python read alike. */
const quoted = (text: string): string =>
  `'${replaceHalves(text)
    .replace(/['\\]/g, '\\$&')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, unicodeEscape)}'`;

/** Escapes one UTF-16 unit. Longer characters stay, because Python would read two escapes as two characters. */
const unicodeEscape = (character: string): string =>
  character.length === 1 ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : character;
