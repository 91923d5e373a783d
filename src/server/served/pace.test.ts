import { describe, expect, it } from 'vitest';
import { kugelEndpoints, kugelStream } from '#protocol/kugel/endpoints.ts';
import { murmr } from '#protocol/murmr/endpoints.ts';
import { type Line, playedTo, recordingOf } from './served.test-helper.ts';

const { 'kugel-multi': kugelMulti } = kugelEndpoints;

const audio = (idx: number, context?: string) => ({
  audio: 'AAAA',
  enc: 'pcm_s16le',
  idx,
  sr: 24_000,
  samples: 1,
  chunk_id: 0,
  ...(context && { context_id: context }),
});
const idxOf = (sent: readonly { frame: Record<string, unknown> }[]) =>
  sent.map(({ frame }) => frame.idx ?? Object.keys(frame)[0]);

describe('pace', () => {
  const LINES: Line[] = [
    [10, 'out', { voice_id: 1071 }],
    [100, 'out', { text: 'Hello.' }],
    [110, 'in', { generation_started: true, chunk_id: 0, text: 'Hello.' }],
    [150, 'out', { flush: true }],
    [250, 'in', audio(0)],
    [300, 'in', audio(1)],
    [310, 'in', { session_closed: true }],
    [900, 'out', { close_socket: true }],
    [905, 'closed', { code: 1000, reason: 'bye', asked: false }],
  ];

  it('sends each frame so long after the messages before it as recorded', async () => {
    const play = playedTo(recordingOf(kugelStream, LINES));
    await play.clock.advance(1000);
    expect(play.sent).toEqual([]);
    play.send({ voice_id: 1071 });
    play.send({ text: 'Hel' });
    await play.clock.advance(40);
    expect(play.sent).toEqual([]);
    play.send({ text: 'lo.' });
    await play.clock.advance(100);
    play.send({ flush: true });
    await play.clock.advance(500);
    play.send({ close_socket: true });
    await play.clock.advance(10);
    expect(play.sent.map(({ atMs }) => atMs)).toEqual([1050, 1240, 1290, 1300]);
    expect(play.closes).toEqual([{ atMs: 1645, code: 1000, reason: 'bye' }]);
    play.leave();
    expect(play.differences).toEqual([]);
  });

  it('sends at once what was recorded', async () => {
    const play = playedTo(recordingOf(kugelStream, LINES), { pace: 'fast' });
    play.send({ voice_id: 1071, text: 'Hello.', flush: true });
    await play.clock.advance(0);
    expect(play.sent.map(({ atMs }) => atMs)).toEqual([0, 0, 0, 0]);
  });

  it('tells a client that waits for nothing, with the step that is missing', async () => {
    const play = playedTo(recordingOf(kugelStream, LINES));
    play.send({ voice_id: 1071, text: 'Hello.' });
    await play.clock.advance(5040);
    expect(play.closes).toEqual([]);
    await play.clock.advance(20);
    expect(play.closes).toEqual([
      {
        atMs: 5050,
        code: 1011,
        reason: 'waiting: the client waits, and the recording goes on with flush (entry 5, at 0.150 s)',
      },
    ]);
    play.leave();
    expect(play.differences).toHaveLength(1);
  });

  it('lets a client be idle between turns', async () => {
    const play = playedTo(recordingOf(kugelStream, LINES));
    play.send({ voice_id: 1071, text: 'Hello.', flush: true });
    await play.clock.advance(3_600_000);
    expect(play.closes).toEqual([]);
  });

  it('closes at the first difference where that is wanted', async () => {
    const play = playedTo(recordingOf(kugelStream, LINES), { closes: true });
    play.send({ voice_id: 268 });
    await play.clock.advance(0);
    expect(play.closes).toEqual([
      {
        atMs: 0,
        code: 1011,
        reason: expect.stringMatching(/^changed: recorded settings \{"voice_id":1071\}.*268/),
      },
    ]);
  });
});

it('names a text that comes in characters once, though a later one begins with the same letter', async () => {
  const lines: Line[] = [
    [0, 'out', { text: 'Good morning.', flush: true }],
    [10, 'in', audio(0)],
    [20, 'out', { text: 'Hello again.', flush: true }],
    [30, 'in', audio(1)],
  ];
  const play = playedTo(recordingOf(kugelStream, lines));
  for (const text of 'Hello there.') play.send({ text });
  play.send({ flush: true });
  await play.clock.advance(15);
  play.send({ text: 'Hello again.', flush: true });
  await play.clock.advance(15);
  play.leave();
  expect(idxOf(play.sent)).toEqual([0, 1]);
  expect(play.differences).toEqual([expect.stringMatching(/^changed: .*"Good morning\.".*"Hello there\."/)]);
});

it('takes a request to close behind the end of a recording whose connection was open', async () => {
  const play = playedTo(
    recordingOf(kugelStream, [
      [0, 'out', { text: 'Hi.', flush: true }],
      [10, 'in', { session_closed: true }],
    ]),
  );
  play.send({ text: 'Hi.', flush: true });
  await play.clock.advance(50);
  play.send({ close_socket: true });
  play.leave();
  expect(play.closes).toEqual([{ atMs: 50, code: 1000, reason: '' }]);
  expect(play.differences).toEqual([]);
});

describe('a cancel', () => {
  const LINES: Line[] = [
    [0, 'out', { text: 'One long sentence.', flush: true }],
    [100, 'in', audio(0)],
    [200, 'in', audio(1)],
    [250, 'out', { cancel: true }],
    [260, 'in', audio(2)],
    [270, 'in', { interrupted: true }],
    [400, 'out', { text: 'Next.', flush: true }],
    [500, 'in', audio(3)],
    [600, 'closed', { code: 1000, reason: '', asked: true }],
  ];
  const TEXT = { text: 'One long sentence.', flush: true };
  const NEXT = { text: 'Next.', flush: true };

  it('at its recorded moment gets the recorded frames', async () => {
    const play = playedTo(recordingOf(kugelStream, LINES));
    play.send(TEXT);
    await play.clock.advance(240);
    play.send({ cancel: true });
    await play.clock.advance(100);
    play.send(NEXT);
    await play.clock.advance(200);
    play.leave();
    expect(idxOf(play.sent)).toEqual([0, 1, 2, 'interrupted', 3]);
    expect([play.differences, play.moved]).toEqual([[], []]);
  });

  it('that comes earlier cuts the audio there, and is confirmed', async () => {
    const play = playedTo(recordingOf(kugelStream, LINES));
    play.send(TEXT);
    await play.clock.advance(150);
    play.send({ cancel: true });
    await play.clock.advance(0);
    expect(idxOf(play.sent)).toEqual([0, 'interrupted']);
    play.send(NEXT);
    await play.clock.advance(200);
    play.leave();
    expect(idxOf(play.sent)).toEqual([0, 'interrupted', 3]);
    expect(play.differences).toEqual([]);
    expect(play.moved).toEqual(['cancel (message 2): after 1 frames, recorded after 2']);
  });

  it('that comes later hears the recorded audio, and is confirmed then', async () => {
    const play = playedTo(recordingOf(kugelStream, LINES));
    play.send(TEXT);
    await play.clock.advance(2000);
    expect(idxOf(play.sent)).toEqual([0, 1, 2]);
    play.send({ cancel: true });
    await play.clock.advance(50);
    expect(idxOf(play.sent)).toEqual([0, 1, 2, 'interrupted']);
    expect(play.differences).toEqual([]);
    expect(play.moved).toEqual(['cancel (message 2): after 3 frames, recorded after 2']);
  });

  it('that was not recorded ends its turn, and no other one', async () => {
    const lines = LINES.filter(([, direction, what]) => direction === 'in' || !('cancel' in what)).filter(
      ([, , what]) => !('interrupted' in what),
    );
    const done: Line[] = [[300, 'in', { session_closed: true }]];
    const play = playedTo(recordingOf(kugelStream, [...lines.slice(0, 4), ...done, ...lines.slice(4)]));
    play.send(TEXT);
    await play.clock.advance(150);
    play.send({ cancel: true });
    await play.clock.advance(0);
    play.send(NEXT);
    await play.clock.advance(200);
    expect(idxOf(play.sent)).toEqual([0, 'interrupted', 3]);
    expect(play.differences).toEqual([expect.stringMatching(/^extra: recorded nothing, got cancel/)]);
  });

  it('may come while text is still being sent', async () => {
    const lines: Line[] = [
      [0, 'out', { text: 'One long ' }],
      [50, 'out', { text: 'sentence.' }],
      [60, 'out', { flush: true }],
      ...LINES.slice(1),
    ];
    const play = playedTo(recordingOf(kugelStream, lines));
    play.send({ text: 'One lo' });
    play.send({ cancel: true });
    play.send(NEXT);
    await play.clock.advance(500);
    play.leave();
    expect(idxOf(play.sent)).toEqual(['interrupted', 3]);
    expect(play.differences).toEqual([]);
  });

  it('that comes earlier abandons the turns behind its own, unless none of them had begun', async () => {
    const lines: Line[] = [
      [0, 'out', { text: 'First.', flush: true }],
      [10, 'in', audio(0)],
      [20, 'in', { session_closed: true }],
      [30, 'out', { text: 'Second.', flush: true }],
      [40, 'out', { text: 'Third.', flush: true }],
      [100, 'in', audio(1)],
      [110, 'out', { cancel: true }],
      [120, 'in', { interrupted: true }],
    ];
    const sendAll = async (...frames: object[]) => {
      const play = playedTo(recordingOf(kugelStream, lines));
      for (const frame of frames) {
        play.send({ ...frame });
        await play.clock.advance(25);
      }
      play.leave();
      return { frames: idxOf(play.sent), differences: play.differences };
    };
    const [first, second] = [
      { text: 'First.', flush: true },
      { text: 'Second.', flush: true },
    ];
    expect(await sendAll(first, second, { cancel: true })).toEqual({
      frames: [0, 'session_closed', 'interrupted'],
      differences: [],
    });
    const missing = ['text "Second."', 'flush', 'text "Third."', 'flush'];
    expect((await sendAll(first, { cancel: true })).differences).toEqual(
      missing.map((words) => expect.stringContaining(`missing: recorded ${words}`)),
    );
  });

  it('of all contexts that comes earlier abandons the rest of their text', async () => {
    const lines: Line[] = [
      [0, 'out', { text: 'One ', context_id: 'a' }],
      [10, 'out', { text: 'Two ', context_id: 'b' }],
      [50, 'in', audio(0, 'a')],
      [60, 'out', { text: 'more.', context_id: 'a', flush: true }],
      [70, 'out', { text: 'more.', context_id: 'b', flush: true }],
      [100, 'in', audio(1, 'a')],
      [110, 'out', { cancel: true }],
      [120, 'in', { interrupted: true }],
    ];
    const play = playedTo(recordingOf(kugelMulti, lines));
    play.send({ text: 'One ', context_id: 'a' });
    play.send({ text: 'Two ', context_id: 'b' });
    await play.clock.advance(55);
    play.send({ cancel: true });
    await play.clock.advance(20);
    play.leave();
    expect(idxOf(play.sent)).toEqual([0, 'interrupted']);
    expect(play.differences).toEqual([]);
  });

  it('of one context leaves the others alone, whose ids are those of the client', async () => {
    const both: Line[] = [
      [0, 'out', { text: 'One.', context_id: 'a', flush: true }],
      [0, 'out', { text: 'Two.', context_id: 'b', flush: true }],
      [100, 'in', audio(0, 'a')],
      [110, 'in', audio(1, 'b')],
      [200, 'in', audio(2, 'a')],
      [210, 'in', audio(3, 'b')],
      [220, 'out', { cancel: true, context_id: 'a' }],
      [230, 'in', { interrupted: true, context_id: 'a' }],
      [240, 'in', audio(4, 'b')],
    ];
    const play = playedTo(recordingOf(kugelMulti, both));
    play.send({ text: 'One.', context_id: 'b', flush: true });
    play.send({ text: 'Two.', context_id: 'x', flush: true });
    await play.clock.advance(120);
    play.send({ cancel: true, context_id: 'b' });
    await play.clock.advance(300);
    play.leave();
    expect(idxOf(play.sent)).toEqual([0, 1, 'interrupted', 3, 4]);
    expect(play.sent.map(({ frame }) => frame.context_id)).toEqual(['b', 'x', 'b', 'x', 'x']);
    expect(play.differences).toEqual([]);
  });

  it('of all contexts keeps the waits of the next turn', async () => {
    const play = playedTo(
      recordingOf(kugelMulti, [
        [0, 'out', { text: 'One.', context_id: 'a', flush: true }],
        [100, 'in', audio(0, 'a')],
        [250, 'out', { cancel: true }],
        [255, 'out', { text: 'Two.', context_id: 'a', flush: true }],
        [260, 'in', audio(1, 'a')],
        [270, 'in', { interrupted: true, context_id: 'a' }],
        [555, 'in', audio(2, 'a')],
      ]),
    );
    play.send({ text: 'One.', context_id: 'a', flush: true });
    await play.clock.advance(1000);
    play.send({ cancel: true });
    await play.clock.advance(1000);
    play.send({ text: 'Two.', context_id: 'a', flush: true });
    await play.clock.advance(1000);
    expect(play.sent.at(-1)).toMatchObject({ atMs: 2300, frame: { idx: 2 } });
  });

  it('is not counted where the client leaves before the next frames', async () => {
    const play = playedTo(recordingOf(kugelStream, LINES));
    play.send(TEXT);
    await play.clock.advance(150);
    play.send({ cancel: true });
    play.send(NEXT);
    await play.clock.advance(50);
    play.leave();
    expect(play.moved.at(-1)).toBe('end of the connection: 1 recorded frame left unsent');
  });

  it('is a close on an endpoint without one', async () => {
    const play = playedTo(
      recordingOf(murmr, [
        [0, 'out', { type: 'config', voice: 'v' }],
        [10, 'in', { type: 'config_ack' }],
        [20, 'out', { type: 'text', text: 'Hello there.' }],
        [30, 'out', { type: 'flush' }],
        [50, 'in', { type: 'audio', audio: 'AAAA' }],
        [90, 'in', { type: 'audio', audio: 'AAAA' }],
        [95, 'closed', { code: 1000, reason: '', asked: true }],
      ]),
    );
    play.send({ type: 'config', voice: 'v' });
    play.send({ type: 'text', text: 'Hello' });
    await play.clock.advance(20);
    play.leave();
    expect(play.differences).toEqual([]);
    expect(play.moved).toEqual(['end of the connection: 2 recorded frames left unsent']);
  });
});

it('names an endless context in short', () => {
  const play = playedTo(recordingOf(kugelMulti, [[0, 'in', audio(0, 'a')]]));
  play.send({ text: 'One.', context_id: 'x'.repeat(100_000) });
  play.leave();
  expect(play.differences).toEqual([expect.stringMatching(/^.{1,300}$/)]);
});

it('names the texts of contexts beside the recording apart', () => {
  const play = playedTo(recordingOf(kugelMulti, [[0, 'in', audio(0, 'a')]]));
  play.send({ text: 'I am Anna.', context_id: 'c' });
  play.send({ text: 'I am Bert.', context_id: 'd' });
  play.leave();
  expect(play.differences).toEqual([
    expect.stringContaining('text of context "c" "I am Anna."'),
    expect.stringContaining('text of context "d" "I am Bert."'),
  ]);
});

it('names a deep message', () => {
  const play = playedTo(recordingOf(kugelStream, [[0, 'in', audio(0)]]));
  play.sendText(`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`);
  expect(play.differences).toEqual([expect.stringMatching(/^extra: recorded nothing, got message "/)]);
});
