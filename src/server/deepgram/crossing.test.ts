import { expect, it } from 'vitest';
import { endpointOf } from '#protocol/registry.ts';
import { misread, type WireFrame } from '#trace/noted-speech.test-helper.ts';
import { settle } from '../fake-clock.test-helper.ts';
import { CLEAR, createWorld, FLUSH, INTERRUPT, speak } from './session-world.test-helper.ts';

/** Frames name no turn here, so the notes depend on the order in which messages and answers cross. */

const LONG = speak('Good morning to all. ');
const SHORT = speak('Hi. ');
const BLANK = speak(' ');
/** Blocks of audio that the engine makes between the messages. */
const BLOCKS = 4;
/** Frames of the server, with runs of audio as one, that the client has not read when it sends. */
const MOST_UNREAD = 6;

type Output = (string | Uint8Array)[];

/** Every order of so many messages and blocks. */
function orders(messages: number, blocks: number): boolean[][] {
  if (messages === 0) return [[]];
  const withMessage = orders(messages - 1, blocks).map((rest) => [true, ...rest]);
  const withBlock = blocks > 0 ? orders(messages, blocks - 1).map((rest) => [false, ...rest]) : [];
  return [...withMessage, ...withBlock];
}

/** The server's output before each message, and after the last one. */
async function played(family: 'aura' | 'flux', messages: readonly object[], order: readonly boolean[]) {
  const outputs: Output[] = [[]];
  const client = { receives: (frame: Output[number]) => void outputs.at(-1)?.push(frame), closes: () => {} };
  const world = createWorld(family, { client });
  world.engine.hold();
  const waiting = [...messages];
  for (const isMessage of order) {
    if (isMessage) {
      outputs.push([]);
      world.session.text(JSON.stringify(waiting.shift()));
    } else {
      world.engine.release();
      world.engine.hold();
    }
    await settle();
  }
  world.engine.release();
  await settle();
  return outputs;
}

/** The frames as a client has them that sends each message before it has read the last frames of the server. */
function seenBy(messages: readonly object[], outputs: readonly Output[], unread: number): WireFrame[] {
  const sent = messages.map((message) => JSON.stringify(message));
  const all = outputs.flat();
  const heads = all.flatMap((frame, at) =>
    typeof frame === 'string' || typeof all[at - 1] === 'string' ? [at] : [],
  );
  const seen: WireFrame[] = [];
  let made = 0;
  let read = 0;
  const readTo = (end: number): void => {
    for (const payload of all.slice(read, end)) seen.push({ direction: 'in', payload });
    read = Math.max(read, end);
  };
  for (const [at, payload] of sent.entries()) {
    made += outputs[at]?.length ?? 0;
    readTo([...heads.filter((head) => head < made), made].at(-1 - unread) ?? 0);
    seen.push({ direction: 'out', payload });
  }
  readTo(all.length);
  return seen;
}

it.each<[string, 'aura' | 'flux', number, object[]]>([
  ['text behind a Clear', 'aura', 3, [LONG, FLUSH, SHORT, CLEAR, SHORT, FLUSH]],
  ['text behind an Interrupt', 'flux', 3, [LONG, FLUSH, SHORT, INTERRUPT, SHORT, BLANK, FLUSH]],
  [
    'the Flush of the open turn behind an Interrupt',
    'flux',
    3,
    [LONG, FLUSH, SHORT, INTERRUPT, FLUSH, SHORT],
  ],
  ['turns that wait', 'flux', 4, [LONG, FLUSH, SHORT, FLUSH, INTERRUPT, SHORT, FLUSH]],
  ['a blank turn that waits', 'flux', 5, [LONG, FLUSH, BLANK, FLUSH, SHORT, INTERRUPT, SHORT]],
  ['two Interrupts', 'flux', 3, [LONG, FLUSH, SHORT, INTERRUPT, SHORT, INTERRUPT, SHORT]],
])(
  'every frame is noted in a turn that was asked for, in any order: %s',
  async (_, family, atOnce, messages) => {
    const endpoint = endpointOf(family === 'aura' ? 'deepgram' : 'deepgram-flux');
    const first = messages.slice(0, atOnce).map(() => true);
    for (const rest of orders(messages.length - atOnce, BLOCKS)) {
      const outputs = await played(family, messages, [...first, ...rest]);
      for (let unread = 0; unread <= MOST_UNREAD; unread += 1) {
        const seen = seenBy(messages, outputs, unread);
        expect(misread(endpoint, seen), JSON.stringify(seen.map(({ payload }) => payload))).toEqual([]);
      }
    }
  },
);
