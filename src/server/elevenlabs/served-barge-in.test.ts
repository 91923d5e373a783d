import { describe, expect, it } from 'vitest';
import { elevenLabsMulti } from '#protocol/elevenlabs/endpoints.ts';
import { finalFrame } from '#protocol/elevenlabs/wire/server-frames.ts';
import { type Line, playedTo, recordingOf } from '../served/served.test-helper.ts';
import type { Frame } from '../socket-client.test-helper.ts';

/** Barge-in on `multi-stream-input` is the close of a context whose text has no flush of its own. */

const audio = (contextId: string, bytes: string): Frame => ({
  ...finalFrame(contextId),
  audio: bytes,
  isFinal: null,
});
const final = (contextId: string): Frame => ({ ...finalFrame(contextId) });

const opening = (id: string): Frame => ({ text: ' ', voice_settings: {}, context_id: id });
const sentence = (id: string, text: string): Frame => ({ text, context_id: id, flush: true });
const flush = (id: string): Frame => ({ text: '', context_id: id, flush: true });
const close = (id: string): Frame => ({ context_id: id, close_context: true });

/** The agent flushes once more behind its barge-in. */
const LINES: Line[] = [
  [0, 'out', opening('r')],
  [10, 'out', sentence('r', 'One sentence. ')],
  [100, 'in', audio('r', 'AAAA')],
  [150, 'out', sentence('r', 'And another. ')],
  [200, 'in', audio('r', 'AAEA')],
  [250, 'out', close('r')],
  [251, 'out', flush('r')],
  [300, 'in', audio('r', 'AAIA')],
  [310, 'in', final('r')],
  [400, 'out', opening('s')],
  [410, 'out', sentence('s', 'The next turn. ')],
  [420, 'out', flush('s')],
  [430, 'out', close('s')],
  [500, 'in', audio('s', 'AAMA')],
  [510, 'in', final('s')],
];

const heard = (frames: readonly { frame: Frame }[]) =>
  frames.map(
    ({ frame: { contextId, audio: bytes, isFinal } }) => `${contextId} ${isFinal ? 'final' : bytes}`,
  );

const NEXT = [opening('d'), sentence('d', 'The next turn. '), flush('d'), close('d')];

describe('a barge-in', () => {
  it.each<[string, number, string[], string[]]>([
    ['at its recorded moment hears what is left', 240, ['AAAA', 'AAEA', 'AAIA'], []],
    [
      'that comes earlier hears the final alone',
      120,
      ['AAAA'],
      ['cancel (message 3): after 1 frames, recorded after 2'],
    ],
    [
      'that comes later has heard what is left',
      2000,
      ['AAAA', 'AAEA', 'AAIA'],
      ['cancel (message 5): after 3 frames, recorded after 2'],
    ],
  ])('%s', async (_title, atMs, expected, moved) => {
    const play = playedTo(recordingOf(elevenLabsMulti, LINES));
    for (const frame of [opening('c'), sentence('c', 'One sentence. ')]) play.send(frame);
    await play.clock.advance(Math.min(atMs, 140));
    if (atMs > 140) play.send(sentence('c', 'And another. '));
    await play.clock.advance(atMs - Math.min(atMs, 140));
    if (atMs > 1000) play.send(sentence('c', 'And more than was recorded. '));
    for (const frame of [close('c'), flush('c')]) play.send(frame);
    await play.clock.advance(100);
    for (const frame of NEXT) play.send(frame);
    await play.clock.advance(200);
    play.leave();
    expect(heard(play.sent)).toEqual([
      ...expected.map((bytes) => `c ${bytes}`),
      'c final',
      'd AAMA',
      'd final',
    ]);
    expect([play.differences, play.moved]).toEqual([[], moved]);
  });

  it('that was not recorded is a difference, and hears a final', async () => {
    const play = playedTo(recordingOf(elevenLabsMulti, LINES.slice(9)));
    for (const frame of [opening('c'), sentence('c', 'The next turn. '), close('c')]) play.send(frame);
    await play.clock.advance(0);
    expect(heard(play.sent)).toEqual(['c final']);
    expect(play.differences).toEqual([
      expect.stringMatching(/^extra: recorded nothing, got cancel of context/),
    ]);
  });
});

it('does not wait for a client that is done, when a turn has had its final', async () => {
  const play = playedTo(recordingOf(elevenLabsMulti, LINES.slice(9)));
  for (const frame of NEXT) play.send(frame);
  await play.clock.advance(60_000);
  expect([play.differences, play.closes]).toEqual([[], []]);
});
