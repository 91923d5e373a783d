import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import type { Finding } from '#protocol/core/rule.ts';
import { kugelMulti } from '#protocol/kugel/multi.ts';
import { kugelStream } from '#protocol/kugel/stream.ts';
import { openLinter } from '#protocol/linters.ts';
import type { RunningServer } from '../running-server.ts';
import { startTestServer } from '../test-server.test-helper.ts';

/** Real speech over a real socket is free of findings: whatever the text, and whatever the voice makes of it. */

let server: RunningServer;

beforeAll(async () => {
  server = await startTestServer();
}, 60_000);

afterAll(async () => {
  await server.stop();
});

const TEXTS = {
  'an ordinary text':
    'Good morning. The train to Potsdam leaves at nine; it is late, so there is time for a coffee.',
  'numbers, dates and abbreviations':
    'On 3/4/2025 Dr. Smith paid $1,234.50, i.e. 12.5 % more, for 3 kg at 7:30 p.m.',
  'signs and quotations': '“Well,” she said — ‘it’s fine’… (is it?) 👍 e-mail: a.b@c.example/x_y #1 & more!',
  'words that are none': '... !!! --- *** ½ ² § 😀😀',
  tags: 'Wait <break time="500ms"/> for <spell>ABC</spell> and <prosody rate="slow">this</prosody>. 3 < 4 > 2.',
  'several scripts': 'Hello. Привет, мир. 你好，世界。こんにちは。 مرحبا. שלום.',
  'long words': `${'Donaudampfschifffahrt'.repeat(20)} and an end.`,
};

/** Talks to the server through the linter until `session_closed`, or `context_closed`, has come. */
async function talk(endpoint: Endpoint, messages: readonly object[], until: string): Promise<Finding[]> {
  const linter = openLinter(endpoint.id);
  const findings: Finding[] = [];
  let index = 0;
  const moment = () => {
    const at = { index, atUs: Math.round(performance.now() * 1000), connection: 1 };
    index += 1;
    return at;
  };
  const socket = new WebSocket(endpoint.address(`${server.ws}${endpoint.localPrefix}`, 'local'));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  findings.push(...linter.opened(moment()));
  const over = new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      const payload = String(data);
      findings.push(...linter.feed({ ...moment(), direction: 'in', payload }));
      if (payload.includes(`"${until}":true`)) resolve();
    });
  });
  for (const message of messages) {
    const payload = JSON.stringify(message);
    findings.push(...linter.feed({ ...moment(), direction: 'out', payload }));
    socket.send(payload);
  }
  await over;
  socket.terminate();
  return findings;
}

describe.each(Object.entries(TEXTS))('%s', (_, text) => {
  it.each([24_000, 8000, 22_050])('on the stream at %i Hz', async (rate) => {
    const config = { voice_id: 1071, language: 'en', word_timestamps: true, sample_rate: rate };
    const findings = await talk(kugelStream, [config, { text }, { flush: true }], 'session_closed');
    expect(findings).toEqual([]);
  });

  it('in a context', async () => {
    const open = {
      text: ' ',
      context_id: 'a',
      language: 'en',
      word_timestamps: true,
      voice_settings: { voice_id: 1072 },
    };
    const findings = await talk(
      kugelMulti,
      [
        open,
        { text, context_id: 'a', flush: true },
        { text, context_id: 'a' },
        { close_context: true, context_id: 'a' },
      ],
      'context_closed',
    );
    expect(findings).toEqual([]);
  });
});
