import { describe, expect, it } from 'vitest';
import type { Intent } from '../../core/endpoint.ts';
import type { SpeechEvent } from '../../core/speech-event.ts';
import { protocolOf } from '../../protocols.ts';
import { elevenLabsStream } from '../endpoints.ts';
import { elevenLabsErrors } from './errors.ts';

const AUDIO = { audio: 'AAAB', isFinal: null, normalizedAlignment: null, alignment: null };
const FINAL = { audio: null, isFinal: true, normalizedAlignment: null, alignment: null };

const say = (text: string): Intent => ({ kind: 'say', context: '', text });
const endTurn: Intent = { kind: 'endTurn', context: '' };

/** An intent of the page, a frame of the server, or its close. */
type Step = Intent | typeof AUDIO | typeof FINAL | { message: string } | number;

/** Runs the steps on a new connection. Returns the frames sent, and the types of events. */
function run(key: string, ...steps: readonly Step[]) {
  const dialect = protocolOf(elevenLabsStream).open({ settings: elevenLabsStream.initialSettings, key });
  const sent: unknown[] = [];
  const events: SpeechEvent[] = [];
  for (const step of steps) {
    if (typeof step === 'number') events.push(...(dialect.closed?.(step, '') ?? []));
    else if ('kind' in step) sent.push(...dialect.encode(step).map((frame) => JSON.parse(String(frame))));
    else events.push(...dialect.decode(JSON.stringify(step)));
  }
  return { sent, types: events.map(({ type }) => type).join(' '), events };
}

describe('messages', () => {
  const open: Intent = { kind: 'open', settings: { voice_id: 'v', seed: 1, style: 0.5 } };

  it('begin with a space, the settings of messages and the key', () => {
    const first = { text: ' ', voice_settings: { style: 0.5 } };
    expect(run('sk_1', open).sent).toEqual([{ ...first, xi_api_key: 'sk_1' }]);
    expect(run('', open).sent).toEqual([first]);
  });

  it('hold no single-use token', () => {
    expect(JSON.stringify(run('sutkn_1', open, say('Hi. '), endTurn).sent)).not.toMatch(/sutkn|xi_api_key/);
  });

  it.each<[string, Intent, object[]]>([
    ['text', say('Hi. '), [{ text: 'Hi. ' }]],
    ['no empty text, which would be the end', say(''), []],
    ['the end', endTurn, [{ text: '' }]],
    ['the end', { kind: 'disconnect' }, [{ text: '' }]],
    ['a flush', { kind: 'flush', context: '' }, [{ text: '', flush: true }]],
    ['a keep-alive', { kind: 'keepAlive', context: '' }, [{ text: ' ' }]],
    ['no cancel', { kind: 'cancel', context: null }, []],
    ['no change of settings', { kind: 'update', settings: { speed: 1 } }, []],
  ])('are %s', (_, intent, frames) => {
    expect(run('sk_1', intent).sent).toEqual(frames);
  });
});

describe('the turn', () => {
  const spoken = 'chunkStarted audio';
  const over = 'chunkCompleted audioEnded turnEnded';

  it.each<[string, Step[], string]>([
    ['ends with its final, once', [say('Hi.'), endTurn, AUDIO, FINAL, FINAL, 1000], `${spoken} ${over}`],
    ['ends with a normal close', [say('Hi.'), endTurn, AUDIO, 1000], `${spoken} ${over}`],
    ['is lost with any other close', [say('Hi.'), endTurn, AUDIO, 1006], spoken],
    ['is lost with a close before its end', [say('Hi.'), AUDIO, 1000], spoken],
    ['fails without audio', [say('Hi.'), endTurn, FINAL], 'error'],
    ['may have nothing to speak', [say(' '), endTurn, FINAL], 'audioEnded turnEnded'],
    ['fails with an error', [say('Hi.'), { message: 'No.' }], 'error'],
  ])('%s', (_, steps, types) => {
    expect(run('sk_1', ...steps).types).toBe(types);
  });

  it('says what to do where it fails without audio', () => {
    const [error] = run('sk_1', say('Hi.'), endTurn, FINAL).events;
    expect(error?.type === 'error' && elevenLabsErrors.explainError(error.name, error.code)).toMatch(
      /credits/,
    );
  });

  it('has the format of the address', () => {
    const dialect = protocolOf(elevenLabsStream).open({ settings: { output_format: 'ulaw_8000' }, key: '' });
    expect(dialect.decode(JSON.stringify(AUDIO))[1]).toMatchObject({ encoding: 'mulaw', sampleRate: 8000 });
  });
});
