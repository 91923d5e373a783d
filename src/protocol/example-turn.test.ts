import { expect, it } from 'vitest';
import type { Intent } from './core/endpoint.ts';
import { LOCAL_KEY } from './core/servers.ts';
import { ONLY_CONTEXT } from './core/speech-event.ts';
import { into, lintOn, out } from './lint/recordings.test-helper.ts';
import { protocolOf } from './protocols.ts';
import { PAGE_ENDPOINTS } from './registry.ts';
import { exampleVoice } from './testing/example-voice.ts';

it.for(PAGE_ENDPOINTS)('the example turn of $id breaks no rule', (endpoint) => {
  const context = endpoint.contexts ? 'example' : ONLY_CONTEXT;
  const opening = endpoint.contexts ? { opens: exampleVoice(endpoint) } : {};
  const text = 'One, two.';
  const intents: Intent[] = [
    { kind: 'open', settings: endpoint.initialSettings },
    { kind: 'say', context, text, ...opening },
    { kind: endpoint.flushEndsTurn ? 'flush' : 'endTurn', context },
  ];
  const wire = protocolOf(endpoint).open({ settings: {}, key: LOCAL_KEY });
  const sent = intents.flatMap((intent) => wire.encode(intent)).map((frame) => out(frame));
  const received = protocolOf(endpoint)
    .exampleTurn(text, context)
    .map((frame) => into(frame));
  const findings = lintOn(endpoint, [{ open: true }, ...sent, ...received, { pass: 100 }]);
  expect(received).not.toEqual([]);
  expect(findings.filter(({ severity }) => severity !== 'advice')).toEqual([]);
});
